import { Simulation } from './queueing.ts';
import { type Cost, type Outcome, type Request, type Setup, Town } from './town.ts';

// What clients do with a town: they ask at a rate, or in a closed loop, and ask again when they were not served.

export interface Play {
  setup: Setup;
  costs: Record<string, Cost>;
  /** Requests a second. In a closed loop: how they are mixed. */
  rates: Record<string, number>;
  seconds: number;
  seed?: number;
  /** Makes it a closed loop. */
  askers?: number;
  /** The share of all completions that are one user's. */
  viral?: number;
  /** A database that is dead between two instants, in seconds. */
  outage?: { database: number; from: number; to: number };
}

export interface Played {
  servedPerSecond: number;
  /** In milliseconds, of what was served. */
  p50: number;
  p99: number;
  /** The same of those whose database was never dead, and of the user of whom everybody talks. */
  p99Elsewhere: number;
  p99Viral: number;
  /** Shares of what was asked, retries among it. */
  refused: number;
  failed: number;
  /** Of those whose database was never dead. */
  failedElsewhere: number;
  busiest: { what: string; use: number };
}

const USERS = 100_000;
const VIRAL = 0;

/** Clients ask three times more, later and later, as docs/clients.md has them. */
const RETRIES = 3;
const PAUSE = 1_000;

/** In seconds, not counted: queues are empty at first. */
const BEGINNING = 1;

const quantile = (sorted: Float64Array, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

export function play({ setup, costs, rates, seconds, seed = 1, askers, viral = 0, outage }: Play): Played {
  const simulation = new Simulation(seed);
  const town = new Town(simulation, setup);
  const end = seconds * 1_000;
  const counts: Record<Outcome, number> = { served: 0, refused: 0, failed: 0 };
  const elsewhere = { times: [] as number[], failed: 0, asked: 0 };
  const times: number[] = [];
  const ofViral: number[] = [];
  const kinds = Object.keys(rates);
  const upTo = kinds.map((_, index) =>
    kinds.slice(0, index + 1).reduce((sum, kind) => sum + (rates[kind] ?? 0), 0),
  );
  const total = upTo.at(-1) ?? 0;

  const note = ({ user }: Request, outcome: Outcome, milliseconds: number) => {
    if (simulation.now < BEGINNING * 1_000 || simulation.now > end) return;
    counts[outcome] += 1;
    if (outcome === 'served') times.push(milliseconds);
    if (outcome === 'served' && viral > 0 && user === VIRAL) ofViral.push(milliseconds);
    if (!outage || town.databaseOf(user) === outage.database) return;
    elsewhere.asked += 1;
    if (outcome === 'served') elsewhere.times.push(milliseconds);
    else elsewhere.failed += 1;
  };
  const newRequest = (): Request => {
    const { random } = simulation;
    const at = random.next() * total;
    const kind = kinds.find((_, index) => at < (upTo[index] ?? 0)) ?? (kinds.at(-1) as string);
    const isChange = kind === 'completion';
    const user = isChange && random.chance(viral) ? VIRAL : random.whole(1, USERS);
    return { kind, cost: costs[kind] as Cost, user, isChange };
  };
  const ask = (request: Request, retries: number, over = () => {}) =>
    town.ask(request, (outcome, milliseconds) => {
      note(request, outcome, milliseconds);
      if (outcome !== 'served' && retries > 0 && !askers) {
        const pause = PAUSE * 2 ** (RETRIES - retries) * (0.5 + simulation.random.next());
        simulation.after(pause, () => ask(request, retries - 1));
      }
      over();
    });

  const arrive = (): void => {
    ask(newRequest(), RETRIES);
    if (simulation.now < end) simulation.after(simulation.exponential(1_000 / total), arrive);
  };
  const askOn = (): void => {
    if (simulation.now < end) ask(newRequest(), 0, () => simulation.after(0, askOn));
  };
  if (outage) {
    simulation.after(outage.from * 1_000, () => town.die(outage.database));
    simulation.after(outage.to * 1_000, () => town.die(outage.database, false));
  }
  if (askers) for (let asker = 0; asker < askers; asker += 1) askOn();
  else arrive();
  simulation.run(end);

  const sorted = Float64Array.from(times).sort();
  const asked = counts.served + counts.refused + counts.failed;
  return {
    servedPerSecond: counts.served / (seconds - BEGINNING),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    p99Elsewhere: quantile(Float64Array.from(elsewhere.times).sort(), 0.99),
    p99Viral: quantile(Float64Array.from(ofViral).sort(), 0.99),
    refused: counts.refused / asked,
    failed: counts.failed / asked,
    failedElsewhere: elsewhere.failed / Math.max(1, elsewhere.asked),
    busiest: town.busiest(),
  };
}

/** In milliseconds: a service that is slower has broken. */
const TOO_SLOW = 250;

export const isWell = ({ p99, refused, failed }: Played) => p99 <= TOO_SLOW && refused + failed <= 0.001;

/** The most requests a second that are all answered in time, to within 2 %. */
export function breakingLoad(play_: Omit<Play, 'rates'>, mix: Record<string, number>): number {
  const isWellAt = (load: number) => isWell(play({ ...play_, rates: scaled(mix, load) }));
  let [well, broken] = [0, 1];
  while (isWellAt(broken)) [well, broken] = [broken, 2 * broken];
  while (broken - well > 0.02 * broken) {
    const middle = (well + broken) / 2;
    if (isWellAt(middle)) well = middle;
    else broken = middle;
  }
  return well;
}

/** Shares of a mix as rates. */
export const scaled = (mix: Record<string, number>, load: number): Record<string, number> =>
  Object.fromEntries(Object.entries(mix).map(([kind, share]) => [kind, share * load]));

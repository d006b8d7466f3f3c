import { wholeNumbers } from './numbers.ts';
import { breakingLoad, isWell, type Played, play, scaled } from './played.ts';
import { MIX, ONE_COUNTRY, type Population, rateAt, THE_WORLD } from './population.ts';
import { runBenchmark } from './run-benchmark.ts';
import { table } from './sides.ts';
import type { Cost, Setup } from './town.ts';

// `npm run bench -- simulate [--seed=N]`: plays days of a population against the service, by measured service times,
// and tells at which load each set-up breaks, and what of it first. Takes no machine but its own: see docs/scaling.md.
// `npm run bench -- scale` holds its prediction for one process against a real one.

/** In milliseconds, from docs/performance.md and docs/scaling.md. */
const COSTS: Record<string, Cost> = {
  list: { process: 0.34, database: 0.14 },
  completion: { process: 0.3, database: 0.3, disk: 0.6 },
};

/** A statement through Citus goes over the coordinator to a worker node: more CPU, and another network. */
const ON_CITUS: Record<string, Cost> = {
  list: { process: 0.34, database: 0.4 },
  completion: { process: 0.3, database: 1.1, disk: 0.6 },
};

const ONE: Setup = { processes: 1, databases: 1, cores: 2, pool: 10, network: 0.2, admitted: 1_000 };

const setups: { name: string; setup: Setup; costs: Record<string, Cost> }[] = [
  { name: 'one process, PostgreSQL on 2 cores', setup: ONE, costs: COSTS },
  { name: 'four processes, PostgreSQL on 4 cores', setup: { ...ONE, processes: 4, cores: 4 }, costs: COSTS },
  {
    name: 'the same, through PgBouncer',
    setup: { ...ONE, processes: 4, cores: 4, network: 0.3 },
    costs: COSTS,
  },
  { name: '16 processes, PostgreSQL on 16 cores', setup: { ...ONE, processes: 16, cores: 16 }, costs: COSTS },
  {
    name: '32 processes, Citus with 8 worker nodes of 8 cores',
    setup: { ...ONE, processes: 32, databases: 8, cores: 8, network: 0.6 },
    costs: ON_CITUS,
  },
];

/** Requests in a millisecond: no process does more. */
const PER_PROCESS = 4;

/** Reminders go off at the full hour: its first minute has more than its share. */
const REMINDED = 2.4;

const populations: { name: string; population: Population }[] = [
  ...[1_000, 1_000_000, 10_000_000].map((users) => ({
    name: `${users.toLocaleString('en')} users in one country`,
    population: { users, zones: ONE_COUNTRY, completions: 1, lists: 5 },
  })),
  ...[10_000_000, 100_000_000].map((users) => ({
    name: `${users.toLocaleString('en')} users all over the world`,
    population: { users, zones: THE_WORLD, completions: 1, lists: 5 },
  })),
];

const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const perSecond = (rate: number) => rate.toFixed(rate < 10 ? 2 : 0);
const milliseconds = (time: number) => time.toFixed(time < 10 ? 1 : 0);

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

function breaking(seed: number): string {
  const rows = setups.map(({ name, setup, costs }) => {
    const load = breakingLoad({ setup, costs, seconds: 6, seed }, MIX);
    const half = play({ setup, costs, seconds: 6, seed, rates: scaled(MIX, load / 2) });
    const over = play({ setup, costs, seconds: 6, seed, rates: scaled(MIX, 1.5 * load) });
    const { what, use } = over.busiest;
    return [
      name,
      perSecond(load),
      perSecond(load / 6),
      milliseconds(half.p99),
      `${what} (${percent(use)})`,
      `${perSecond(over.servedPerSecond)} served, ${percent(over.refused)} refused, ${percent(over.failed)} failed`,
    ];
  });
  const head = [
    'set-up',
    'breaks at requests/s',
    'completions/s',
    'p99 at half of it',
    'what is busiest then',
    'at 1.5 times',
  ];
  return table(head, rows);
}

/** What the busiest minute of a day is like, on the smallest set-up that is not broken by it. */
function days(seed: number): string {
  const rows = populations.map(({ name, population }) => {
    const peak = Math.max(...HOURS.map((hour) => rateAt(hour, population))) * REMINDED;
    for (const { name: on, setup, costs } of setups) {
      if (peak > 1_000 * setup.processes * PER_PROCESS) continue; // more events than are worth playing
      const played = play({ setup, costs, seconds: 4, seed, rates: scaled(MIX, peak) });
      if (!isWell(played)) continue;
      const { p99, busiest } = played;
      return [name, perSecond(peak), on, milliseconds(p99), `${percent(busiest.use)} of ${busiest.what}`];
    }
    return [name, perSecond(peak), 'none of these', '', ''];
  });
  return table(['population', 'requests/s at the peak', 'set-up', 'p99', 'used'], rows);
}

function misfortunes(seed: number): string {
  const citus = setups.at(-1) as (typeof setups)[number];
  const rates = scaled(MIX, 2_000);
  const usual = { ...citus, seconds: 20, seed, rates };
  const quiet = play(usual);
  const small = play({ ...usual, outage: { database: 3, from: 5, to: 15 } });
  const large = play({
    ...usual,
    setup: { ...citus.setup, pool: 50 },
    outage: { database: 3, from: 5, to: 15 },
  });
  const four = setups[1] as (typeof setups)[number];
  const talked = [0.2, 0.8].map((viral) =>
    play({ ...four, seconds: 10, seed, rates: scaled(MIX, 3_000), viral }),
  );
  const row = (what: string, { p99, p99Elsewhere, p99Viral, refused, failed, failedElsewhere }: Played) => [
    what,
    milliseconds(p99),
    p99Elsewhere ? `${milliseconds(p99Elsewhere)}, ${percent(failedElsewhere)} failed` : '',
    p99Viral ? milliseconds(p99Viral) : '',
    `${percent(refused)}, ${percent(failed)}`,
  ];
  return table(
    ['', 'p99', 'of other worker nodes', 'of the viral user', 'refused, failed'],
    [
      row('Citus, 2,000 requests/s', quiet),
      row('one of 8 worker nodes dead for 10 s, pools of 10', small),
      row('the same, pools of 50', large),
      ...talked.map((played, at) =>
        row(`one user makes ${percent([0.2, 0.8][at] ?? 0)} of 500 completions/s`, played),
      ),
    ],
  );
}

async function simulate(): Promise<void> {
  const { seed } = wholeNumbers({ seed: 1 });
  console.log(`--seed=${seed}\n`);
  for (const part of [breaking, days, misfortunes]) console.log(`${part(seed)}\n`);
}

await runBenchmark(simulate);

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../test/support/server.ts';
import { options, UsageError } from './built.ts';
import {
  type Figures,
  type Order,
  type Requests,
  startGenerator,
  type Times,
  timesOf,
  WINDOW,
} from './generator.ts';
import { runBenchmark } from './run-benchmark.ts';
import { type Service, seed, startService } from './service.ts';
import { cpuOf, cpuOfAll, memoryOf } from './usage.ts';

// `npm run bench -- overload [--seconds=N] [--times=N] [--sign-ups=PER_SECOND]`: what becomes of the service when
// it is asked for several times what it can carry, and for more sign-ups than it can hash. On Linux. Service,
// PostgreSQL and load share the machine, so what the load takes is missing elsewhere; the table shows how much.

/** As the service should have it: the server waits for its disk. */
const POSTGRES = { fsync: 'on', shared_buffers: '512MB' };

/** Lists and completions, as shares. */
const MIX = { list: 0.8, completion: 0.2 };

const ASKERS = [4, 8, 16, 32, 64];

const mixed = (rate: number) =>
  Object.fromEntries(Object.entries(MIX).map(([kind, share]) => [kind, share * rate]));

type Errand = Omit<Order, 'port'>;

interface Outcome extends Figures {
  servedPerSecond: number;
  live: Times;
  ready: Times;
  /** Questions about health that were answered otherwise than well. */
  unwell: number;
  /** Of the service in megabytes, every half second. */
  memory: number[];
  /** By process; the rest is what others did on this machine meanwhile. */
  cores: Record<'service' | 'database' | 'load' | 'rest', number>;
}

interface Bench {
  send: (errand: Errand) => Promise<Outcome>;
  close: () => void;
}

async function benchOn(service: Service, database: number, requests: Requests): Promise<Bench> {
  const agent = new http.Agent({ keepAlive: true });
  const generator = await startGenerator(requests);

  const isWell = (path: string) =>
    new Promise<boolean>((resolve) => {
      http
        .get({ host: '127.0.0.1', port: service.port, path, agent }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode === 200));
        })
        .once('error', () => resolve(false));
    });

  const send = async (errand: Errand): Promise<Outcome> => {
    const memory: number[] = [];
    let isOver = false;
    let unwell = 0;
    const askForHealth = async (path: string) => {
      const waits: number[] = [];
      while (!isOver) {
        const askedAt = performance.now();
        if (!(await isWell(path))) unwell += 1;
        waits.push(performance.now() - askedAt);
        await sleep(50);
      }
      return timesOf(waits);
    };
    const weighing = setInterval(() => memory.push(memoryOf(service.pid)), 500);
    const health = Promise.all(['/health/live', '/health/ready'].map(askForHealth));
    const spent = () => [cpuOf(service.pid), cpuOf(database), cpuOfAll(), performance.now() / 1_000];
    const before = spent();
    const figures = await generator.carryOut({ port: service.port, ...errand });
    const [ofService = 0, ofDatabase = 0, ofAll = 0, seconds = 1] = spent().map(
      (value, index) => value - (before[index] ?? 0),
    );
    isOver = true;
    clearInterval(weighing);
    const [live = timesOf([]), ready = timesOf([])] = await health;
    const served = Object.values(figures.served).reduce((sum, { count }) => sum + count, 0);
    const cores = {
      service: ofService / seconds,
      database: ofDatabase / seconds,
      load: figures.load,
      rest: (ofAll - ofService - ofDatabase) / seconds - figures.load,
    };
    return { ...figures, servedPerSecond: served / figures.seconds, live, ready, unwell, memory, cores };
  };

  return {
    send,
    close: () => {
      generator.stop();
      agent.destroy();
    },
  };
}

const shown = (value: number) => value.toFixed(Math.abs(value) < 10 ? 1 : 0);
const listed = (times: Times | undefined) =>
  times && times.count > 0 ? [times.p50, times.p99, times.longest].map(shown).join(' / ') : '';

/** Times in milliseconds: half of them were shorter than the first, 99 of 100 than the second, all than the last. */
const row = (what: string, outcome: Outcome) => ({
  '': what,
  'served/s': shown(outcome.servedPerSecond),
  lists: listed(outcome.served.list),
  completions: listed(outcome.served.completion),
  'sign-ups': listed(outcome.served['sign-up']),
  'refused/s': shown(outcome.refused.count / outcome.seconds),
  refusals: listed(outcome.refused),
  failed: outcome.failed,
  unsent: outcome.unsent,
  live: listed(outcome.live),
  ready: listed(outcome.ready),
  unwell: outcome.unwell,
  'sent late': listed(outcome.late),
  'cores: service': outcome.cores.service.toFixed(2),
  database: outcome.cores.database.toFixed(2),
  load: outcome.cores.load.toFixed(2),
  rest: outcome.cores.rest.toFixed(2),
});

/** In milliseconds, from when nothing more was asked than usual until nobody was refused or waited unusually long. */
function recovery(over: Outcome, after: Outcome, before: Outcome): number {
  const usual = 2 * Math.max(...before.windows.map(({ served }) => served.p99));
  const last = after.windows.findLastIndex(({ refused, served }) => refused > 0 || served.p99 > usual);
  return over.drained + (last + 1) * WINDOW;
}

function readNumbers() {
  const given = {
    seconds: '60',
    times: '4',
    'sign-ups': '100',
    ...options(['seconds', 'times', 'sign-ups']),
  };
  const whole = (name: keyof typeof given) => {
    if (/^[1-9]\d{0,4}$/.test(given[name])) return Number(given[name]);
    throw new UsageError(`--${name} must be a positive whole number, and is "${given[name]}"`);
  };
  return { seconds: whole('seconds'), times: whole('times'), signUps: whole('sign-ups') };
}

async function measure({ send }: Bench): Promise<void> {
  const { seconds, times, signUps } = readNumbers();
  const rows: ReturnType<typeof row>[] = [];
  const step = async (what: string, errand: Errand) => {
    const outcome = await send(errand);
    rows.push(row(what, outcome));
    console.log(`${what}: ${shown(outcome.servedPerSecond)} served per second`);
    return outcome;
  };

  await step('warming up', { seconds: 6, askers: 16, rates: MIX });
  let best = 0;
  for (const askers of ASKERS) {
    const { servedPerSecond } = await step(`${askers} at a time`, { seconds: 4, askers, rates: MIX });
    best = Math.max(best, servedPerSecond);
  }
  const before = await step('half of the best', { seconds: 5, rates: mixed(best / 2) });
  const over = await step(`${times} times the best`, { seconds, rates: mixed(best * times) });
  const after = await step('half of the best, at once afterwards', { seconds: 10, rates: mixed(best / 2) });
  const lists = { list: best / 4 };
  await step('lists alone', { seconds: 10, rates: lists });
  const hashing = await step(`lists, and ${signUps} sign-ups a second`, {
    seconds: 20,
    rates: { ...lists, 'sign-up': signUps },
  });
  console.table(rows);

  const memory = over.memory.filter((_, index) => index % Math.ceil(over.memory.length / 12) === 0);
  const tell = (promise: string, measured: string, isKept: boolean) => ({ promise, measured, isKept });
  const share = over.servedPerSecond / best;
  const soon = recovery(over, after, before);
  const listP99 = hashing.served.list?.p99 ?? Number.NaN;
  const health = [over.live, over.ready];
  console.table([
    tell('at least 70 % of the best goes on', `${shown(share * 100)} %`, share >= 0.7),
    tell('refused within 50 ms (p99)', `${shown(over.refused.p99)} ms`, over.refused.p99 <= 50),
    tell(
      'health within 100 ms (p99)',
      `${health.map(({ p99 }) => shown(p99)).join(' and ')} ms`,
      over.unwell === 0 && health.every(({ p99 }) => p99 <= 100),
    ),
    tell('nothing but answers and refusals', `${over.failed} failed`, over.failed === 0),
    tell('normal within 2 s', `${shown(soon)} ms`, soon <= 2_000),
    tell('lists under 25 ms beside sign-ups (p99)', `${shown(listP99)} ms`, listP99 < 25),
    tell('surplus sign-ups refused', `${hashing.refused.count} refused`, hashing.failed === 0),
  ]);
  console.log(`Memory of the service during the overload, in MB: ${memory.map(shown).join(' ')}`);
}

async function benchmark(): Promise<void> {
  readNumbers();
  const server = await startPostgres(POSTGRES);
  try {
    await server.execute('create database steady');
    const url = server.url('steady');
    const requests = await seed(url);
    const service = await startService({ DATABASE_URL: url });
    const bench = await benchOn(service, server.process().pid ?? 0, requests);
    await measure(bench).finally(async () => {
      bench.close();
      await service.stop();
    });
  } finally {
    await server.stop();
  }
}

await runBenchmark(benchmark);

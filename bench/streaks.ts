import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.js';
import { type PostgresServer, startPostgres } from '../test/support/server.ts';
import {
  dayOf,
  listenOnServer,
  model,
  openServer,
  options,
  StreakJob,
  systemClock,
  UsageError,
  unhurried,
} from './built.ts';
import { underLoad, type Waits } from './load.ts';
import { WatchedDatabase } from './watch.ts';

// `npm run bench:streaks -- [--users=N] [--rate=PER_SECOND] [--rounds=N]`: the streak job, with three users in
// ten to correct, next to a bare update of the same rows, on a server of its own.

/** As the service should have it: the server waits for its disk. Vacuum comes when the benchmark says so. */
const SETTINGS = {
  fsync: 'on',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  autovacuum: 'off',
  max_parallel_workers_per_gather: '0',
};

/** `admin` has no time limits, `service` those of requests. */
interface Copy {
  admin: Database;
  service: WatchedDatabase;
}

interface Figure {
  milliseconds: number;
  rows?: number;
  /** In milliseconds; no row is locked for longer. */
  longestStatement?: number;
  waits?: Waits;
}

const isBroken = () => sql`current_streak > 0 and last_active_on < ${dayOf(systemClock.now())}::date - 1`;

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now();
  const result = await work();
  return [result, performance.now() - startedAt];
}

async function nothing(): Promise<Figure> {
  const [, milliseconds] = await timed(() => sleep(10_000));
  return { milliseconds };
}

async function sequentialScan({ admin }: Copy): Promise<Figure> {
  const scan = sql`select count(*) from user_progress where last_active_on < '2000-01-01'`;
  const [, milliseconds] = await timed(() => scan.execute(admin.query()));
  return { milliseconds };
}

async function bareUpdate({ admin }: Copy): Promise<Figure> {
  const update = sql`update user_progress set current_streak = 0 where ${isBroken()}`;
  const [{ numAffectedRows }, milliseconds] = await timed(() => update.execute(admin.query()));
  return { milliseconds, rows: Number(numAffectedRows), longestStatement: milliseconds };
}

async function job({ service }: Copy): Promise<Figure> {
  service.statements = [];
  const [{ corrected }, milliseconds] = await timed(() => new StreakJob(service, systemClock).run());
  const longestStatement = Math.max(...service.statements.map((statement) => statement.milliseconds));
  return { milliseconds, rows: corrected, longestStatement };
}

async function jobWithNothingToDo(copy: Copy): Promise<Figure> {
  await job(copy);
  await sql`vacuum analyze user_progress`.execute(copy.admin.query());
  await sql`checkpoint`.execute(copy.admin.query());
  const figure = await job(copy);
  console.log(`The job with nothing to do goes by:\n  ${(await copy.service.plans()).join('\n  ')}`);
  return figure;
}

/** Each measurement has a database of its own, file by file the same, with nothing left to write. */
async function onCopy(server: PostgresServer, measure: (copy: Copy) => Promise<Figure>): Promise<Figure> {
  await server.execute('create database copy template seeded strategy file_copy');
  const url = server.url('copy');
  const admin = await openServer(model, { url, poolSize: 1, patience: unhurried });
  const { orm, description } = await openServer(model, { url, poolSize: 10 });
  const service = new WatchedDatabase(orm, description, listenOnServer(url));
  try {
    await sequentialScan({ admin, service }); // into memory
    await sql`checkpoint`.execute(admin.query());
    return await measure({ admin, service });
  } finally {
    await service.close();
    await admin.close();
    await server.execute('drop database copy');
  }
}

async function seed(server: PostgresServer, users: number): Promise<void> {
  await server.execute('create database seeded');
  const url = server.url('seeded');
  const args = [`--users=${users}`, '--tasks=1', '--completions=3', '--broken=30'];
  const { status } = spawnSync(process.execPath, ['dist/src/commands/seed.js', ...args], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url },
  });
  if (status !== 0) throw new Error('Seeding failed');
  const database = await openServer(model, { url, poolSize: 1, patience: unhurried });
  await sql`vacuum analyze`.execute(database.query());
  await database.close();
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const shown = (value: number | undefined) => (value === undefined ? '' : value.toFixed(value < 10 ? 1 : 0));

/** Times are the median of all rounds with every round's beside it; everything else is the worst of them. */
function summary(what: string, figures: Figure[], bare: number) {
  const time = median(figures.map(({ milliseconds }) => milliseconds));
  const rows = figures[0]?.rows;
  const longest = Math.max(...figures.map(({ longestStatement = 0 }) => longestStatement));
  const waits = figures.flatMap((figure) => figure.waits ?? []);
  const worst = (pick: (waits: Waits) => number) =>
    waits.length > 0 ? shown(Math.max(...waits.map(pick))) : '';
  return {
    '': what,
    ms: shown(time),
    'each round': figures.map(({ milliseconds }) => shown(milliseconds)).join(' '),
    'rows/s': rows ? shown((rows / time) * 1_000) : '',
    'x bare': shown(time / bare),
    'longest statement': longest > 0 ? shown(longest) : '',
    'wait p50': worst(({ p50 }) => p50),
    p99: worst(({ p99 }) => p99),
    max: worst(({ longest }) => longest),
    'over 50': worst(({ over50 }) => over50),
    failed: worst(({ failed }) => failed),
  };
}

function readNumbers() {
  const given = { users: '1000000', rate: '400', rounds: '3', ...options(['users', 'rate', 'rounds']) };
  const whole = (name: keyof typeof given) => {
    if (/^[1-9]\d{0,7}$/.test(given[name])) return Number(given[name]);
    throw new UsageError(`--${name} must be a positive whole number, and is "${given[name]}"`);
  };
  return { users: whole('users'), rate: whole('rate'), rounds: whole('rounds') };
}

async function benchmark(): Promise<void> {
  const { users, rate, rounds } = readNumbers();
  const whileCompleting = (measure: (copy: Copy) => Promise<Figure>) => async (copy: Copy) => {
    const [figure, waits] = await underLoad(copy.service, rate, () => measure(copy));
    return { ...figure, waits };
  };
  const measurements = {
    'one sequential scan': sequentialScan,
    'bare update': bareUpdate,
    job,
    'completions alone': whileCompleting(nothing),
    'job + completions': whileCompleting(job),
    'bare update + completions': whileCompleting(bareUpdate),
  };
  const server = await startPostgres(SETTINGS);
  try {
    await seed(server, users);
    const figures: Record<string, Figure[]> = {};
    for (let round = 1; round <= rounds; round += 1) {
      for (const [what, measure] of Object.entries(measurements)) {
        const figure = await onCopy(server, measure);
        console.log(`Round ${round}, ${what}: ${shown(figure.milliseconds)} ms`);
        figures[what] = [...(figures[what] ?? []), figure];
      }
    }
    figures['job, nothing to do'] = [await onCopy(server, jobWithNothingToDo)];
    const bare = median(figures['bare update']?.map(({ milliseconds }) => milliseconds) ?? []);
    console.table(Object.entries(figures).map(([what, found]) => summary(what, found, bare)));
  } finally {
    await server.stop();
  }
}

await benchmark();

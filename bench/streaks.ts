import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.js';
import { type PostgresServer, startPostgres } from '../test/support/server.ts';
import { dayOf, model, openServer, readConfig, StreakJob, systemClock, unhurried } from './built.ts';
import { underLoad, type Waits } from './load.ts';
import { wholeNumbers } from './numbers.ts';
import { runBenchmark } from './run-benchmark.ts';
import { plansOf, type Statement, watch } from './watch.ts';

// `npm run bench -- streaks [--users=N] [--rate=PER_SECOND] [--rounds=N]`: the streak job, with three users in ten to
// correct, beside a bare update of the same rows, on a server of its own.

/**
 * As recommended for production: the server waits for its disk. Autovacuum is off: the benchmark runs vacuum itself.
 */
const SETTINGS = {
  fsync: 'on',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  autovacuum: 'off',
  max_parallel_workers_per_gather: '0',
};

/** `admin` has no time limits, `service` has those of requests. */
interface Copy {
  admin: Database;
  service: Database;
  /** The statements that the job sent to the service's database. */
  statements: Statement[];
}

interface Figure {
  milliseconds: number;
  rows?: number;
  /** In milliseconds: no row was locked for longer than this. */
  longestLock?: number;
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
  return { milliseconds, rows: Number(numAffectedRows), longestLock: milliseconds };
}

async function job({ service, statements }: Copy): Promise<Figure> {
  statements.splice(0);
  const [{ corrected }, milliseconds] = await timed(() => new StreakJob(service, systemClock).run());
  const corrections = statements.filter(({ rows: [row] }) => (row as Correction | undefined)?.corrected);
  const longestLock = Math.max(...corrections.map((statement) => statement.milliseconds));
  return { milliseconds, rows: corrected, longestLock };
}

interface Correction {
  corrected?: number;
}

async function jobWithNothingToDo(copy: Copy): Promise<Figure> {
  const { admin, statements } = copy;
  await job(copy);
  await sql`vacuum analyze user_progress`.execute(admin.query());
  await sql`checkpoint`.execute(admin.query());
  const { milliseconds } = await job(copy);
  console.log(`The job with nothing to do goes by:\n  ${(await plansOf(statements, admin)).join('\n  ')}`);
  return { milliseconds };
}

/** Each measurement has a copy of the database, equal file by file and with no dirty pages left to write. */
async function onCopy(server: PostgresServer, measure: (copy: Copy) => Promise<Figure>): Promise<Figure> {
  await server.execute('create database copy template seeded strategy file_copy');
  const url = server.url('copy');
  const admin = await openServer(model, { url, poolSize: 1, patience: unhurried });
  const { patience } = readConfig({}).timeouts;
  const service = await openServer(model, { url, poolSize: 10, patience });
  const copy = { admin, service, statements: watch(service) };
  try {
    await sequentialScan(copy); // loads the table into memory
    await sql`checkpoint`.execute(admin.query());
    return await measure(copy);
  } finally {
    await service.close();
    await admin.close();
    await server.execute('drop database copy');
  }
}

async function seed(server: PostgresServer, users: number): Promise<void> {
  await server.execute('create database seeded');
  const url = server.url('seeded');
  const args = [`--users=${users}`, '--tasks=1', '--completions=3', '--broken=30', '--yes'];
  const { status } = spawnSync(process.execPath, ['dist/src/commands/seed.js', ...args], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url },
  });
  if (status !== 0) throw new Error('Seeding failed');
}

const shown = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const listed = (values: number[]) => values.map(shown).join(' ');
const least = (figures: Figure[] = []) => Math.min(...figures.map(({ milliseconds }) => milliseconds));

/** The time is that of the fastest round, which was disturbed least. All other columns show every round. */
function summary(what: string, figures: Figure[], bare: number) {
  const time = least(figures);
  const rows = figures[0]?.rows ?? 0;
  const waits = figures.flatMap((figure) => figure.waits ?? []);
  return {
    '': what,
    ms: shown(time),
    'each round': listed(figures.map(({ milliseconds }) => milliseconds)),
    'rows/s': rows > 0 ? shown((rows / time) * 1_000) : '',
    'x bare': rows > 0 ? shown(time / bare) : '',
    'longest lock': listed(figures.flatMap(({ longestLock }) => longestLock ?? [])),
    'wait p50': listed(waits.map(({ p50 }) => p50)),
    'wait p99': listed(waits.map(({ p99 }) => p99)),
    'wait max': listed(waits.map(({ longest }) => longest)),
    'over 50': waits.map(({ over50 }) => over50).join(' '),
    failed: waits.map(({ failed }) => failed).join(' '),
  };
}

async function benchmark(): Promise<void> {
  const { users, rate, rounds } = wholeNumbers({ users: 1_000_000, rate: 400, rounds: 3 });
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
    const bare = least(figures['bare update']);
    console.table(Object.entries(figures).map(([what, found]) => summary(what, found, bare)));
  } finally {
    await server.stop();
  }
}

await runBenchmark(benchmark);

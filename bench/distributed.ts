import { sql } from 'kysely';
import type { Database } from '../src/database/database.js';
import type { Patience } from '../src/database/server/limits.js';
import { dropOnNodes, execute, newOnNodes } from '../test/support/citus.ts';
import { startPostgres } from '../test/support/server.ts';
import {
  counting,
  dayOf,
  distribute,
  distributionOf,
  functionsOf,
  model,
  openServer,
  readConfig,
  StreakJob,
  systemClock,
  UsageError,
  unhurried,
} from './built.ts';
import { underLoad } from './load.ts';
import { wholeNumbers } from './numbers.ts';
import { runBenchmark } from './run-benchmark.ts';
import { median, table } from './sides.ts';

// `BENCH_DATABASE_URL=postgres://… npm run bench -- distributed [--users=N] [--rate=N] [--seconds=N] [--rounds=N]`: one
// PostgreSQL server beside a cluster with Citus, whose coordinator the variable names, each with a database of its own.
// Completions as a statement and as a function; how long one waits beside the streak job; and what a worker node costs
// that is added under load. The servers do not wait for their disks.

const ASKERS = 8;

const SETTINGS = { fsync: 'off', autovacuum: 'off', max_wal_size: '8GB' };

interface Side {
  name: string;
  url: string;
  /** Some of all. */
  tasks: OneTask[];
  database: Database;
  /** Without the limits of requests, which the slowest way would meet. */
  patient: Database;
}

interface OneTask {
  userId: string;
  taskId: number;
}

const completionOf = (task: OneTask) => {
  const at = systemClock.now();
  return { ...task, at, day: dayOf(at), recordedAt: at, idempotencyKey: null };
};

async function seed(database: Database, users: number): Promise<OneTask[]> {
  const query = database.query();
  await sql`
    insert into users (id, email, name, password_hash, created_at, updated_at)
    select gen_random_uuid(), 'user' || number || '@example.com', 'User', 'none', now(), now()
    from generate_series(1, ${users}::int) number`.execute(query);
  await sql`
    insert into user_progress (user_id, points, current_streak, max_streak, last_active_on, run_started_on, longest_run)
    select id, 0, 5, 5, current_date - 3, current_date - 7, 5 from users`.execute(query);
  await sql`
    insert into tasks (user_id, title, points, is_daily_routine, completion_count, created_at, updated_at)
    select id, 'Drink a glass of water', 10, true, 0, now(), now() from users`.execute(query);
  const { rows } = await sql<OneTask>`
    select user_id as "userId", id as "taskId" from tasks order by random() limit 10000`.execute(query);
  return rows;
}

interface Round {
  perSecond: number;
  p50: number;
  p99: number;
}

/** So many at a time, each for somebody at random. */
async function round(
  tasks: OneTask[],
  seconds: number,
  complete: (task: OneTask) => Promise<unknown>,
): Promise<Round> {
  const waits: number[] = [];
  const startedAt = performance.now();
  const ask = async () => {
    while (performance.now() - startedAt < seconds * 1_000) {
      const task = tasks[Math.floor(Math.random() * tasks.length)] as OneTask;
      const askedAt = performance.now();
      await complete(task);
      waits.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: ASKERS }, ask));
  waits.sort((one, other) => one - other);
  const at = (share: number) => waits[Math.floor(share * (waits.length - 1))] ?? Number.NaN;
  return { perSecond: waits.length / seconds, p50: at(0.5), p99: at(0.99) };
}

/** As the service sends it: on Citus, the statement is the function. */
async function waysOf({ name, url, patient }: Side) {
  const { create, call } = functionsOf(counting.change);
  const asked = (form: typeof counting) => (task: OneTask) => patient.run(form, completionOf(task));
  if (name !== 'PostgreSQL') return { function: asked(counting) };
  await execute(url, ...create);
  return { statement: asked(counting), function: asked(call as typeof counting) };
}

async function compareWays(sides: Side[], seconds: number, rounds: number): Promise<string> {
  const ways: { name: string; run: (seconds: number) => Promise<Round>; rounds: Round[] }[] = [];
  for (const side of sides)
    for (const [way, complete] of Object.entries(await waysOf(side)))
      ways.push({
        name: `${way}, ${side.name}`,
        run: (each) => round(side.tasks, each, complete),
        rounds: [],
      });
  for (const { run } of ways) await run(2);
  for (let number = 0; number < rounds; number += 1)
    for (const { run, rounds } of ways) rounds.push(await run(seconds));
  const rows = ways.map(({ name, rounds }) => {
    const of = (read: (round: Round) => number, digits: number) => median(rounds.map(read)).toFixed(digits);
    return [name, of(({ perSecond }) => perSecond, 0), of(({ p50 }) => p50, 1), of(({ p99 }) => p99, 1)];
  });
  return table([`completions, ${ASKERS} at a time`, 'per second', 'p50 (ms)', 'p99 (ms)'], rows);
}

/** A row of figures: how long it took, and what those waited who completed tasks meanwhile. */
async function beside(side: Side, what: string, rate: number, work: () => Promise<unknown>) {
  const startedAt = performance.now();
  const [seconds, waits] = await underLoad(side.database, rate, async () => {
    await work();
    return (performance.now() - startedAt) / 1_000;
  });
  const { completions, p50, p99, longest, failed } = waits;
  const times = [p50, p99, longest].map((each) => each.toFixed(1));
  return [`${what}, ${side.name}`, seconds.toFixed(1), String(completions), ...times, String(failed)];
}

/** Takes all shards off the last worker node. Adding it then moves half of them there, while they are used. */
async function lastNodeAside({ url }: Side): Promise<() => Promise<unknown>> {
  const nodes = await execute(
    url,
    `select quote_literal(nodename) || ', ' || nodeport as node from pg_dist_node
     where noderole = 'primary' and groupid > 0 order by nodeid`,
  );
  const node = nodes.at(-1)?.node;
  await execute(url, `select citus_drain_node(${node}, 'block_writes')`);
  return () =>
    execute(
      url,
      `select citus_set_node_property(${node}, 'shouldhaveshards', true)`,
      `select rebalance_table_shards(shard_transfer_mode => 'auto')`,
    );
}

async function open(name: string, url: string, users: number): Promise<Side> {
  const admin = await openServer(model, { url, poolSize: 1, patience: unhurried });
  if (name === 'Citus') await distribute(admin.query(), await distributionOf(admin.query(), model.layout));
  const tasks = await seed(admin, users);
  await admin.close();
  const opened = (patience: Patience) => openServer(model, { url, poolSize: 10, patience });
  const { patience } = readConfig({}).timeouts;
  return { name, url, tasks, database: await opened(patience), patient: await opened(unhurried) };
}

async function benchmark(): Promise<void> {
  const coordinator = process.env.BENCH_DATABASE_URL;
  if (!coordinator)
    throw new UsageError('BENCH_DATABASE_URL names no database with Citus. See docs/citus.md.');
  const { users, rate, seconds, rounds } = wholeNumbers({ users: 100_000, rate: 100, seconds: 5, rounds: 3 });
  const server = await startPostgres(SETTINGS);
  const sides: Side[] = [];
  try {
    await server.execute('create database steady');
    await dropOnNodes(coordinator);
    sides.push(await open('PostgreSQL', server.url('steady'), users));
    sides.push(await open('Citus', await newOnNodes(coordinator, 'bench'), users));
    console.log(`${await compareWays(sides, seconds, rounds)}\n`);

    const rows: string[][] = [];
    for (const side of sides) {
      const job = new StreakJob(side.database, systemClock);
      rows.push(await beside(side, 'the streak job', rate, () => job.run()));
    }
    const citus = sides.at(-1) as Side;
    rows.push(await beside(citus, 'a worker node is added', rate, await lastNodeAside(citus)));
    console.log(
      table(['beside', 'seconds', 'completions', 'p50 (ms)', 'p99 (ms)', 'longest', 'failed'], rows),
    );
  } finally {
    for (const { database, patient } of sides) await Promise.all([database.close(), patient.close()]);
    await dropOnNodes(coordinator);
    await server.stop();
  }
}

await runBenchmark(benchmark);

import { sql } from 'kysely';
import type { Database } from '../../src/database/database.js';
import type { Patience } from '../../src/database/server/connect.js';
import { dropOnNodes, execute, newOnNodes } from '../../test/support/citus.ts';
import { question, UsageError } from '../bench.ts';
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
  unhurried,
} from '../built.ts';
import { median, type Times, table, timesOf } from '../figures.ts';
import { underLoad } from '../load.ts';

// One PostgreSQL server beside a cluster with Citus, whose coordinator BENCH_DATABASE_URL names, each with a database
// of its own: completions as a statement and as a function, and how long one waits beside the streak job. The servers
// do not wait for their disks.

const ASKERS = 8;

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
  return { ...task, at, day: dayOf(at), recordedAt: at, idempotencyKey: null, amount: null, note: null };
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

interface Round extends Times {
  perSecond: number;
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
  return { perSecond: waits.length / seconds, ...timesOf(waits) };
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

/** A row of figures: how long the streak job took, and what those waited who completed tasks meanwhile. */
async function besideJob({ name, database }: Side, rate: number) {
  const startedAt = performance.now();
  const [seconds, waits] = await underLoad(database, rate, async () => {
    await new StreakJob(database, systemClock).run();
    return (performance.now() - startedAt) / 1_000;
  });
  const { count, p50, p99, longest, failed } = waits;
  const times = [p50, p99, longest].map((each) => each.toFixed(1));
  return [name, seconds.toFixed(1), String(count), ...times, String(failed)];
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

const HEAD = ['beside the streak job', 'seconds', 'completions', 'p50 (ms)', 'p99 (ms)', 'longest', 'failed'];

const options = { users: 100_000, rate: 100, seconds: 5, rounds: 3 };

export default question(options, async (bench, { users, rate, seconds, rounds }) => {
  const coordinator = process.env.BENCH_DATABASE_URL;
  if (!coordinator)
    throw new UsageError('BENCH_DATABASE_URL names no database with Citus. See docs/scaling.md.');
  const server = await bench.postgres({ fsync: 'off' });
  const sides: Side[] = [];
  const opened = async (name: string, url: string) => {
    const side = await open(name, url, users);
    bench.defer(() => Promise.all([side.database.close(), side.patient.close()]));
    sides.push(side);
  };
  bench.defer(() => dropOnNodes(coordinator));
  await dropOnNodes(coordinator);
  await opened('PostgreSQL', server.url('steady'));
  await opened('Citus', await newOnNodes(coordinator, 'bench'));
  console.log(`${await compareWays(sides, seconds, rounds)}\n`);

  const rows: string[][] = [];
  for (const side of sides) rows.push(await besideJob(side, rate));
  console.log(table(HEAD, rows));
});

import type pg from 'pg';
import type { PostgresServer } from '../../test/support/server.ts';
import { check } from '../answers.ts';
import { AS_IT_COMES, type Bench, question, UsageError } from '../bench.ts';
import {
  type Contest,
  contests,
  EMBEDDED_KINDS,
  kinds,
  of,
  type Round,
  STORM,
  storm,
  type Who,
} from '../contests.ts';
import { type Cost, costOf, totalOf } from '../cost.ts';
import { measureCrowds } from '../crowds.ts';
import { median, spread, table } from '../figures.ts';
import type { Generator } from '../generator.ts';
import { type Server, seedUsers, signUp } from '../service.ts';
import { memoryOf, peakOf } from '../usage.ts';

// What does a request cost beside a baseline (`baseline.ts`) that answers the same, and beside itself under other
// conditions?

const TASKS = 20;
const EMBEDDED = { users: 50, tasks: TASKS, completions: 100 };

/** The baseline's tables are the same, but for their indexes: those that its own answers need. */
const OWN_INDEXES = [
  'drop index task_completions_task_id_day_index',
  'drop index task_completions_user_id_day_index',
  'create index on task_completions (user_id, completed_at)',
  'create index on task_completions (task_id, completed_at)',
];

/** The baseline and the service, each on a database of its own, which hold the same. */
async function openOnServer(bench: Bench, postgres: PostgresServer, seeded: Seeded) {
  const environment = { DATABASE_URL: postgres.url('steady') };
  const users = await seedUsers(environment, seeded);
  let database = await bench.client(environment.DATABASE_URL);
  await database.query(`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select user_id, 1 + row_number() over () % 7, 'ACTIVE', now(), now(), now() from user_progress`);
  await database.end();
  await postgres.execute('create database baseline template steady');
  database = await bench.client(environment.DATABASE_URL);
  const ofBaseline = await bench.client(postgres.url('baseline'));
  for (const change of OWN_INDEXES) await ofBaseline.query(change);
  for (const each of [ofBaseline, database]) await each.query('vacuum analyze');
  await database.query('checkpoint');
  const [baseline, service] = await Promise.all([
    bench.script('./baseline.ts', { DATABASE_URL: postgres.url('baseline') }),
    bench.service(environment),
  ]);
  await check([baseline.port, service.port], users, [ofBaseline, database]);
  return {
    servers: { baseline, service },
    requests: Object.fromEntries(
      Object.keys(kinds).map((kind) => [kind, users.map((user) => of(kind, user))]),
    ),
    users,
    database,
  };
}

type Seeded = Parameters<typeof seedUsers>[1];

async function openEmbedded(bench: Bench, environment: Record<string, string>) {
  const users = await seedUsers(environment, EMBEDDED);
  const requests = EMBEDDED_KINDS.map((kind) => [`embedded ${kind}`, users.map((user) => of(kind, user))]);
  return {
    servers: { embedded: await bench.service(environment) },
    requests: Object.fromEntries(requests),
  };
}

interface Sides {
  servers: Partial<Record<Round['who'], Server>>;
  generator: Generator;
  signingUp: Generator;
  /** The process of PostgreSQL, and a session in it. */
  database: number;
  session: pg.Client;
}

type Numbers = Record<'rounds' | 'seconds' | 'askers', number>;

/** In rounds: code takes some ten thousand requests to become as fast as it will be. */
const WARMING = 4;

/** Rounds alternate, and so does who comes first: whatever else the machine does meets both. */
async function compare(sides: Sides, { name, base, subject }: Contest, numbers: Numbers): Promise<Measured> {
  const { rounds } = numbers;
  const seconds = numbers.seconds * WARMING;
  const found: Measured = { name, base: [], subject: [] };
  for (const round of [base, subject]) await measure(sides, round, { ...numbers, seconds });
  for (let count = 0; count < rounds; count += 1) {
    const both = [
      { round: base, costs: found.base },
      { round: subject, costs: found.subject },
    ];
    for (const { round, costs } of count % 2 === 0 ? both : both.reverse()) {
      costs.push(await measure(sides, round, numbers));
    }
  }
  return found;
}

async function measure(sides: Sides, { who, kind, isInStorm }: Round, { seconds, askers }: Numbers) {
  const { servers, generator, database, signingUp, session } = sides;
  const server = servers[who];
  if (!server) throw new Error(`${who} was not started`);
  const signUps = isInStorm
    ? signingUp.carryOut({ port: server.port, seconds, kind: 'sign-up', perSecond: STORM })
    : undefined;
  const onServer = who === 'embedded' ? { generator } : { generator, database };
  const writes = who !== 'embedded' && kind.endsWith('complete');
  if (writes) await session.query('checkpoint'); // after which each page is written whole once
  const before = await written(session);
  const cost = await costOf(server, onServer, { seconds, askers, kind });
  if (writes) cost.wal = ((await written(session)) - before) / (cost.perSecond * seconds);
  const { failed = 0, served } = (await signUps) ?? {}; // the surplus is refused, and that is no failure
  if (failed > 0 || served?.count === 0) throw new Error(`${failed} sign-ups failed`);
  return cost;
}

async function written(session: pg.Client): Promise<number> {
  const { rows } = await session.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`);
  return Number(rows[0].bytes);
}

function contestsNamed(part: string): Contest[] {
  const chosen = contests.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `--only is no part of these names:${contests.map(({ name }) => `\n  ${name}`).join('')}`,
  );
}

interface Measured {
  name: string;
  /** A cost for each round. */
  base: Cost[];
  subject: Cost[];
}

const middle = (costs: Cost[], part: keyof Cost, digits: number) =>
  median(costs.map((cost) => cost[part] ?? Number.NaN)).toFixed(digits);

const walOf = (costs: Cost[]) => (costs.some(({ wal }) => wal !== undefined) ? middle(costs, 'wal', 0) : '');

/** Of each pair of rounds: what the one took over what the other took. */
const ratios = (over: Cost[], under: Cost[], read: (cost: Cost) => number) =>
  over.map((cost, at) => read(cost) / read(under[at] ?? cost));

function report(found: Measured[]): void {
  const rows = found
    .filter(({ name }) => name !== storm.name)
    .map(({ name, base, subject }) => {
      const cpu = (costs: Cost[]) =>
        costs.some(({ database }) => database > 0)
          ? `${middle(costs, 'node', 3)} + ${middle(costs, 'database', 3)}`
          : `${middle(costs, 'node', 3)} in all`;
      return [
        name,
        cpu(base),
        cpu(subject),
        spread(ratios(base, subject, totalOf), 2),
        ...[base, subject].map((costs) => middle(costs, 'perSecond', 0)),
        ...[base, subject].map((costs) => middle(costs, 'p99', 1)),
        ...[base, subject].map(walOf),
      ];
    });
  const head = ['CPU ms a request', 'baseline: node + pg', 'service: node + pg', 'baseline ÷ service'];
  if (rows.length > 0)
    console.log(
      table(
        [
          ...[...head, 'baseline/s', 'service/s', 'baseline p99 ms', 'service p99 ms'],
          ...['baseline WAL B', 'service WAL B'],
        ],
        rows,
      ),
    );
  const stormy = found.find(({ name }) => name === storm.name);
  if (!stormy) return;
  const { name, base, subject } = stormy;
  const p99 = ratios(subject, base, (cost) => cost.p99);
  const waits = [subject, base].map((costs) => `${middle(costs, 'p99', 1)} ms`);
  console.log(`\n${name}: ${waits.join(' ÷ ')} = ${spread(p99, 2)}`);
}

/** `--users=10000 --completions=200` is a grown database: two million completions. `settings=own`: as PostgreSQL comes. */
const options = {
  ...{ only: '', rounds: 3, seconds: 2.5, askers: 64 },
  ...{ users: 500, completions: 100, settings: 'tuned' },
};

export default question(options, async (bench, { only, users, completions, settings, ...numbers }) => {
  const chosen = contestsNamed(only);
  const isWanted = (who: Who) => chosen.some(({ base, subject }) => base.who === who || subject.who === who);
  const postgres = await bench.postgres(settings === 'own' ? AS_IT_COMES : {});
  const [onServer, embedded] = await Promise.all([
    openOnServer(bench, postgres, { users, tasks: TASKS, completions }),
    isWanted('embedded') ? openEmbedded(bench, { DATABASE_URL: '', DATA_DIR: bench.directory() }) : undefined,
  ]);
  const { rows } = await onServer.database.query('show server_version');
  console.log(`PostgreSQL ${rows[0].server_version}, ${users} users with ${completions} completions each`);
  const servers = { ...onServer.servers, ...embedded?.servers };
  const sides: Sides = {
    servers,
    generator: await bench.generator({ ...onServer.requests, ...embedded?.requests }),
    signingUp: await bench.generator({ 'sign-up': [signUp()] }),
    database: postgres.process().pid ?? 0,
    session: onServer.database,
  };
  const found: Measured[] = [];
  for (const contest of chosen) {
    console.log(contest.name);
    found.push(await compare(sides, contest, numbers));
  }
  console.log();
  report(found);
  const { service } = servers;
  if (service && chosen.length === contests.length) await measureCrowds(service.port, onServer.users);
  const held = Object.entries(servers).map(
    ([who, { pid }]) => `${who} ${memoryOf(pid).toFixed(0)} (peak ${peakOf(pid).toFixed(0)})`,
  );
  console.log(`\nMemory at the end, in MB: ${held.join(', ')}`);
});

import { writeFileSync } from 'node:fs';
import type pg from 'pg';
import { around, ask, check } from '../answers.ts';
import { type Bench, question, UsageError } from '../bench.ts';
import {
  besideBaseline,
  type Contest,
  contests,
  kinds,
  of,
  type Round,
  STORM,
  storm,
  type Who,
} from '../contests.ts';
import { type Cost, costOf, totalOf } from '../cost.ts';
import { measureCrowds } from '../crowds.ts';
import { median, table } from '../figures.ts';
import type { Generator, Order, Requests } from '../generator.ts';
import { type Server, seedUsers, signUp } from '../service.ts';
import { memoryOf, peakOf } from '../usage.ts';

// What does a request cost beside a baseline (`baseline.ts`) that answers the same, and beside itself under other
// conditions?

const SEEDED = { users: 500, tasks: 20, completions: 100 };
const EMBEDDED = { ...SEEDED, users: 50 };

/** The baseline and the service, on one database. */
async function openOnServer(bench: Bench, environment: Record<string, string>, database: pg.Client) {
  const users = await seedUsers(environment, SEEDED);
  await database.query(`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select user_id, 1 + row_number() over () % 7, 'ACTIVE', now(), now(), now() from user_progress`);
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  const [baseline, service] = await Promise.all([
    bench.script('./baseline.ts', environment),
    bench.service(environment),
  ]);
  return {
    servers: { baseline, service },
    requests: Object.fromEntries(
      Object.keys(kinds).map((kind) => [kind, users.map((user) => of(kind, user))]),
    ),
    lengths: await check([baseline.port, service.port], users, database),
    users,
  };
}

async function openEmbedded(bench: Bench, environment: Record<string, string>) {
  const users = await seedUsers(environment, EMBEDDED);
  const embedded = await bench.service(environment);
  const requests: Requests = {};
  const lengths: NonNullable<Order['lengths']> = {};
  for (const kind of ['REST list', 'REST complete']) {
    const name = `embedded ${kind}`;
    requests[name] = users.map((user) => of(kind, user));
    const { body } = await ask(embedded.port, requests[name][0] ?? '');
    lengths[name] = around([Buffer.byteLength(body)]);
  }
  return { servers: { embedded }, requests, lengths };
}

interface Sides {
  servers: Partial<Record<Round['who'], Server>>;
  generator: Generator;
  signingUp: Generator;
  database: number;
  lengths: Order['lengths'];
}

type Numbers = Record<'rounds' | 'seconds' | 'askers', number>;

/** In rounds: code takes a few seconds of work to become as fast as it will be, and so does a changed mix. */
const WARMING = { once: 2, each: 0.2 };

/** Whatever is asked of somebody in these contests, all at once. */
async function warmUp(sides: Sides, chosen: Contest[], numbers: Numbers): Promise<void> {
  const rounds = chosen.flatMap(({ base, subject }) => [base, subject]);
  const seconds = numbers.seconds * WARMING.once;
  for (const [who, own] of Map.groupBy(rounds, (round) => round.who)) {
    const rates = Object.assign({}, ...own.map((round) => round.rates));
    await measure(sides, { who, rates }, { ...numbers, seconds });
  }
}

/** Rounds alternate, and so does who comes first: whatever else the machine does meets both. */
async function compare(sides: Sides, { name, base, subject }: Contest, numbers: Numbers): Promise<Measured> {
  const { rounds } = numbers;
  const seconds = numbers.seconds * WARMING.each;
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

async function measure(sides: Sides, { who, rates, isInStorm }: Round, { seconds, askers }: Numbers) {
  const { servers, generator, database, lengths, signingUp } = sides;
  const server = servers[who];
  if (!server) throw new Error(`${who} was not started`);
  const signUps = isInStorm
    ? signingUp.carryOut({ port: server.port, seconds, rates: { 'sign-up': STORM } })
    : undefined;
  const onServer = who === 'embedded' ? { generator } : { generator, database };
  const cost = await costOf(server, onServer, { seconds, askers, rates, ...(lengths && { lengths }) });
  const { failed = 0, served } = (await signUps) ?? {}; // the surplus is refused, and that is no failure
  if (failed > 0 || (served && !served['sign-up'])) throw new Error(`${failed} sign-ups failed`);
  return cost;
}

function contestsNamed(part: string): Contest[] {
  const chosen = contests.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  if (chosen.length > 0) return chosen;
  throw new UsageError(
    `--only is no part of these names:${contests.map(({ name }) => `\n  ${name}`).join('')}`,
  );
}

/** In megabytes, at the end of the run. */
const memory = (servers: Sides['servers']) =>
  Object.entries(servers).map(([who, { pid }]) => ({
    who,
    now: Math.round(memoryOf(pid)),
    peak: Math.round(peakOf(pid)),
  }));

interface Measured {
  name: string;
  /** A cost for each round. */
  base: Cost[];
  subject: Cost[];
}

const shown = (value: number) => value.toFixed(value < 0.9995 ? 3 : value < 10 ? 2 : 0);
const range = (values: number[]) => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? '' : ` (${shown(least)}–${shown(most)})`;
};
const middle = (costs: Cost[], read: (cost: Cost) => number) => shown(median(costs.map(read)));

/** Of each pair of rounds: what the one took over what the other took. */
const ratios = (over: Cost[], under: Cost[], read: (cost: Cost) => number) =>
  over.map((cost, at) => read(cost) / read(under[at] ?? cost));

function report(found: Measured[]): void {
  const rows = found
    .filter(({ name }) => besideBaseline.some((contest) => contest.name === name))
    .map(({ name, base, subject }) => {
      const ratio = ratios(base, subject, totalOf);
      const cpu = (costs: Cost[]) =>
        costs.some(({ database }) => database > 0)
          ? `${middle(costs, ({ node }) => node)} + ${middle(costs, ({ database }) => database)}`
          : `${middle(costs, ({ node }) => node)} in all`;
      return [
        name,
        cpu(base),
        cpu(subject),
        `${median(ratio).toFixed(2)}${range(ratio)}`,
        ...[base, subject].map((costs) => median(costs.map(({ perSecond }) => perSecond)).toFixed(0)),
        ...[base, subject].map((costs) => median(costs.map(({ p99 }) => p99)).toFixed(1)),
      ];
    });
  const head = ['CPU ms a request', 'baseline: node + pg', 'service: node + pg', 'baseline ÷ service'];
  if (rows.length > 0)
    console.log(table([...head, 'baseline/s', 'service/s', 'baseline p99 ms', 'service p99 ms'], rows));
  const stormy = found.find(({ name }) => name === storm.name);
  if (!stormy) return;
  const { name, base, subject } = stormy;
  const p99 = ratios(subject, base, (cost) => cost.p99);
  const waits = [subject, base].map((costs) => `${median(costs.map((cost) => cost.p99)).toFixed(1)} ms`);
  console.log(`\n${name}: ${waits.join(' ÷ ')} = ${median(p99).toFixed(2)}${range(p99)}`);
}

const options = { only: '', rounds: 3, seconds: 2.5, askers: 64, json: '' };

export default question(options, async (bench, { only, json, ...numbers }) => {
  const chosen = contestsNamed(only);
  const isWanted = (who: Who) => chosen.some(({ base, subject }) => base.who === who || subject.who === who);
  const postgres = await bench.postgres();
  const url = postgres.url('steady');
  const database = await bench.client(url);
  const { rows } = await database.query('show server_version');
  console.log(`PostgreSQL ${rows[0].server_version}`);

  const [onServer, embedded] = await Promise.all([
    openOnServer(bench, { DATABASE_URL: url }, database),
    isWanted('embedded') ? openEmbedded(bench, { DATABASE_URL: '', DATA_DIR: bench.directory() }) : undefined,
  ]);
  const servers = { ...onServer.servers, ...embedded?.servers };
  const sides: Sides = {
    servers,
    generator: await bench.generator({ ...onServer.requests, ...embedded?.requests }),
    signingUp: await bench.generator({ 'sign-up': [signUp()] }),
    database: postgres.process().pid ?? 0,
    lengths: { ...onServer.lengths, ...embedded?.lengths },
  };
  const found: Measured[] = [];
  await warmUp(sides, chosen, numbers);
  for (const contest of chosen) {
    console.log(contest.name);
    found.push(await compare(sides, contest, numbers));
  }
  console.log();
  report(found);
  const { service } = servers;
  if (service && chosen.length === contests.length) await measureCrowds(service.port, onServer.users);
  const held = memory(servers);
  const inMemory = held.map(({ who, now, peak }) => `${who} ${now} (peak ${peak})`);
  console.log(`\nMemory at the end, in MB: ${inMemory.join(', ')}`);
  if (json) writeFileSync(json, `${JSON.stringify({ numbers, found, memory: held }, null, 2)}\n`);
});

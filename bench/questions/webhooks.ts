import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ask } from '../answers.ts';
import { question, UsageError } from '../bench.ts';
import { of } from '../contests.ts';
import { type Cost, costOf } from '../cost.ts';
import { spread, table, timesOf } from '../figures.ts';
import { type SeededUser, seedUsers } from '../service.ts';
import { cpuOf } from '../usage.ts';

// What do feeds and webhooks cost: a completion with and without them, and many webhooks of which one receiver hangs?

const KIND = 'REST complete';
const ASKERS = 32;

/** In rounds: code takes some seconds of work to become as fast as it will be. */
const WARMING = 2;

/** A receiver has an address of its own in this range. */
const LOOPBACK = '127.0.0.0/8';
const addressOf = (place: number) => `127.1.${place >> 8}.${place & 255}`;

/** The one that does not answer every other time. What the others take is looked at. */
const HANGING = 0;

const LONGEST_MS = 120_000;

const TOLD = 50;

/** Receivers of all webhooks, by the last part of the path. */
async function receivers() {
  const arrivals = new Map<number, number>();
  const manner = { hangs: false };
  const server = createServer((request, response) => {
    const place = Number(request.url?.slice(1));
    request.resume().on('end', () => {
      if (place !== HANGING && !arrivals.has(place)) arrivals.set(place, performance.now());
      if (!manner.hangs || place !== HANGING) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, arrivals, manner, stop };
}

/** Feeds that have told something already: PostgreSQL keeps plans, and those of an empty table are others. */
const addFeeds = (users: readonly SeededUser[]) => ({
  text: `with fed as (
      update user_progress set has_feed = true where user_id = any($1::uuid[]) returning user_id
    ), feeds as (
      insert into event_feeds (user_id, word, last_number) select user_id, 'bench', ${TOLD} from fed
    )
    insert into events (user_id, number, kind, at)
    select user_id, number, 'TASK_CHANGED', now() from fed, generate_series(1, ${TOLD}) number`,
  values: [users.map(({ id }) => id)],
});

const addWebhooks = (users: readonly SeededUser[], port: number) => ({
  text: `insert into webhooks (id, user_id, name, url, host, secret, state, last_number, created_at)
    select gen_random_uuid(), id, 'It', 'http://' || host || '/' || place - 1, host, 'c2VjcmV0', 'ACTIVE', ${TOLD}, now()
    from unnest($1::uuid[], $2::text[]) with ordinality as made (id, host, place)`,
  values: [users.map(({ id }) => id), users.map((_, place) => `${addressOf(place)}:${port}`)],
});

async function written(client: pg.Client): Promise<{ bytes: number; statements: number }> {
  const { rows } = await client.query(`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float as bytes,
      (select sum(calls)::int from pg_stat_statements where query like '%task_completions%') as statements`);
  return rows[0];
}

interface Measured extends Cost {
  bytes: number;
  statements: number;
}

export default question({ webhooks: 1_000, rounds: 3, seconds: 2.5 }, async (bench, options) => {
  const { webhooks, rounds, seconds } = options;
  if (webhooks > 65_000) throw new UsageError('There are no more than 65,000 addresses for receivers');
  const postgres = await bench.postgres({ shared_preload_libraries: 'pg_stat_statements' });
  const environment = { DATABASE_URL: postgres.url('steady'), WEBHOOK_HOSTS: LOOPBACK };
  const users = await seedUsers(environment, { users: webhooks + 1_000, tasks: 5, completions: 10 });
  const called = users.slice(0, webhooks);
  const groups = { 'without a feed': users.slice(webhooks, -500), 'with a feed': users.slice(-500) };
  const client = await bench.client(environment.DATABASE_URL);
  const receiving = await receivers();
  bench.defer(receiving.stop);
  await client.query('create extension pg_stat_statements');
  await client.query(addFeeds([...called, ...groups['with a feed']]));
  await client.query(addWebhooks(called, receiving.port));
  await client.query('vacuum analyze');
  const service = await bench.service(environment);
  const sides = {
    generator: await bench.generator(
      Object.fromEntries(
        Object.entries(groups).map(([name, some]) => [name, some.map((user) => of(KIND, user))]),
      ),
    ),
    database: postgres.process().pid ?? 0,
  };

  const measure = async (kind: string, time: number): Promise<Measured> => {
    const before = await written(client);
    const cost = await costOf(service, sides, { seconds: time, askers: ASKERS, kind });
    const after = await written(client);
    const count = cost.perSecond * time;
    return {
      ...cost,
      bytes: (after.bytes - before.bytes) / count,
      statements: (after.statements - before.statements) / count,
    };
  };
  const found: Record<string, Measured[]> = {};
  for (const name of Object.keys(groups)) await measure(name, WARMING * seconds);
  for (let round = 0; round < rounds; round += 1)
    for (const name of Object.keys(groups))
      found[name] = [...(found[name] ?? []), await measure(name, seconds)];
  const cells = Object.entries(found).map(([name, costs]) => {
    const cell = (part: keyof Measured, digits: number) =>
      spread(
        costs.map((cost) => Number(cost[part])),
        digits,
      );
    return [name, cell('node', 3), cell('database', 3), cell('statements', 2), cell('bytes', 0)];
  });
  console.log(`\n${table(['a completion', 'node, CPU ms', 'pg, CPU ms', 'statements', 'WAL B'], cells)}`);

  const spent = () => [cpuOf(service.pid), cpuOf(sides.database)] as const;
  const wave = async (hangs: boolean): Promise<string[]> => {
    const { arrivals, manner } = receiving;
    manner.hangs = hangs;
    arrivals.clear();
    const moments = new Map<number, number>();
    const waiting = [...called.entries()];
    const askEach = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { status } = await ask(service.port, of(KIND, next[1]));
        if (status !== 201) throw new Error(`A completion is answered ${status}`);
        moments.set(next[0], performance.now());
      }
    };
    const [before, askedAt] = [spent(), performance.now()];
    await Promise.all(Array.from({ length: ASKERS }, askEach));
    const until = performance.now() + LONGEST_MS;
    while (arrivals.size < webhooks - 1 && performance.now() < until) await sleep(20);
    const after = spent();
    const waits = [...arrivals].map(([place, at]) => at - (moments.get(place) ?? at));
    const { p50, p99, longest } = timesOf(waits);
    const cpu = after.map((each, at) => (((each - (before[at] ?? 0)) * 1_000) / webhooks).toFixed(2));
    const took = (Math.max(...arrivals.values()) - askedAt) / 1_000;
    const figures = [
      String(arrivals.size),
      took.toFixed(1),
      ...[p50, p99, longest].map((each) => each.toFixed(0)),
    ];
    return [hangs ? 'one hangs' : 'all answer', ...figures, cpu.join(' + ')];
  };
  const waves = [];
  for (const hangs of [false, true, false, true]) waves.push(await wave(hangs));
  const head = ['others called', 'within s', 'p50 ms', 'p99 ms', 'longest ms', 'node + pg, CPU ms each'];
  console.log(`\n${table([`${webhooks} complete, then their receivers`, ...head], waves)}`);
});

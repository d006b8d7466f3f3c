import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { people } from '../../test/support/people.ts';
import { question } from '../bench.ts';
import { of } from '../contests.ts';
import { spread, table } from '../figures.ts';
import { SECRET, seedUsers } from '../service.ts';
import { memoryOf } from '../usage.ts';

// What do reminders cost: a minute in which many are due at once, one in which none is, and requests beside the first?

const KINDS = ['REST list', 'REST complete'];

/** A second, of each kind, beside the messages: little, so that what makes them wait is not themselves. */
const RATE = 20;
const WATCH_SECONDS = 10;

/** Somebody with one task, one reminder that is not due yet, and a topic at ntfy. */
const crowd = (users: number) => `${people(users, 'crowd.example.com')}, habits as (
    insert into tasks (user_id, title, points, is_daily_routine, completion_count, created_at, updated_at)
    select id, 'Swim', 10, false, 0, now(), now() from numbers
    returning id, user_id
  ), asked as (
    insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
    select gen_random_uuid(), user_id, id, 480, 127, now() + interval '10 days' from habits
  )
  insert into channels (id, user_id, kind, name, host, address, state, created_at)
  select gen_random_uuid(), id, 'NTFY', 'It', 'ntfy', 'topic-' || i, 'WORKING', now() from numbers`;

/** Answers at once, and counts. */
async function receiver() {
  const taken = { count: 0, lastAt: 0 };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      taken.count += 1;
      taken.lastAt = Date.now();
      response.writeHead(200, { 'Content-Length': 2 }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken, stop };
}

/** In milliseconds, as PostgreSQL has counted them. */
async function timesOf(client: pg.Client, part: string) {
  const { rows } = await client.query(
    `select sum(calls)::int as calls, sum(total_exec_time) / sum(calls) as mean, max(max_exec_time) as longest
     from pg_stat_statements where query like $1`,
    [`%${part}%`],
  );
  const { calls, mean, longest } = rows[0];
  return [String(calls ?? 0), Number(mean ?? 0).toFixed(2), Number(longest ?? 0).toFixed(1)];
}

export default question({ users: 100_000 }, async (bench, { users }) => {
  const server = await bench.postgres({ shared_preload_libraries: 'pg_stat_statements' });
  const environment = { DATABASE_URL: server.url('steady'), DATA_DIR: bench.directory(), JWT_SECRET: SECRET };
  const known = await seedUsers(environment, { users: 64, tasks: 20, completions: 200 });
  const client = await bench.client(server.url('steady'));
  await client.query(crowd(users));
  await client.query('create extension pg_stat_statements');
  await client.query('vacuum analyze');
  const ntfy = await receiver();
  bench.defer(ntfy.stop);
  const generators = await Promise.all(
    KINDS.map((kind) => bench.generator({ [kind]: known.map((user) => of(kind, user)) })),
  );
  const sending = { NTFY_URL: ntfy.url, PUBLIC_URL: 'https://habits.example.com' };
  const service = await bench.service({ ...environment, ...sending });

  const minute = async () => {
    await sleep(60_000 - (Date.now() % 60_000));
    return Date.now();
  };
  await client.query('select pg_stat_statements_reset()');
  await minute();
  await sleep(2_000);
  const idle = await timesOf(client, 'exists (select from reminders where next_at');
  console.log(`A minute with nothing due: ${idle[0]} statement, ${idle[1]} ms`);

  const watch = async () => {
    const order = { port: service.port, seconds: WATCH_SECONDS, perSecond: RATE };
    const figures = generators.map((generator, at) =>
      generator.carryOut({ ...order, kind: KINDS[at] ?? '' }),
    );
    return (await Promise.all(figures)).map(({ served }) => served.p99);
  };
  const before = [await watch(), await watch()];
  await client.query("update reminders set next_at = date_trunc('minute', now()) + interval '1 minute'");
  await client.query('select pg_stat_statements_reset()');
  const memory = { before: memoryOf(service.pid), most: 0 };
  const startedAt = await minute();
  const during: number[][] = [];
  while (ntfy.taken.count < users && Date.now() - startedAt < 1_700_000) {
    during.push(await watch());
    memory.most = Math.max(memory.most, memoryOf(service.pid));
  }
  const took = (ntfy.taken.lastAt - startedAt) / 1_000;
  console.log(
    `${ntfy.taken.count} of ${users} messages handed over in ${took.toFixed(0)} s, ${(ntfy.taken.count / took).toFixed(0)} a second; memory ${memory.before.toFixed(0)} MB before, at most ${memory.most.toFixed(0)} MB`,
  );
  const ofKind = (found: number[][], at: number) => {
    const waits = found.map((each) => each[at] ?? Number.NaN);
    return spread(waits, 0);
  };
  console.log(
    `\n${table(
      [`p99 of ${RATE} a second, ms`, 'before', 'meanwhile'],
      KINDS.map((kind, at) => [kind, ofKind(before, at), ofKind(during, at)]),
    )}\n`,
  );
  console.log(
    table(
      ['statement', 'calls', 'mean ms', 'longest ms'],
      [
        ['rings due, 250 at a time', ...(await timesOf(client, 'with due as'))],
        ['claims', ...(await timesOf(client, 'with recursive lanes as'))],
      ],
    ),
  );
});

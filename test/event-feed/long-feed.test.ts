import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { asVisit } from '../../src/base/request.js';
import { nextFor, type WebhookTables } from '../../src/features/webhooks/webhook.queries.js';
import { calendarOf, read } from '../calendar-feeds/reading.js';
import { ownDatabase } from '../support/database.js';
import { withFeed } from '../support/feed.js';
import { type Query, queriesOf } from '../support/statements.js';
import { type World, world } from '../support/world.js';

const DAYS = 2_000;
const TASKS = 20;
const EVENTS = DAYS * TASKS;

/** Twenty habits, each kept every day for five and a half years, and all of it told. */
async function longFeed() {
  const here = await world({ database: await ownDatabase() });
  here.clock.set('2026-11-21T12:00:00Z');
  const ana = await withFeed(await here.newUser());
  const tasks = [];
  for (let number = 0; number < TASKS; number += 1) tasks.push(Number((await ana.hasTask()).id));
  const query = here.database.query();
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
    select ${ana.id}::uuid, task, 1, at, at::date, at
    from generate_series(1, ${DAYS}) as ago, unnest(${tasks}::bigint[]) as task,
      lateral (select timestamp '2026-11-21' - ago * interval '1 day' + (task % 600) * interval '1 minute') made (at)
    order by made.at`.execute(query);
  await sql`
    with told as (
      update event_feeds set last_number = last_number + ${EVENTS} where user_id = ${ana.id} returning last_number
    )
    insert into events (user_id, number, kind, at, task_id, completion_id)
    select ${ana.id}::uuid, last_number - ${EVENTS} + row_number() over (order by completion.id), 'COMPLETION_RECORDED',
      recorded_at, task_id, completion.id
    from told, task_completions completion`.execute(query);
  await sql`
    insert into webhooks (id, user_id, name, url, host, secret, state, last_number, created_at)
    values (gen_random_uuid(), ${ana.id}, 'It', 'https://hooks.example', 'hooks.example', '', 'ACTIVE', ${EVENTS / 2}, now())`.execute(
    query,
  );
  await sql`analyze`.execute(query);
  const { path } = await calendarOf(ana);
  const { rows } = await sql<{ id: string }>`select id from webhooks limit 1`.execute(query);
  const webhook = { userId: ana.id, id: rows[0]?.id ?? '' };
  const next = () =>
    asVisit({ isAbandoned: () => false }, () => nextFor(here.database.query<WebhookTables>(), webhook));
  return { here, ana, path, next };
}

type Long = Awaited<ReturnType<typeof longFeed>>;

const PAGE = 'nodes { id kind } pageInfo { endCursor hasNextPage hasPreviousPage }';

/** What is read of a feed, and how many rows of events and completions it may read. */
const readers: [name: string, most: number, ask: (long: Long) => Promise<unknown>][] = [
  ['the first page of events', 60, ({ ana }) => ana.query(`{ events(first: 50) { ${PAGE} } }`)],
  [
    'a page from the middle',
    60,
    ({ ana }) => ana.query(`{ events(first: 50, after: "${EVENTS / 2}") { ${PAGE} } }`),
  ],
  ['what a webhook sends next', 2, ({ next }) => next()],
  ['a calendar', TASKS * 100, ({ here, path }) => read(here, path)],
];

async function explained({ database }: World, { sql: text, parameters }: Query): Promise<string> {
  const { rows } = await database
    .query()
    .executeQuery<Record<string, string>>(
      CompiledQuery.raw(`explain (analyze, buffers, timing off) ${text}`, [...parameters]),
    );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const ROWS = / on (?:events|task_completions)(?: \w+)? {2}\(.*\(actual rows=([\d.]+) loops=(\d+)\)/g;

it('A long feed is read no further than what is asked for', async () => {
  const long = await longFeed();
  for (const [name, most, ask] of readers) {
    let rowsRead = 0;
    for (const each of await queriesOf(long.here, () => ask(long))) {
      if (/^\s*(insert|update)/.test(each.sql)) continue; // notes that the calendar was read
      const plan = await explained(long.here, each);
      expect(plan, name).not.toMatch(/Seq Scan on (events|task_completions)/);
      for (const [, rows, loops] of plan.matchAll(ROWS)) rowsRead += Number(rows) * Number(loops);
      for (const [, removed] of plan.matchAll(/Rows Removed by Filter: (\d+)/g))
        expect(Number(removed), `${name}\n${plan}`).toBeLessThan(500);
    }
    expect(rowsRead, name).toBeGreaterThanOrEqual(Math.min(most, 1));
    expect(rowsRead, name).toBeLessThanOrEqual(most);
  }
});

import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { asVisit } from '../../src/base/request.js';
import { nextFor, type WebhookTables } from '../../src/features/webhooks/webhook.queries.js';
import { calendarOf, read } from '../calendar-feeds/reading.js';
import { ownDatabase } from '../support/database.js';
import { withFeed } from '../support/feed.js';
import { queriesOf } from '../support/statements.js';
import { world } from '../support/world.js';

const DAYS = 600;
const TASKS = 20;
const EVENTS = DAYS * TASKS;

const ROWS = / on (?:events|task_completions)(?: \w+)? {2}\(.*\(actual rows=([\d.]+) loops=(\d+)\)/g;

it('A long feed, of habits that were kept for years, is read no further than what is asked for', async () => {
  const here = await world({ database: await ownDatabase() });
  const ana = await withFeed(await here.newUser());
  const tasks = [];
  for (let number = 0; number < TASKS; number += 1) tasks.push(Number((await ana.hasTask()).id));
  const query = here.database.query();
  await sql`
    with made as (
      insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select ${ana.id}::uuid, task, 1, at, at::date, at
      from generate_series(1, ${DAYS}) as ago, unnest(${tasks}::bigint[]) as task,
        lateral (select timestamp '2026-11-21' - ago * interval '1 day') made (at)
      order by ago desc returning id, task_id, recorded_at
    ), told as (
      update event_feeds set last_number = last_number + ${EVENTS} where user_id = ${ana.id} returning last_number
    )
    insert into events (user_id, number, kind, at, task_id, completion_id)
    select ${ana.id}::uuid, last_number - ${EVENTS} + row_number() over (order by id), 'COMPLETION_RECORDED',
      recorded_at, task_id, id
    from told, made`.execute(query);
  const { rows } = await sql<{ id: string }>`
    insert into webhooks (id, user_id, name, url, host, secret, state, last_number, created_at)
    values (gen_random_uuid(), ${ana.id}, 'It', 'https://x.example', 'x.example', '', 'ACTIVE', ${EVENTS / 2}, now())
    returning id`.execute(query);
  await sql`analyze`.execute(query);
  const { path } = await calendarOf(ana);
  const next = () => nextFor(here.database.query<WebhookTables>(), { userId: ana.id, id: `${rows[0]?.id}` });

  const page = (args: string) =>
    ana.query(`{ events(first: 50 ${args}) { nodes { id kind } pageInfo { endCursor hasPreviousPage } } }`);
  for (const [name, most, ask] of [
    ['the first page of events', 60, () => page('')],
    ['a page from the middle', 60, () => page(`after: "${EVENTS / 2}"`)],
    ['what a webhook sends next', 2, () => asVisit({ isAbandoned: () => false }, next)],
    ['a calendar', TASKS * 100, () => read(here, path)],
  ] as const) {
    let rowsRead = 0;
    for (const { sql: text, parameters } of await queriesOf(here, ask)) {
      if (/^\s*(insert|update)/.test(text)) continue; // notes that the calendar was read
      const explain = CompiledQuery.raw(`explain (analyze, timing off) ${text}`, [...parameters]);
      const { rows: lines } = await query.executeQuery<Record<string, string>>(explain);
      const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
      expect(plan, name).not.toMatch(/Seq Scan on (events|task_completions)/);
      for (const [, found, loops] of plan.matchAll(ROWS)) rowsRead += Number(found) * Number(loops);
      for (const [, removed] of plan.matchAll(/Rows Removed by Filter: (\d+)/g))
        expect(Number(removed), `${name}\n${plan}`).toBeLessThan(500);
    }
    expect(rowsRead, name).toBeGreaterThanOrEqual(1);
    expect(rowsRead, name).toBeLessThanOrEqual(most);
  }
});

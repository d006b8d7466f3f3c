import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { completionsOf } from '../support/histories.js';
import { worldOf } from '../support/world.js';

it('A calendar over a long history is what the completions say, however many steps it is read in', async () => {
  const { ana, database } = await worldOf('ana');
  const task = await ana.hasTask();
  const query = database.query();
  // In pairs at the same instant, over a midnight; and all of a crowd at one instant, on the next day.
  await completionsOf(sql`
    select ${ana.id}::uuid, ${task.id}::bigint, 0.1 + number % 3, since::timestamptz + number / 2 * apart::interval
    from (values (4000, '2026-11-20T23:50:00Z', '1 second'), (1500, '2026-11-22T01:00:00Z', '0 seconds'))
      made (count, since, apart), generate_series(0, count - 1) as number`).execute(query);
  const { rows } = await sql`
    select (completed_at at time zone 'UTC')::date::text as date, count(*)::int as "completionCount",
      sum(points) as points, min(completed_at) as first
    from task_completions where user_id = ${ana.id} group by date order by date`.execute(query);
  // The more there is to be read at once, the fewer completions of each are read in a step.
  const apart = Array.from({ length: 25 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 9, 1 - 9 * index)).toISOString().slice(0, 10);
    return `a${index}: calendar(from: "${day}", to: "${day}") { completionCount }`;
  });
  const fields = 'date completionCount points first: firstCompletedAt';
  const { me } = await ana.query(`{ me {
    all: calendar(from: "2026-11-20", to: "2026-11-22") { ${fields} }
    part: calendar(from: "2026-11-21", to: "2026-11-21") { ${fields} }
    ${apart.join(' ')}
  } }`);
  const expected = JSON.parse(JSON.stringify(rows));
  expect([me.all, me.part]).toEqual([expected, [expected[1]]]);
});

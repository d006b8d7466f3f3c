import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { completionsOf } from '../support/histories.js';
import { type TestUser, worldOf } from '../support/world.js';

const dayOf = (index: number) => new Date(Date.UTC(2026, 10, 1 + index)).toISOString().slice(0, 10);

/** So many from `from` on, in pairs that are `apart`. */
const inPairs = ({ id }: TestUser, task: { id: number }, count: number, from: string, apart: string) =>
  completionsOf(sql`
    select ${id}::uuid, ${task.id}::bigint, 0.1 + number % 3, ${from}::timestamptz + number / 2 * ${apart}::interval
    from generate_series(0, ${count}::int - 1) as number`);

describe('A calendar over a long history', () => {
  it('is what the completions say, however many steps it is read in', async () => {
    const { ana, ...here } = await worldOf('ana');
    const task = await ana.hasTask();
    // In pairs at the same instant, over a midnight; and all of a crowd at one instant, on the next day.
    const query = here.database.query();
    await inPairs(ana, task, 4_000, '2026-11-20T23:50:00Z', '1 second').execute(query);
    await inPairs(ana, task, 1_500, '2026-11-22T01:00:00Z', '0 seconds').execute(query);
    const { rows } = await sql<{ date: string }>`
      select (completed_at at time zone 'UTC')::date::text as date, count(*)::int as "completionCount",
        sum(points) as points, min(completed_at) as first
      from task_completions where user_id = ${ana.id} group by date order by date
    `.execute(here.database.query());
    // The more there is to be read at once, the fewer completions of each are read in a step.
    const apart = Array.from(
      { length: 25 },
      (_, i) =>
        `a${i}: calendar(from: "${dayOf(-9 * i - 20)}", to: "${dayOf(-9 * i - 20)}") { completionCount }`,
    );
    const fields = 'date completionCount points first: firstCompletedAt';
    const { me } = await ana.query(`{ me {
      all: calendar(from: "2026-11-18", to: "2026-11-24") { ${fields} }
      part: calendar(from: "2026-11-21", to: "2026-11-21") { ${fields} }
      ${apart.join(' ')}
    } }`);
    const expected = JSON.parse(JSON.stringify(rows));
    expect(expected).toHaveLength(3);
    expect(me.all.filter(({ completionCount }: { completionCount: number }) => completionCount > 0)).toEqual(
      expected,
    );
    expect(me.part).toEqual([expected[1]]);
    expect(me.a24).toEqual([{ completionCount: 0 }]);
  });
});

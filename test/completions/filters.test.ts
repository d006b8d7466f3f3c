import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Query, queriesOf } from '../support/statements.js';
import { type TestUser, world, worldOf } from '../support/world.js';

const LIST = `query ($from: Date, $to: Date, $taskId: ID, $first: Int, $after: String) {
  completions(from: $from, to: $to, taskId: $taskId, first: $first, after: $after) {
    totalCount nodes { completedAt day task { id } } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

interface Filter {
  from?: string | null;
  to?: string | null;
  taskId?: number | string | null;
  first?: number;
  after?: string;
}

/** Ana lives in Los Angeles, and swims and reads every evening, which is the next day in UTC. */
async function evenings() {
  const here = await world();
  here.clock.set('2026-11-10T00:00:00Z');
  const ana = await here.newUser();
  await ana.query('mutation { updateProfile(input: { timeZone: "America/Los_Angeles" }) { user { id } } }');
  const [swim, read] = [await ana.hasTask(), await ana.hasTask()];
  for (let day = 11; day <= 20; day += 1) {
    here.clock.set(`2026-11-${day}T05:00:00Z`);
    await ana.completes(swim);
    here.clock.set(`2026-11-${day}T06:00:00Z`);
    await ana.completes(read);
  }
  const list = async (filter: Filter, user: TestUser = ana) =>
    (await user.query(LIST, { ...filter })).completions;
  const days = async (filter: Filter) => {
    const { nodes, totalCount } = await list(filter);
    expect(totalCount).toBe(nodes.length);
    return nodes
      .map(
        ({ day, task }: { day: string; task: { id: string } }) =>
          `${day.slice(8)}${task.id === `${swim.id}` ? 's' : 'r'}`,
      )
      .join(' ');
  };
  return { ...here, ana, swim, read, list, days };
}

describe('The list of completions', () => {
  it("shows those of some of the user's days, newest first", async () => {
    const { days } = await evenings();
    expect(await days({ from: '2026-11-12', to: '2026-11-13' })).toBe('13r 13s 12r 12s');
    expect(await days({ from: '2026-11-18' })).toBe('19r 19s 18r 18s');
    expect(await days({ to: '2026-11-11' })).toBe('11r 11s 10r 10s');
    expect(await days({ from: '2026-11-20' })).toBe('');
  });

  it('shows those of one task, of all days or of some', async () => {
    const { swim, read, days } = await evenings();
    expect(await days({ taskId: swim.id })).toBe('19s 18s 17s 16s 15s 14s 13s 12s 11s 10s');
    expect(await days({ taskId: read.id, from: '2026-11-12', to: '2026-11-14' })).toBe('14r 13r 12r');
  });

  it('is the whole one where every filter is null', async () => {
    const { list } = await evenings();
    expect(await list({ from: null, to: null, taskId: null })).toEqual(await list({}));
  });

  it.each([
    [{ from: '2026-11-12', to: '2026-11-16' }, 10],
    [{ from: '2026-11-12', to: '2026-11-16', taskId: 'swim' }, 5],
    [{ taskId: 'swim' }, 10],
  ])('is paged with %j, each completion once', async (filter, total) => {
    const { swim, list } = await evenings();
    const given: Filter = { ...filter, ...('taskId' in filter && { taskId: swim.id }) };
    const whole = await list(given);
    const seen = [];
    let after: string | undefined;
    do {
      const page = await list({ ...given, first: 3, ...(after && { after }) });
      expect(page.totalCount).toBe(total);
      expect(page.pageInfo.hasPreviousPage).toBe(after !== undefined);
      seen.push(...page.nodes);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
    } while (after);
    expect(seen).toEqual(whole.nodes);
    expect(seen).toHaveLength(total);
  });

  it("is empty for another user's task, and for what is no task", async () => {
    const { newUser, swim, list } = await evenings();
    const ben = await newUser();
    for (const taskId of [swim.id, 'nonsense', 999_999_999])
      expect(await list({ taskId }, ben)).toMatchObject({ totalCount: 0, nodes: [] });
  });

  it('is ordered by the days of who travels, and paged in that order', async () => {
    const { ana, clock } = await worldOf('ana');
    const swim = await ana.hasTask();
    const into = 'mutation ($zone: TimeZone) { updateProfile(input: { timeZone: $zone }) { user { id } } }';
    const completed: string[] = [];
    for (const [zone, at] of [
      ['Pacific/Kiritimati', '2026-11-11T11:00:00.000Z'], // the 12th
      ['Pacific/Honolulu', '2026-11-11T23:00:00.000Z'], // the 11th
      ['Pacific/Honolulu', '2026-11-11T23:00:00.000Z'],
      ['Pacific/Honolulu', '2026-11-12T11:00:00.000Z'], // the 12th again
    ] as const) {
      clock.set(at);
      await ana.query(into, { zone });
      await ana.completes(swim);
      completed.push(at);
    }
    const [first, second, third, fourth] = completed;
    for (const taskId of [undefined, swim.id]) {
      const found: string[] = [];
      for (let after: string | undefined, hasNextPage = true; hasNextPage; ) {
        const page = await ana.query(LIST, { first: 1, after, taskId });
        found.push(...page.completions.nodes.map((node: { completedAt: string }) => node.completedAt));
        ({ hasNextPage, endCursor: after } = page.completions.pageInfo);
      }
      expect(found).toEqual([fourth, first, third, second]);
    }
  });

  it('reads none of a long day beside those it is asked for', async () => {
    const { ana, ...here } = await worldOf('ana');
    const [swim, read] = [await ana.hasTask(), await ana.hasTask()];
    const query = here.database.query();
    await sql`
      insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select made.*, completed_at from (
      select ${ana.id}::uuid, ${swim.id}::bigint, 1, '2026-11-15T00:00:00Z'::timestamptz + number * interval '1 second',
        date '2026-11-15'
      from generate_series(1, 5000) as number
      union all select ${ana.id}::uuid, ${read.id}::bigint, 1, timestamptz '2026-11-17T12:00:00Z', date '2026-11-17'
      ) made (user_id, task_id, points, completed_at, day)`.execute(query);
    await sql`analyze task_completions`.execute(query);
    const ranges = [
      ['2026-11-14', '2026-11-14'],
      ['2026-11-16', '2026-11-16'],
      ['2026-11-16', '2026-11-17'],
    ];
    const asked: Query[] = [];
    for (const [from, to] of ranges)
      for (const taskId of [undefined, swim.id])
        asked.push(
          ...(await queriesOf(here, () =>
            ana.query(LIST.replace('totalCount', ''), { from, to, taskId, first: 1 }),
          )),
        );
    const lists = asked.filter((each) => /from "?task_completions/.test(each.sql));
    expect(lists).toHaveLength(6);
    for (const each of lists) {
      const { rows } = await query.executeQuery<Record<string, string>>(
        CompiledQuery.raw(`explain (analyze, timing off) ${each.sql}`, [...each.parameters]),
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const removed = [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].map(([, count]) => Number(count));
      expect(Math.max(0, ...removed), plan).toBeLessThan(10);
    }
  });
});

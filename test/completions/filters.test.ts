import { describe, expect, it } from 'vitest';
import { type TestUser, world, worldOf } from '../support/world.js';

const LIST = `query ($from: Date, $to: Date, $taskId: ID, $first: Int, $after: String) {
  completions(from: $from, to: $to, taskId: $taskId, first: $first, after: $after) {
    totalCount nodes { completedAt day task { id } } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

/** Ana lives in Los Angeles, and swims and reads every evening, which is the next day in UTC. */
async function evenings() {
  const here = await world();
  here.clock.set('2026-11-10T00:00:00Z');
  const ana = await here.newUser();
  await ana.query('mutation { updateProfile(input: { timeZone: "America/Los_Angeles" }) { user { id } } }');
  const [swim, read] = [await ana.hasTask(), await ana.hasTask()];
  for (let day = 11; day <= 15; day += 1)
    for (const [task, hour] of [
      [swim, 5],
      [read, 6],
    ] as const) {
      here.clock.set(`2026-11-${day}T0${hour}:00:00Z`);
      await ana.completes(task);
    }
  const list = async (filter: Record<string, unknown>, user: TestUser = ana) =>
    (await user.query(LIST, filter)).completions;
  const shown = ({ day, task }: { day: string; task: { id: string } }) =>
    `${day.slice(8)}${task.id === `${swim.id}` ? 's' : 'r'}`;
  const days = async (filter: Record<string, unknown>) => {
    const { nodes, totalCount } = await list(filter);
    expect(totalCount).toBe(nodes.length);
    return nodes.map(shown).join(' ');
  };
  return { ...here, ana, swim, read, list, days, shown };
}

describe('The list of completions', () => {
  it("shows those of some of the user's days or of one task, newest first, page by page", async () => {
    const { swim, read, days, list, shown } = await evenings();
    expect(await days({ from: '2026-11-12', to: '2026-11-13' })).toBe('13r 13s 12r 12s');
    expect(await days({ from: '2026-11-14' })).toBe('14r 14s');
    expect(await days({ to: '2026-11-10' })).toBe('10r 10s');
    expect(await days({ from: '2026-11-15' })).toBe('');
    expect(await days({ from: null, to: null, taskId: swim.id })).toBe('14s 13s 12s 11s 10s');
    const filter = { taskId: read.id, from: '2026-11-11', to: '2026-11-13' };
    const seen: string[] = [];
    for (let after: string | null = null, isMore = true; isMore; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ ...filter, first: 2, after });
      expect([page.totalCount, page.pageInfo.hasPreviousPage]).toEqual([3, after !== null]);
      seen.push(...page.nodes.map(shown));
      ({ hasNextPage: isMore, endCursor: after } = page.pageInfo);
    }
    expect(seen.join(' ')).toBe('13r 12r 11r');
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
    const found: string[] = [];
    for (let after: string | undefined, hasNextPage = true; hasNextPage; ) {
      const page = await ana.query(LIST, { first: 1, after });
      found.push(...page.completions.nodes.map((node: { completedAt: string }) => node.completedAt));
      ({ hasNextPage, endCursor: after } = page.completions.pageInfo);
    }
    expect(found).toEqual([fourth, first, third, second]);
  });
});

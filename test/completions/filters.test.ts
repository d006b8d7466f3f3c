import { describe, expect, it } from 'vitest';
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

  it('is paged with filters, each completion once', async () => {
    const { swim, list } = await evenings();
    const filter = { from: '2026-11-12', to: '2026-11-16', taskId: swim.id };
    const whole = await list(filter);
    const seen = [];
    let after: string | undefined;
    do {
      const page = await list({ ...filter, first: 2, ...(after && { after }) });
      expect([page.totalCount, page.pageInfo.hasPreviousPage]).toEqual([5, after !== undefined]);
      seen.push(...page.nodes);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
    } while (after);
    expect(seen).toEqual(whole.nodes);
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

import { describe, expect, it } from 'vitest';
import { peopleIn, type TestUser, world, worldOf } from '../support/world.js';

const LIST = `query ($from: Date, $to: Date, $taskId: ID, $first: Int, $after: String) {
  completions(from: $from, to: $to, taskId: $taskId, first: $first, after: $after) {
    totalCount nodes { completedAt day task { id } } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

const list = async (user: TestUser, filter: object) => (await user.query(LIST, filter)).completions;

/** All, from pages of so many. */
async function paged(user: TestUser, filter: { first: number; taskId?: number; from?: string; to?: string }) {
  const seen: Awaited<ReturnType<typeof list>>['nodes'] = [];
  for (let after: string | null = null, isMore = true; isMore; ) {
    const page: Awaited<ReturnType<typeof list>> = await list(user, { ...filter, after });
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
    seen.push(...page.nodes);
    expect(seen.length).toBeLessThanOrEqual(page.totalCount);
    ({ hasNextPage: isMore, endCursor: after } = page.pageInfo);
  }
  return seen;
}

const livesIn = (user: TestUser, zone: string) =>
  user.query(`mutation { updateProfile(input: { timeZone: "${zone}" }) { user { id } } }`);

describe('The list of completions', () => {
  it("shows those of some of the user's days or of one task, newest first, page by page, and nobody else's", async () => {
    const { newUser, clock } = await world();
    clock.set('2026-11-10T00:00:00Z');
    const { ana, ben } = await peopleIn(newUser, ['ana', 'ben']);
    await livesIn(ana, 'America/Los_Angeles');
    const [swim, read] = [await ana.hasTask(), await ana.hasTask()];
    // Every evening, which is the next day in UTC.
    for (let day = 11; day <= 15; day += 1)
      for (const [task, hour] of [
        [swim, 5],
        [read, 6],
      ] as const) {
        clock.set(`2026-11-${day}T0${hour}:00:00Z`);
        await ana.completes(task);
      }
    const shown = (nodes: { day: string; task: { id: string } }[]) =>
      nodes.map(({ day, task }) => `${day.slice(8)}${task.id === `${swim.id}` ? 's' : 'r'}`).join(' ');
    for (const [filter, expected] of [
      [{ from: '2026-11-12', to: '2026-11-13' }, '13r 13s 12r 12s'],
      [{ from: '2026-11-14' }, '14r 14s'],
      [{ to: '2026-11-10' }, '10r 10s'],
      [{ from: '2026-11-15' }, ''],
      [{ from: null, to: null, taskId: swim.id }, '14s 13s 12s 11s 10s'],
    ] as const) {
      const { nodes, totalCount } = await list(ana, filter);
      expect([shown(nodes), nodes.length]).toEqual([expected, totalCount]);
    }
    const some = { first: 2, taskId: read.id, from: '2026-11-11', to: '2026-11-13' };
    expect(shown(await paged(ana, some))).toBe('13r 12r 11r');
    for (const taskId of [swim.id, 'nonsense', 999_999_999])
      expect(await list(ben, { taskId })).toMatchObject({ totalCount: 0, nodes: [] });
  });

  it('is ordered by the days of who travels, and paged in that order', async () => {
    const { ana, clock } = await worldOf('ana');
    const swim = await ana.hasTask();
    const journey = [
      ['Pacific/Kiritimati', '2026-11-11T11:00:00.000Z'], // the 12th
      ['Pacific/Honolulu', '2026-11-11T23:00:00.000Z'], // the 11th
      ['Pacific/Honolulu', '2026-11-11T23:00:00.000Z'],
      ['Pacific/Honolulu', '2026-11-12T11:00:00.000Z'], // the 12th again
    ] as const;
    for (const [zone, at] of journey) {
      clock.set(at);
      await livesIn(ana, zone);
      await ana.completes(swim);
    }
    const found = await paged(ana, { first: 1 });
    expect(found.map(({ completedAt }: { completedAt: string }) => completedAt)).toEqual(
      [3, 0, 2, 1].map((index) => journey[index]?.[1]),
    );
  });
});

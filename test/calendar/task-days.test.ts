import { describe, expect, it } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { world } from '../support/world.js';

const TASKS = `{ tasks { nodes {
  title today { date completionCount lastCompletion { id } } streak { count longest doneToday atRisk aliveUntil }
} } }`;

const COMPLETE = `mutation ($id: ID!) { completeTask(taskId: $id) {
  completion { id day recordedAt completedAt }
  day { date completionCount points firstCompletedAt streakEffect }
  task { today { date completionCount lastCompletion { id } } streak { count doneToday } }
} }`;

const UNDO = `mutation ($id: ID!) { undoCompletion(id: $id) {
  day { date completionCount points firstCompletedAt streakEffect }
  task { today { completionCount lastCompletion { id } } streak { count doneToday } }
} }`;

async function swimmer() {
  const here = await world();
  here.clock.set('2026-11-19T12:00:00Z');
  const ana = await here.newUser();
  await ana.query('mutation { updateProfile(input: { timeZone: "America/Los_Angeles" }) { user { id } } }');
  const swim = await ana.hasTask({ title: 'Swim', points: 2.5 });
  const read = await ana.hasTask({ title: 'Read', points: 1 });
  const completesAt = async (task: { id: number }, ...instants: string[]) => {
    for (const iso of instants) {
      here.clock.set(iso);
      expect((await ana.completes(task)).status).toBe(201);
    }
  };
  return { ...here, ana, swim, read, completesAt };
}

const never = { count: 0, longest: 0, doneToday: false, atRisk: false, aliveUntil: null };

describe('A task', () => {
  it("tells what was done of it on the user's day today, and its own run of these days", async () => {
    const { ana, swim, read, completesAt } = await swimmer();
    await completesAt(read, '2026-11-20T02:00:00Z');
    await completesAt(swim, '2026-11-21T05:00:00Z', '2026-11-22T04:00:00Z', '2026-11-22T07:59:59Z');
    const { completions } = await ana.query('{ completions(first: 1) { nodes { id } } }');
    const { tasks } = await ana.query(TASKS);
    expect(tasks.nodes).toEqual([
      {
        title: 'Swim',
        today: { date: '2026-11-21', completionCount: 2, lastCompletion: { id: completions.nodes[0].id } },
        streak: {
          count: 2,
          longest: 2,
          doneToday: true,
          atRisk: false,
          aliveUntil: '2026-11-23T08:00:00.000Z',
        },
      },
      {
        title: 'Read',
        today: { date: '2026-11-21', completionCount: 0, lastCompletion: null },
        streak: { ...never, longest: 1 },
      },
    ]);
  });

  it('has a calendar of its own, in a list with others in few statements', async () => {
    const here = await swimmer();
    const { ana, clock, swim, read, completesAt } = here;
    await completesAt(read, '2026-11-20T02:00:00Z', '2026-11-22T05:00:00Z');
    await completesAt(swim, '2026-11-21T05:00:00Z', '2026-11-22T05:00:00Z', '2026-11-22T06:00:00Z');
    clock.set('2026-11-24T12:00:00Z');
    const CALENDARS =
      '{ tasks { nodes { calendar(from: "2026-11-19", to: "2026-11-22") { date completionCount points streakEffect } } } }';
    const { tasks } = await ana.query(CALENDARS);
    const day = (date: string, completionCount: number, points: number, streakEffect: string) => ({
      ...{ date, completionCount, points, streakEffect },
    });
    expect(tasks.nodes).toEqual([
      {
        calendar: [
          day('2026-11-19', 0, 0, 'NONE'),
          day('2026-11-20', 1, 2.5, 'STARTED'),
          day('2026-11-21', 2, 5, 'CONTINUED'),
          day('2026-11-22', 0, 0, 'BROKEN'),
        ],
      },
      {
        calendar: [
          day('2026-11-19', 1, 1, 'STARTED'),
          day('2026-11-20', 0, 0, 'BROKEN'),
          day('2026-11-21', 1, 1, 'STARTED'),
          day('2026-11-22', 0, 0, 'BROKEN'),
        ],
      },
    ]);
    expect(await statementsOf(here, () => ana.query(CALENDARS))).toHaveLength(3);
  });
});

describe('What completing and undoing answer', () => {
  it("is enough to follow the user's day", async () => {
    const { ana, clock, swim, read, completesAt } = await swimmer();
    await completesAt(read, '2026-11-22T04:00:00Z');
    clock.set('2026-11-22T05:00:00Z');
    const { completeTask } = await ana.query(COMPLETE, { id: swim.id });
    const { id } = completeTask.completion;
    expect(completeTask).toEqual({
      completion: {
        id,
        day: '2026-11-21',
        recordedAt: '2026-11-22T05:00:00.000Z',
        completedAt: '2026-11-22T05:00:00.000Z',
      },
      day: {
        date: '2026-11-21',
        completionCount: 2,
        points: 3.5,
        firstCompletedAt: '2026-11-22T04:00:00.000Z',
        streakEffect: 'STARTED',
      },
      task: {
        today: { date: '2026-11-21', completionCount: 1, lastCompletion: { id } },
        streak: { count: 1, doneToday: true },
      },
    });
    const { undoCompletion } = await ana.query(UNDO, { id });
    expect(undoCompletion).toEqual({
      day: {
        date: '2026-11-21',
        completionCount: 1,
        points: 1,
        firstCompletedAt: '2026-11-22T04:00:00.000Z',
        streakEffect: 'STARTED',
      },
      task: { today: { completionCount: 0, lastCompletion: null }, streak: { count: 0, doneToday: false } },
    });
  });

  it('is told of a completion in lists as when it was recorded, whatever the zone is by then', async () => {
    const { ana, swim, completesAt } = await swimmer();
    await completesAt(swim, '2026-11-22T05:00:00Z');
    await ana.query('mutation { updateProfile(input: { timeZone: "Asia/Tokyo" }) { user { id } } }');
    expect(await ana.query('{ completions { nodes { day recordedAt } } }')).toEqual({
      completions: { nodes: [{ day: '2026-11-21', recordedAt: '2026-11-22T05:00:00.000Z' }] },
    });
  });
});

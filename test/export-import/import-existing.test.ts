import { describe, expect, it } from 'vitest';
import { world } from '../support/world.js';

const TASKS = `{ tasks(archived: ANY) { nodes { id title points completionCount target { kind } } }
  me { points timeZone pauses { from until } } }`;

const at = (day: number) => `2026-11-${day}T08:30:00.000Z`;

const task = (id: number, title: string, more: object = {}) => ({
  ...{ id, title, description: null, points: 10, isDailyRoutine: false },
  ...{ createdAt: at(17), updatedAt: at(17), archivedAt: null },
  ...more,
});

/** With the days in November on which each task was done. */
const file = (tasks: object[], days: Record<number, number[]> = {}, more: object = {}) => ({
  format: 'steady-export',
  version: 2,
  account: { timeZone: 'Asia/Tokyo', dayStartsAt: 3 },
  ...{ tasks, challenges: [], skips: [], pauses: [] },
  completions: Object.entries(days).flatMap(([of, all]) =>
    all.map((day) => ({
      ...{ task: Number(of), points: 10, completedAt: at(day), day: `2026-11-${day}`, recordedAt: at(day) },
    })),
  ),
  ...more,
});

describe('A file is imported into an account that has tasks', () => {
  async function ana() {
    const here = await world();
    here.clock.set('2026-11-10T12:00:00.000Z');
    const user = await here.newUser();
    const swim = await user.hasTask({ title: 'Swim', points: 3 });
    here.clock.set('2026-11-21T12:00:00.000Z');
    const bring = (what: object) => user.rest.post('/account/import?into=existing', what);
    return { user, swim, bring, all: () => user.query(TASKS) };
  }

  it('and what is there is passed over: the same file twice is the same as once', async () => {
    const { user, swim, bring, all } = await ana();
    const rests = {
      pauses: [{ task: 9, from: '2026-11-02', until: '2026-11-03', note: null }],
      skips: [{ task: 9, date: '2026-11-05', note: null }],
    };
    const given = file([task(7, 'Swim'), task(9, 'Run')], { 7: [18, 19], 9: [19] }, rests);
    const first = await bring(given);
    expect([first.status, first.body]).toEqual([
      201,
      { tasks: 1, challenges: 0, completions: 3, existing: { tasks: 1, challenges: 0, completions: 0 } },
    ]);
    const after = await all();
    expect(after.tasks.nodes).toMatchObject([
      { id: `${swim.id}`, title: 'Swim', points: 3, completionCount: 2 },
      { title: 'Run', points: 10, completionCount: 1 },
    ]);
    expect(after.me).toMatchObject({ points: 30, timeZone: 'UTC' });
    const again = await bring(given);
    expect(again.body).toEqual({
      ...{ tasks: 0, challenges: 0, completions: 0 },
      existing: { tasks: 2, challenges: 0, completions: 3 },
    });
    expect(await all()).toEqual(after);
    expect(await user.query('{ tasks { nodes { pauses { from } } } }')).toMatchObject({
      tasks: { nodes: [{ pauses: [] }, { pauses: [{ from: '2026-11-02' }] }] },
    });
  });

  it('two of one title stay two, the first that is there and a new one, and a limit is taken for no goal of its title', async () => {
    const { bring, all } = await ana();
    const twice = file([task(1, 'Swim'), task(2, 'Swim')], { 1: [18], 2: [19] });
    expect((await bring(twice)).body).toMatchObject({ tasks: 1, completions: 2, existing: { tasks: 1 } });
    const limit = { target: { amount: 2, unit: 'cups', kind: 'AT_MOST', per: 'DAY' } };
    expect((await bring(file([task(1, 'Swim', limit)]))).body).toMatchObject({ tasks: 1 });
    expect((await all()).tasks.nodes).toMatchObject([
      { points: 3, completionCount: 1, target: null },
      { points: 10, completionCount: 1, target: null },
      { target: { kind: 'AT_MOST' } },
    ]);
  });
});

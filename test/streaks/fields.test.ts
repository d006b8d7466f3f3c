import { describe, expect, it } from 'vitest';
import { queriesOf } from '../support/statements.js';
import type { TestUser } from '../support/world.js';
import { swimmer } from './swimmer.js';

const STREAK = 'streak { count longest doneToday atRisk aliveUntil }';
const DAYS = 'date completionCount points firstCompletedAt streakEffect';
const CALENDAR = `query ($from: Date!, $to: Date!) { me { calendar(from: $from, to: $to) { ${DAYS} } } }`;

const emptyDay = { completionCount: 0, points: 0, firstCompletedAt: null, streakEffect: 'NONE' };

async function shownSwimmer() {
  const here = await swimmer();
  const streakAt = async (iso: string) => {
    here.clock.set(iso);
    return (await here.me().query(`{ me { ${STREAK} } }`)).me.streak;
  };
  const calendar = async (from: string, to = from, user: TestUser = here.ana) =>
    (await here.renewed(user).query(CALENDAR, { from, to })).me.calendar;
  return { ...here, streakAt, calendar };
}

describe('User.streak', () => {
  const never = { count: 0, longest: 0, doneToday: false, atRisk: false, aliveUntil: null };
  const done = {
    count: 2,
    longest: 2,
    doneToday: true,
    atRisk: false,
    aliveUntil: '2026-11-23T00:00:00.000Z',
  };
  it.each([
    ['today', '2026-11-21T23:59:59.999Z', done],
    ['yesterday', '2026-11-22T00:00:00.000Z', { ...done, doneToday: false, atRisk: true }],
    [
      'yesterday, a moment before it ends',
      '2026-11-22T23:59:59.999Z',
      { ...done, doneToday: false, atRisk: true },
    ],
    ['two days ago', '2026-11-23T00:00:00.000Z', { ...never, longest: 2 }],
  ])('is right when the last day was %s', async (_when, now, expected) => {
    const { completesAt, streakAt } = await shownSwimmer();
    expect(await streakAt('2026-11-20T00:00:00.000Z')).toEqual(never);
    await completesAt('2026-11-20T00:00:00.000Z', '2026-11-21T12:00:00.000Z');
    expect(await streakAt(now)).toEqual(expected);
  });

  it('is right although the job has not run and the stored counter is inflated', async () => {
    const { me, completesAt, streakAt } = await shownSwimmer();
    await completesAt('2026-11-01T12:00:00.000Z', '2026-11-05T12:00:00.000Z', '2026-11-09T12:00:00.000Z');
    expect(await me().profile()).toMatchObject({ current_streak: 3, max_streak: 3 });
    expect(await streakAt('2026-11-09T12:00:00.000Z')).toMatchObject({ count: 1, longest: 1 });
  });
});

describe('User.calendar', () => {
  it('has one entry for every day of the range, oldest first', async () => {
    const { calendar, completesAt, me, swim } = await shownSwimmer();
    await completesAt('2026-11-20T08:00:00.000Z', '2026-11-20T07:00:00.000Z', '2026-11-22T00:00:00.000Z');
    await me().rest.put(`/api/tasks/${swim.id}`, { points: 1_000 }); // which earlier completions did not earn
    const lived = (completionCount: number, points: number, firstCompletedAt: string) => ({
      ...{ date: firstCompletedAt.slice(0, 10), completionCount, points, firstCompletedAt },
      streakEffect: 'STARTED',
    });
    expect(await calendar('2026-11-19', '2026-11-23')).toEqual([
      { ...emptyDay, date: '2026-11-19' },
      lived(2, 5, '2026-11-20T07:00:00.000Z'),
      { ...emptyDay, date: '2026-11-21', streakEffect: 'BROKEN' },
      lived(1, 2.5, '2026-11-22T00:00:00.000Z'),
      { ...emptyDay, date: '2026-11-23' },
    ]);
  });

  it('counts every task of the user and none of anybody else', async () => {
    const { me, calendar, completesAt, newUser, swim } = await shownSwimmer();
    await completesAt('2026-11-20T12:00:00.000Z');
    await me().completes(await me().hasTask({ points: 4 }));
    const ben = await newUser();
    expect(await calendar('2026-11-20', '2026-11-20', ben)).toEqual([{ ...emptyDay, date: '2026-11-20' }]);
    await ben.completes(await ben.hasTask({ points: 100 }));
    await ben.completes(swim);
    expect(await calendar('2026-11-20')).toMatchObject([{ completionCount: 2, points: 6.5 }]);
  });

  it.each([
    ['a leap year', '2028-01-01', '2028-12-31', 366],
    ['the first 366 days there are', '0001-01-01', '0002-01-01', 366],
    ['the last day there is', '9999-12-31', '9999-12-31', 1],
  ])('may cover %s', async (_what, from, to, length) => {
    const { calendar } = await shownSwimmer();
    const days = await calendar(from, to);
    expect([days[0].date, days.at(-1).date, days.length]).toEqual([from, to, length]);
  });

  it('costs two statements whatever its length, one of them for pauses, and the streak none', async () => {
    const { database, me, completesAt } = await shownSwimmer();
    await completesAt('2026-11-20T12:00:00.000Z', '2026-11-21T12:00:00.000Z');
    const statements = async (fields: string) =>
      (await queriesOf({ database }, () => me().query(`{ me { id ${fields} } }`))).length;
    const plain = await statements('');
    expect(plain).toBeGreaterThan(0);
    expect(await statements(STREAK)).toBe(plain);
    for (const from of ['2026-11-21', '2026-01-01'])
      expect(await statements(`calendar(from: "${from}", to: "2026-11-21") { ${DAYS} }`)).toBe(plain + 2);
  });
});

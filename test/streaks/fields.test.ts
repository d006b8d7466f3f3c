import { describe, expect, it } from 'vitest';
import { queriesOf } from '../support/statements.js';
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
  const calendar = async (from: string, to: string) =>
    (await here.me().query(CALENDAR, { from, to })).me.calendar;
  return { ...here, streakAt, calendar };
}

it('User.streak is right on every day, although the job has not run and the stored counter is inflated', async () => {
  const { me, completesAt, streakAt } = await shownSwimmer();
  const never = { count: 0, longest: 0, doneToday: false, atRisk: false, aliveUntil: null };
  const done = { ...never, count: 2, longest: 2, doneToday: true, aliveUntil: '2026-11-23T00:00:00.000Z' };
  expect(await streakAt('2026-11-16T12:00:00.000Z')).toEqual(never);
  await completesAt('2026-11-16T12:00:00.000Z', '2026-11-18T12:00:00.000Z');
  await completesAt('2026-11-20T00:00:00.000Z', '2026-11-21T12:00:00.000Z');
  expect(await me().profile()).toMatchObject({ current_streak: 4, max_streak: 4 });
  for (const [now, expected] of [
    ['2026-11-21T23:59:59.999Z', done],
    ['2026-11-22T00:00:00.000Z', { ...done, doneToday: false, atRisk: true }],
    ['2026-11-22T23:59:59.999Z', { ...done, doneToday: false, atRisk: true }],
    ['2026-11-23T00:00:00.000Z', { ...never, longest: 2 }],
  ] as const)
    expect(await streakAt(now), now).toEqual(expected);
});

describe('User.calendar', () => {
  it('has one entry for every day of the range, oldest first, of all tasks of the user and of nobody else', async () => {
    const { calendar, completesAt, me, swim, newUser } = await shownSwimmer();
    await completesAt('2026-11-20T08:00:00.000Z', '2026-11-20T07:00:00.000Z');
    await me().completes(await me().hasTask({ points: 4 }));
    await completesAt('2026-11-22T00:00:00.000Z');
    await me().rest.put(`/api/tasks/${swim.id}`, { points: 1_000 }); // which earlier completions did not earn
    const ben = await newUser();
    await ben.completes(await ben.hasTask({ points: 100 }));
    await ben.completes(swim);
    const lived = (completionCount: number, points: number, firstCompletedAt: string) => ({
      ...{ date: firstCompletedAt.slice(0, 10), completionCount, points, firstCompletedAt },
      streakEffect: 'STARTED',
    });
    expect(await calendar('2026-11-19', '2026-11-23')).toEqual([
      { ...emptyDay, date: '2026-11-19' },
      lived(3, 9, '2026-11-20T07:00:00.000Z'),
      { ...emptyDay, date: '2026-11-21', streakEffect: 'BROKEN' },
      lived(1, 2.5, '2026-11-22T00:00:00.000Z'),
      { ...emptyDay, date: '2026-11-23' },
    ]);
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

import { describe, expect, it } from 'vitest';
import { queriesOf } from '../support/statements.js';
import { type TestUser, type World } from '../support/world.js';
import { swimmer } from './swimmer.js';

const STREAK = 'streak { count longest doneToday atRisk aliveUntil }';
const DAYS = 'date completionCount points firstCompletedAt streakEffect';
const CALENDAR = `query ($from: Date!, $to: Date!) { me { calendar(from: $from, to: $to) { ${DAYS} } } }`;

interface LivedDay {
  date: string;
  completionCount: number;
  points: number;
  firstCompletedAt: string | null;
  streakEffect: string;
}

const neverActive = { count: 0, longest: 0, doneToday: false, atRisk: false, aliveUntil: null };
const emptyDay = { completionCount: 0, points: 0, firstCompletedAt: null, streakEffect: 'NONE' };
const lived = (completionCount: number, points: number, firstCompletedAt: string, streakEffect: string) => ({
  date: firstCompletedAt.slice(0, 10),
  completionCount,
  points,
  firstCompletedAt,
  streakEffect,
});

async function shownSwimmer() {
  const here = await swimmer();
  const streakAt = async (iso: string) => {
    here.clock.set(iso);
    return (await here.me().query(`{ me { ${STREAK} } }`)).me.streak;
  };
  return { ...here, streakAt, ...calendarOf(here, here.ana) };
}

function calendarOf({ renewed }: Pick<World, 'renewed'>, user: TestUser) {
  const calendar = async (from: string, to: string) => {
    const { me } = await renewed(user).graphql.request<{ me: { calendar: LivedDay[] } }>(CALENDAR, {
      from,
      to,
    });
    return me.calendar;
  };
  const effects = async (from: string, to: string) =>
    (await calendar(from, to)).map(({ streakEffect }) => streakEffect);
  return { calendar, effects };
}

describe('User.streak', () => {
  it('is empty for a user who was never active', async () => {
    const { streakAt } = await shownSwimmer();
    expect(await streakAt('2026-11-21T12:00:00.000Z')).toEqual(neverActive);
  });

  const aliveUntil = '2026-11-23T00:00:00.000Z';
  const done = { count: 2, longest: 2, doneToday: true, atRisk: false, aliveUntil };
  const atRisk = { ...done, doneToday: false, atRisk: true };
  const ended = { ...neverActive, longest: 2 };
  it.each([
    ['today', '2026-11-21T12:00:00.000Z', done],
    ["today's last millisecond", '2026-11-21T23:59:59.999Z', done],
    ['yesterday', '2026-11-22T00:00:00.000Z', atRisk],
    ['yesterday, a moment before it ends', '2026-11-22T23:59:59.999Z', atRisk],
    ['two days ago', '2026-11-23T00:00:00.000Z', ended],
    ['a year ago', '2027-11-21T12:00:00.000Z', ended],
  ])('is right when the last day was %s', async (_when, now, expected) => {
    const { completesAt, streakAt } = await shownSwimmer();
    await completesAt('2026-11-20T00:00:00.000Z', '2026-11-21T12:00:00.000Z');
    expect(await streakAt(now)).toEqual(expected);
  });

  it('is right although the job has not run and the stored counter is inflated', async () => {
    const { me, completesAt, streakAt } = await shownSwimmer();
    await completesAt('2026-11-01T12:00:00.000Z', '2026-11-05T12:00:00.000Z', '2026-11-09T12:00:00.000Z');
    expect(await me().profile()).toMatchObject({ current_streak: 3, max_streak: 3 });
    expect(await streakAt('2026-11-09T12:00:00.000Z')).toMatchObject({ count: 1, longest: 1 });
    expect(await streakAt('2026-11-11T00:00:00.000Z')).toMatchObject({ count: 0, longest: 1 });
  });
});

describe('User.calendar', () => {
  it('has one entry for every day of the range, oldest first', async () => {
    const { calendar, completesAt } = await shownSwimmer();
    await completesAt('2026-11-20T08:00:00.000Z', '2026-11-20T07:00:00.000Z', '2026-11-22T00:00:00.000Z');
    expect(await calendar('2026-11-19', '2026-11-23')).toEqual([
      { ...emptyDay, date: '2026-11-19' },
      lived(2, 5, '2026-11-20T07:00:00.000Z', 'STARTED'),
      { ...emptyDay, date: '2026-11-21', streakEffect: 'BROKEN' },
      lived(1, 2.5, '2026-11-22T00:00:00.000Z', 'STARTED'),
      { ...emptyDay, date: '2026-11-23' },
    ]);
  });

  it('adds points as they were awarded, whatever the task is worth now, exactly', async () => {
    const { me, swim, calendar, completesAt } = await shownSwimmer();
    const isWorth = async (points: number) =>
      expect(await me().rest.put(`/api/tasks/${swim.id}`, { points })).toMatchObject({ body: { points } });
    await isWorth(0.1);
    await completesAt('2026-11-20T12:00:00.000Z');
    await isWorth(0.2);
    await completesAt('2026-11-20T13:00:00.000Z');
    await isWorth(1_000);
    expect(await calendar('2026-11-20', '2026-11-20')).toMatchObject([{ completionCount: 2, points: 0.3 }]);
  });

  it('counts every task of the user and none of anybody else', async () => {
    const { me, calendar, completesAt, newUser, renewed, swim } = await shownSwimmer();
    await completesAt('2026-11-20T12:00:00.000Z');
    await me().completes(await me().hasTask({ points: 4 }));
    const ben = await newUser();
    const before = await calendarOf({ renewed }, ben).calendar('2026-11-20', '2026-11-20');
    expect(before).toEqual([{ ...emptyDay, date: '2026-11-20' }]);
    await ben.completes(await ben.hasTask({ points: 100 }));
    await ben.completes(swim);
    expect(await calendar('2026-11-20', '2026-11-20')).toMatchObject([{ completionCount: 2, points: 6.5 }]);
  });

  it.each([
    ['a day', '2026-11-21', '2026-11-21', 1],
    ['366 days', '2026-01-01', '2027-01-01', 366],
    ['a leap year', '2028-01-01', '2028-12-31', 366],
    ['the first day there is', '0001-01-01', '0001-01-01', 1],
    ['the first 366 days there are', '0001-01-01', '0002-01-01', 366],
    ['the last day there is', '9999-12-31', '9999-12-31', 1],
  ])('may cover %s', async (_what, from, to, length) => {
    const { calendar } = await shownSwimmer();
    const days = await calendar(from, to);
    expect([days[0], days.at(-1), days.length]).toEqual([
      { ...emptyDay, date: from },
      { ...emptyDay, date: to },
      length,
    ]);
  });

  it('costs two statements whatever its length, one of them for pauses, and the streak none', async () => {
    const { database, me, completesAt } = await shownSwimmer();
    await completesAt('2026-11-20T12:00:00.000Z', '2026-11-21T12:00:00.000Z');
    const statements = async (fields: string) => {
      const asked = await queriesOf({ database }, () => me().graphql.request(`{ me { id ${fields} } }`));
      return asked.length;
    };
    const plain = await statements('');
    expect(plain).toBeGreaterThan(0);
    expect(await statements(STREAK)).toBe(plain);
    expect(await statements(`calendar(from: "2026-11-21", to: "2026-11-21") { ${DAYS} }`)).toBe(plain + 2);
    expect(await statements(`calendar(from: "2026-01-01", to: "2027-01-01") { ${DAYS} }`)).toBe(plain + 2);
  });
});

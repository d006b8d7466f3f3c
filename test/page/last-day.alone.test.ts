import { describe, expect, it } from 'vitest';
import { keptSince, weekdaysInWords } from '../../src/page/client/habit/summaries.js';
import type { Tap, Task, User } from '../../src/page/client/sync/types.js';
import { onDay, shortDate, WEEKDAYS } from '../../src/page/client/today/days.js';
import { countOf, countsByDay, isAllDone, itemsOf, sectionCount } from '../../src/page/client/today/items.js';
import { speak } from '../../src/page/client/ui/language.js';
import { at, doneOn, NO_SCHEDULE, screenOf, tap, task, userOn } from './tasks.js';

await speak('EN', ['en-GB']);

const SATURDAY = '2026-11-21';
const SUNDAY = '2026-11-22';

const target = { amount: 150, unit: 'minutes', kind: 'AT_LEAST', per: 'WEEK' } as const;

/** So much was done in the week, some of it on the day that is today. */
const spanish = (today: string, done: number, ofToday: number, change: Partial<Task> = {}): Task =>
  task('1', 0, {
    ...{ title: 'Spanish', target, streak: { unit: 'WEEKS', count: 1, longest: 1 } },
    days: [{ ...doneOn(today, Number(ofToday > 0), 'OPEN'), amount: ofToday }],
    today: { lastCompletion: null, periodAmount: done },
    ...change,
  });

/** What is known of a day without a tap, or with some. */
const knownOn = (user: User, taps: Tap[] = []) => ({
  ...{ taps, isOnline: true, zone: user, today: user.today, pauses: user.pauses },
});

function shown(task: Task, user: User, taps: Tap[] = []) {
  const items = itemsOf(screenOf(user, task), knownOn(user, taps), user.today);
  const { left, done } = countOf(items);
  return { now: items[0]?.now, plan: items[0]?.plan, left, done, section: sectionCount(items) };
}

const perMonth = { target: { ...target, per: 'MONTH' as const } };

describe('The amount of a week', () => {
  it.each([
    [
      'is asked for on its last day',
      SUNDAY,
      [115, 0],
      { now: 'open', plan: '35 minutes left, last day', left: 1 },
    ],
    ['is asked for although something was done on that day', SUNDAY, [135, 20], { now: 'open', left: 1 }],
    ['is done once it is met', SUNDAY, [150, 35], { now: 'done', plan: '', left: 0, done: 1 }],
    ['asks for nothing if it was met before', SUNDAY, [150, 0], { now: 'week', plan: '', left: 0, done: 0 }],
    ['need not be done before', SATURDAY, [115, 0], { now: 'week', plan: '', left: 0, done: 0 }],
    ['counts where something was done', SATURDAY, [135, 20], { now: 'week', left: 0, done: 1 }],
    ['is not the whole week in its section', SATURDAY, [135, 20], { section: { all: 1, done: 0 } }],
    ['is done in its section when its ring is full', SATURDAY, [150, 0], { section: { all: 1, done: 1 } }],
    ['of a month is asked for on its last day', '2026-11-30', [115, 0], { now: 'open' }, perMonth],
    ['of a month is not asked for on a Sunday', SUNDAY, [115, 0], { now: 'week' }, perMonth],
  ] as [string, string, [number, number], object, object?][])(
    '%s',
    (_name, day, [done, ofToday], expected, change) => {
      expect(shown(spanish(day, done, ofToday, change), userOn(day))).toMatchObject(expected);
    },
  );

  it('has its last day before those that rest, or where the week of the person ends', () => {
    const pauses = [{ id: '1', from: SUNDAY, until: null }];
    const skipped = doneOn(SUNDAY, 0, 'SKIPPED');
    const one = spanish(SATURDAY, 115, 0);
    for (const [change, user, now] of [
      [{}, { pauses }, 'open'],
      [{ pauses }, {}, 'open'],
      [{ days: [...one.days, skipped] }, {}, 'open'],
      [{}, { weekStartsOn: 'SUNDAY' }, 'open'],
      [{}, { pauses: [{ id: '1', from: SATURDAY, until: null }] }, 'rest'],
    ] as [Partial<Task>, Partial<User>, string][])
      expect(shown({ ...one, ...change }, userOn(SATURDAY, user)).now).toBe(now);
  });

  it('is still what its last day asked for when that is over, though nothing was done on it', () => {
    const monday = '2026-11-23';
    const placed = (date: string, isDue: boolean, change: Partial<User> = {}) => {
      const user = userOn(monday, change);
      const one = spanish(monday, 0, 0, { days: [{ ...doneOn(date, 0, 'REST'), isDue }] });
      return itemsOf(screenOf(user, one), knownOn(user), date)[0]?.now;
    };
    const places = [placed(SUNDAY, true), placed(SUNDAY, false), placed(SATURDAY, true)];
    expect(places).toEqual(['open', 'rest', 'rest']);
    const pauses = [{ id: '1', from: SUNDAY, until: SUNDAY }];
    expect(placed(SUNDAY, true, { pauses })).toBe('rest');
    expect(placed(SATURDAY, true, { pauses })).toBe('open');
  });

  // As the service counts: test/calendar/user-days.test.ts.
  it.each([
    ['fell short', {}, '0/0 1/1 0/0 0/0 0/1'],
    ['was met on one of its days', { '05': 150 }, '0/0 1/1 0/0 0/0 0/0'],
    ['fell short, with a last day that rested', { '08': 'SKIPPED' }, '0/0 1/1 0/0 0/1 0/0'],
    ['was met on the last day, which rested', { '08': 90 }, '0/0 1/1 0/0 0/0 1/1'],
  ] as [string, Record<string, number | string>, string][])(
    'is counted on its days when it %s',
    (_name, change, counted) => {
      const done: Record<string, number | string> = { '05': 60, ...change };
      const days = ['04', '05', '06', '07', '08'].map((date) => {
        const amount = Number(done[date]) || 0;
        const isSkipped = date === '08' && date in done;
        const state = amount > 0 ? 'KEPT' : isSkipped ? 'SKIPPED' : 'REST';
        const isDue = done['05'] !== 150; // whatever was done later
        return { ...doneOn(`2026-11-${date}`, Number(amount > 0), state), amount, isSkipped, isDue };
      });
      const all = days.reduce((sum, { amount }) => sum + amount, 0);
      for (const [today, periodAmount] of [
        ['2026-11-08', all],
        ['2026-11-09', 0],
      ] as const) {
        const user = userOn(today);
        const screen = screenOf(user, spanish(today, periodAmount, 0, { days }));
        const dates = days.map(({ date }) => date);
        const counts = countsByDay(screen, dates, knownOn(user));
        expect(counts.map(({ asked, done }) => `${done}/${asked}`).join(' '), today).toBe(counted);
      }
    },
  );
});

it('A limit of a week has nothing left to be done on the last day', () => {
  const limit = { target: { ...target, kind: 'AT_MOST' as const } };
  expect(shown(spanish(SUNDAY, 115, 0, limit), userOn(SUNDAY))).toMatchObject({ now: 'limit', plan: '' });
});

/** So many days of November asked for, and so many kept. */
const monthly = (today: string, times: number, done: number, change: Partial<Task> = {}): Task =>
  spanish(today, 0, 0, {
    target: null,
    schedule: { ...NO_SCHEDULE, timesPer: { count: times, period: 'MONTH' } },
    thisPeriod: { goal: times, done },
    ...change,
  });

describe('A habit of so many days a month', () => {
  const on = (date: number) => `2026-11-${date}`;
  const kept = (date: number) => doneOn(on(date), 1);
  const open = (date: number) => doneOn(on(date), 0);

  it('needs all days that are left, or not', () => {
    const nowOn = (date: number, times: number, done: number) =>
      shown(monthly(on(date), times, done), userOn(on(date))).now;
    expect([nowOn(27, 10, 7), nowOn(28, 10, 8), nowOn(30, 1, 1)]).toEqual(['week', 'week', 'week']);
    expect([nowOn(28, 10, 7), nowOn(30, 1, 0)]).toEqual(['open', 'open']);
  });

  it('says how far its month is, on today', () => {
    expect(shown(monthly(on(10), 4, 2), userOn(on(10))).plan).toBe('2 of 4 this month');
    expect(shown(monthly(on(10), 4, 6), userOn(on(10))).plan).toBe('6 this month');
    const [user, today] = [userOn(on(27)), monthly(on(27), 10, 8, { days: [kept(27)] })];
    expect(shown(today, user).plan).toBe('8 of 10 this month');
    expect(itemsOf(screenOf(user, today), knownOn(user), on(26))[0]?.plan).toBe('10 times a month');
  });

  it('is done on such a day, and counts what waits for the network', () => {
    const today = monthly(on(28), 10, 8, { days: [open(27), kept(28)] });
    expect(shown(today, userOn(on(28)))).toMatchObject({ now: 'done', left: 0, done: 1 });
    const yesterday = monthly(on(28), 10, 7, { days: [open(27), open(28)] });
    const taps = [tap({ at: at('2026-11-27T12:00:00Z') })];
    expect(shown(yesterday, userOn(on(28)), taps).now).toBe('week');
  });

  it('is asked for before days that rest', () => {
    const pauses = [{ id: '1', from: on(30), until: null }];
    expect(shown(monthly(on(27), 10, 7), userOn(on(27), { pauses })).now).toBe('open');
    const weekly = { schedule: { ...NO_SCHEDULE, timesPer: { count: 3, period: 'WEEK' as const } } };
    const wednesday = monthly(on(25), 3, 1, { ...weekly, days: [kept(23), open(24), open(25)] });
    expect(shown(wednesday, userOn(on(25))).now).toBe('week');
    const fromFriday = [{ id: '1', from: on(27), until: null }];
    expect(shown(wednesday, userOn(on(25), { pauses: fromFriday })).now).toBe('open');
  });

  it('is asked for without a network too, and begins anew with the month', () => {
    const asOn = (day: string, from: Task, told: string) => {
      const { tasks, user } = onDay(screenOf(userOn(told), from), day);
      return shown(tasks[0] ?? from, user).now;
    };
    expect(asOn(on(28), monthly(on(27), 10, 7, { days: [open(27)] }), on(27))).toBe('open');
    const today = monthly(on(27), 10, 8, { days: [kept(27)] }); // of which one is that of this day
    expect([on(28), on(29)].map((day) => asOn(day, today, on(27)))).toEqual(['week', 'open']);
    const all = monthly(on(30), 30, 30);
    expect(['2026-12-01', '2026-12-02'].map((day) => asOn(day, all, on(30)))).toEqual(['week', 'open']);
  });
});

describe('A habit of every so many days, with a day of grace', () => {
  const THURSDAY = '2026-11-19';
  const MONDAY = '2026-11-23';
  const plants = (change: Partial<Task> = {}): Task => ({
    ...spanish(SUNDAY, 0, 0, { target: null }),
    schedule: { ...NO_SCHEDULE, everyDays: 2 },
    hasGraceDay: true,
    streak: { unit: 'TIMES', count: 2, longest: 2, atRisk: true },
    ...change,
  });
  const calm = { ...plants().streak, atRisk: false };

  it('says that the day of grace is the last one, and not before it, once it is kept, or without such a day', () => {
    const says = (change: Partial<Task>) => shown(plants(change), userOn(SUNDAY)).plan;
    expect(says({})).toBe('every 2 days, last day');
    const others = [{ streak: calm }, { days: [doneOn(SUNDAY, 1)] }, { hasGraceDay: false }];
    expect(others.map(says)).toEqual(others.map(() => 'every 2 days'));
  });

  it('says so without a network too, and takes the day before for no miss', () => {
    const told = plants({ days: [doneOn(THURSDAY, 1)], streak: calm });
    const thursday = screenOf(userOn(THURSDAY), told);
    for (const from of [thursday, onDay(thursday, SATURDAY)])
      for (const [day, plan, ...states] of [
        [SATURDAY, 'every 2 days', 'OPEN'],
        [SUNDAY, 'every 2 days, last day', 'REST', 'OPEN'],
        [MONDAY, 'every 2 days', 'REST', 'MISSED', 'OPEN'],
      ] as const) {
        const screen = onDay(from, day);
        const [task = told] = screen.tasks;
        expect(shown(task, screen.user).plan).toBe(plan);
        expect(task.days.map(({ state }) => state).slice(2)).toEqual(states);
      }
  });
});

describe('What a habit says of itself', () => {
  it('is since when it is kept: the first day on which something was asked or done, if not long ago', () => {
    const days = (first: string) => [doneOn('2026-05-01', 0, 'REST'), doneOn(first, 0, 'MISSED')];
    expect(keptSince(days('2026-11-20'), '2026-05-24')).toBe(`Kept since ${shortDate('2026-11-20')}`);
    expect(keptSince(days('2026-05-24'), '2026-05-24')).toBe('Kept in half a year');
  });

  it('names its best and its least weekdays, by what was kept of what was due', () => {
    const of = (...counts: [kept: number, due: number][]) =>
      weekdaysInWords(
        counts.map(([keptCount, dueCount], index) => {
          return { weekday: WEEKDAYS[index] ?? 'MONDAY', keptCount, dueCount };
        }),
      );
    expect(of([2, 2], [3, 4], [1, 4], [4, 4], [1, 0])).toBe('Best: Mon, Thu. Least: Wed.');
    expect(of([2, 2], [4, 4], [0, 0])).toBe('');
    expect(of([2, 0], [0, 0], [1, 0])).toBe('Best: Mon.'); // a week asks for no day
    expect(of([1, 1], [1, 1], [1, 1], [1, 1], [0, 1])).toBe('Least: Fri.'); // most of a week tells nothing
    expect(of([0, 0], [0, 0])).toBe('');
  });

  it('leaves no praise for a day on which its limit was exceeded', () => {
    const coffee = { amount: 2, unit: 'cups', kind: 'AT_MOST', per: 'WEEK' } as const;
    const isPraised = (cups: number, ofToday: number) => {
      const user = userOn(SATURDAY);
      const screen = screenOf(user, spanish(SATURDAY, cups, ofToday, { target: coffee }));
      const limit = itemsOf(screen, knownOn(user), SATURDAY);
      return isAllDone({ open: [], done: limit, limit }); // whatever was done
    };
    expect([isPraised(2, 1), isPraised(3, 1), isPraised(3, 0)]).toEqual([true, false, true]);
  });
});

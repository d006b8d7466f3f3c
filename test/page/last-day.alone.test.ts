import { describe, expect, it } from 'vitest';
import { keptSince, weekdaysInWords } from '../../src/page/client/habit/summaries.js';
import type { Screen, Tap, Task, User } from '../../src/page/client/sync/types.js';
import { onDay, shortDate, WEEKDAYS } from '../../src/page/client/today/days.js';
import { countOf, countsByDay, isAllDone, itemsOf, sectionCount } from '../../src/page/client/today/items.js';
import { speak } from '../../src/page/client/ui/language.js';

const SATURDAY = '2026-11-21';
const SUNDAY = '2026-11-22';

const streak = { unit: 'WEEKS', count: 1, longest: 1 } as const;

const target = { amount: 150, unit: 'minutes', kind: 'AT_LEAST', per: 'WEEK' } as const;

const schedule: Task['schedule'] = { weekdays: null, everyDays: null, timesPer: null };

/** So much was done in the week, some of it on the day that is today. */
const spanish = (today: string, done: number, ofToday: number, change: Partial<Task> = {}): Task => {
  const completionCount = ofToday > 0 ? 1 : 0;
  const day = { date: today, state: 'OPEN', isSkipped: false, amount: ofToday, completionCount } as const;
  return {
    ...{
      id: '1',
      title: 'Spanish',
      description: null,
      points: 10,
      challengeTemplate: null,
      schedule,
      hasGraceDay: false,
      target,
      step: null,
    },
    ...{ colour: null, icon: null, tags: [], section: null, pauses: [], streak, days: [day] },
    today: { lastCompletion: null, periodAmount: done },
    thisPeriod: null,
    ...change,
  };
};

const userOn = (today: string, change: Partial<User> = {}): User => ({
  ...{
    timeZone: 'Europe/Berlin',
    dayStartsAt: 0,
    language: null,
    id: 'ana',
    name: 'Ana',
    email: 'ana@example.com',
  },
  ...{ points: 0, today, weekStartsOn: 'MONDAY', streak, sections: [], pauses: [], activeChallenge: null },
  ...change,
});

function shown(task: Task, user: User, taps: Tap[] = []) {
  const screen: Screen = { user, tasks: [task], archived: [], canRemind: false };
  const known = { taps, isOnline: true, zone: user, today: user.today, pauses: user.pauses };
  const items = itemsOf(screen, known, user.today);
  const { left, done } = countOf(items);
  return { now: items[0]?.now, plan: items[0]?.plan, left, done, section: sectionCount(items) };
}

describe('The amount of a week', () => {
  it.each([
    ['is asked for on its last day', 115, 0, 'open', '35 minutes left, last day', [1, 0]],
    [
      'is asked for although something was done on that day',
      135,
      20,
      'open',
      '15 minutes left, last day',
      [1, 0],
    ],
    ['is done once it is met', 150, 35, 'done', '', [0, 1]],
    ['asks for nothing if it was met before', 150, 0, 'week', '', [0, 0]],
  ] as const)('%s', async (_name, done, ofToday, now, plan, [left, isDone]) => {
    await speak('EN', ['en-GB']);
    expect(shown(spanish(SUNDAY, done, ofToday), userOn(SUNDAY))).toMatchObject({
      now,
      plan,
      left,
      done: isDone,
    });
  });

  it('need not be done before, and counts there where something was done', () => {
    expect(shown(spanish(SATURDAY, 115, 0), userOn(SATURDAY))).toMatchObject({
      now: 'week',
      plan: '',
      left: 0,
      done: 0,
    });
    expect(shown(spanish(SATURDAY, 135, 20), userOn(SATURDAY))).toMatchObject({
      now: 'week',
      left: 0,
      done: 1,
    });
  });

  it('has its last day before those that rest, or where the week of the person ends', () => {
    const pauses = [{ id: '1', from: SUNDAY, until: null }];
    const skipped = {
      date: SUNDAY,
      state: 'SKIPPED',
      isSkipped: true,
      amount: 0,
      completionCount: 0,
    } as const;
    const task = spanish(SATURDAY, 115, 0);
    expect(shown(task, userOn(SATURDAY, { pauses })).now).toBe('open');
    expect(shown({ ...task, pauses }, userOn(SATURDAY)).now).toBe('open');
    expect(shown({ ...task, days: [...task.days, skipped] }, userOn(SATURDAY)).now).toBe('open');
    expect(shown(task, userOn(SATURDAY, { weekStartsOn: 'SUNDAY' })).now).toBe('open');
    expect(shown(task, userOn(SATURDAY, { pauses: [{ id: '1', from: SATURDAY, until: null }] })).now).toBe(
      'rest',
    );
  });

  it('is still what its last day asked for when that is over, though nothing was done on it', () => {
    const monday = '2026-11-23';
    const placed = (date: string, isDue: boolean, change: Partial<User> = {}) => {
      const day = { date, state: 'REST', isSkipped: false, isDue, amount: 0, completionCount: 0 } as const;
      const user = userOn(monday, change);
      const screen: Screen = { user, tasks: [], archived: [], canRemind: false };
      const known = { taps: [], isOnline: true, zone: user, today: monday, pauses: user.pauses };
      const tasks = [spanish(monday, 0, 0, { days: [day] })];
      return itemsOf({ ...screen, tasks }, known, date).map(({ now }) => now);
    };
    expect([placed(SUNDAY, true), placed(SUNDAY, false), placed(SATURDAY, true)]).toEqual([
      ['open'],
      ['rest'],
      ['rest'],
    ]);
    const pauses = [{ id: '1', from: SUNDAY, until: SUNDAY }];
    expect([placed(SUNDAY, true, { pauses }), placed(SATURDAY, true, { pauses })]).toEqual([
      ['rest'],
      ['open'],
    ]);
  });

  // As the service counts: test/calendar/user-days.test.ts.
  it.each([
    ['fell short', {}, ['0 of 0', '1 of 1', '0 of 0', '0 of 0', '0 of 1']],
    ['was met on one of its days', { '05': 150 }, ['0 of 0', '1 of 1', '0 of 0', '0 of 0', '0 of 0']],
    [
      'fell short, with a last day that rested',
      { '08': 'SKIPPED' },
      ['0 of 0', '1 of 1', '0 of 0', '0 of 1', '0 of 0'],
    ],
    [
      'was met on the last day, which rested',
      { '08': 90 },
      ['0 of 0', '1 of 1', '0 of 0', '0 of 0', '1 of 1'],
    ],
  ] as const)('is counted on its days when it %s', (_name, change, counted) => {
    const done: Record<string, number | string> = { '05': 60, ...change };
    const days = ['04', '05', '06', '07', '08'].map((date) => {
      const amount = Number(done[date]) || 0;
      const isSkipped = date === '08' && date in done;
      const state = amount > 0 ? ('KEPT' as const) : isSkipped ? ('SKIPPED' as const) : ('REST' as const);
      const isDue = done['05'] !== 150; // whatever was done later
      const completionCount = Number(amount > 0);
      return { date: `2026-11-${date}`, state, isSkipped, isDue, amount, completionCount };
    });
    for (const today of [days.at(-1)?.date ?? '', '2026-11-09']) {
      const user = userOn(today);
      const periodAmount = days.reduce((sum, { amount }) => sum + amount, 0);
      const task = spanish(today, today === '2026-11-09' ? 0 : periodAmount, 0, { days });
      const screen: Screen = { user, tasks: [task], archived: [], canRemind: false };
      const known = { taps: [], isOnline: true, zone: user, today, pauses: [] };
      const dates = days.map(({ date }) => date);
      const counts = countsByDay(screen, dates, known).map(({ asked, done }) => `${done} of ${asked}`);
      expect([today, ...counts]).toEqual([today, ...counted]);
    }
  });

  it('of a month is asked for on its last day', () => {
    const monthly = { target: { ...target, per: 'MONTH' as const } };
    expect(shown(spanish('2026-11-30', 115, 0, monthly), userOn('2026-11-30')).now).toBe('open');
    expect(shown(spanish(SUNDAY, 115, 0, monthly), userOn(SUNDAY)).now).toBe('week');
  });
});

describe('A limit of a week', () => {
  it('has nothing left to be done on the last day', () => {
    const limit = { target: { ...target, kind: 'AT_MOST' as const } };
    expect(shown(spanish(SUNDAY, 115, 0, limit), userOn(SUNDAY))).toMatchObject({ now: 'limit', plan: '' });
  });
});

/** So many days of November asked for, and so many kept, on a day that is open or kept. */
const monthly = (today: string, times: number, done: number, change: Partial<Task> = {}): Task =>
  spanish(today, 0, 0, {
    target: null,
    schedule: { weekdays: null, everyDays: null, timesPer: { count: times, period: 'MONTH' } },
    thisPeriod: { goal: times, done },
    ...change,
  });

describe('A habit of so many days a month', () => {
  const on = (date: number) => `2026-11-${date}`;
  const kept = (date: number) =>
    ({ date: on(date), state: 'KEPT', isSkipped: false, amount: 1, completionCount: 1 }) as const;
  const open = (date: number) => ({ ...kept(date), state: 'OPEN', amount: 0, completionCount: 0 }) as const;

  it('is asked for on the days that are left once it needs all of them, and not before', () => {
    expect(shown(monthly(on(27), 10, 7), userOn(on(27))).now).toBe('week');
    expect(shown(monthly(on(28), 10, 7), userOn(on(28)))).toMatchObject({ now: 'open', left: 1, done: 0 });
    expect(shown(monthly(on(28), 10, 8), userOn(on(28))).now).toBe('week');
    expect(shown(monthly(on(30), 1, 0), userOn(on(30))).now).toBe('open');
    expect(shown(monthly(on(30), 1, 1), userOn(on(30))).now).toBe('week');
  });

  it('says how far its month is, on today', () => {
    expect(shown(monthly(on(10), 4, 2), userOn(on(10))).plan).toBe('2 of 4 this month');
    const today = monthly(on(27), 10, 8, { days: [kept(27)] });
    expect(shown(today, userOn(on(27))).plan).toBe('8 of 10 this month');
    expect(shown(monthly(on(10), 4, 6), userOn(on(10))).plan).toBe('6 this month');
    const known = { taps: [], isOnline: true, zone: userOn(on(27)), today: on(27) };
    const screen: Screen = { user: userOn(on(27)), tasks: [today], archived: [], canRemind: false };
    expect(itemsOf(screen, known, on(26))[0]?.plan).toBe('10 times a month');
  });

  it('is done on such a day, and counts what waits for the network', () => {
    const today = monthly(on(28), 10, 8, { days: [open(27), kept(28)] });
    expect(shown(today, userOn(on(28)))).toMatchObject({ now: 'done', left: 0, done: 1 });
    const waiting = { key: 'one', userId: 'ana', taskId: '1', title: 'Spanish', amount: null, note: null };
    const at = Date.parse('2026-11-27T12:00:00Z');
    const flags = { isSent: false, isUndone: false, countsOnArrival: false, refusal: null };
    const yesterday = monthly(on(28), 10, 7, { days: [open(27), open(28)] });
    expect(shown(yesterday, userOn(on(28)), [{ ...waiting, at, ...flags }]).now).toBe('week');
  });

  it('is asked for before days that rest', () => {
    const pauses = [{ id: '1', from: on(30), until: null }];
    expect(shown(monthly(on(27), 10, 7), userOn(on(27), { pauses })).now).toBe('open');
    const weekly = {
      schedule: { weekdays: null, everyDays: null, timesPer: { count: 3, period: 'WEEK' as const } },
    };
    const wednesday = monthly(on(25), 3, 1, { ...weekly, days: [kept(23), open(24), open(25)] });
    expect(shown(wednesday, userOn(on(25))).now).toBe('week');
    const untilSunday = [{ id: '1', from: on(27), until: null }];
    expect(shown(wednesday, userOn(on(25), { pauses: untilSunday })).now).toBe('open');
  });

  it('is asked for without a network too, and begins anew with the month', () => {
    const asOn = (day: string, task: Task, user: User) => {
      const { tasks, user: then } = onDay({ user, tasks: [task], archived: [], canRemind: false }, day);
      return shown(tasks[0] ?? task, then).now;
    };
    const before = monthly(on(27), 10, 7, { days: [open(27)] });
    expect(asOn(on(28), before, userOn(on(27)))).toBe('open');
    const today = monthly(on(27), 10, 8, { days: [kept(27)] }); // of which one is that of this day
    expect([asOn(on(28), today, userOn(on(27))), asOn(on(29), today, userOn(on(27)))]).toEqual([
      'week',
      'open',
    ]);
    expect(asOn('2026-12-01', monthly(on(30), 30, 30), userOn(on(30)))).toBe('week');
    expect(asOn('2026-12-02', monthly(on(30), 30, 30), userOn(on(30)))).toBe('open');
  });
});

describe('A habit of every so many days, with a day of grace', () => {
  const THURSDAY = '2026-11-19';
  const MONDAY = '2026-11-23';
  const plants = (change: Partial<Task>): Task => ({
    ...spanish(SUNDAY, 0, 0, { target: null }),
    schedule: { weekdays: null, everyDays: 2, timesPer: null },
    hasGraceDay: true,
    streak: { unit: 'TIMES', count: 2, longest: 2, atRisk: true },
    ...change,
  });
  const user = userOn(SUNDAY);

  it.each([
    ['EN', 'every 2 days, last day'],
    ['DE', 'alle 2 Tage, letzter Tag'],
    ['ES', 'cada 2 días, último día'],
    ['FR', 'tous les 2 jours, dernier jour'],
    ['PT_BR', 'a cada 2 dias, último dia'],
  ] as const)('says that the day of grace is the last one: %s', async (language, words) => {
    await speak(language, []);
    expect(shown(plants({}), user)).toMatchObject({ now: 'open', plan: words });
  });

  it('does not say so before it, once it is kept, or without such a day', async () => {
    await speak('EN', ['en-GB']);
    const kept = { date: SUNDAY, state: 'KEPT', isSkipped: false, amount: 0, completionCount: 1 } as const;
    const others = [
      { streak: { ...plants({}).streak, atRisk: false } },
      { days: [kept] },
      { hasGraceDay: false },
    ];
    expect(others.map((change) => shown(plants(change), user).plan)).toEqual(
      others.map(() => 'every 2 days'),
    );
  });

  it('says so without a network too, and takes the day before for no miss', async () => {
    await speak('EN', ['en-GB']);
    const kept = { date: THURSDAY, state: 'KEPT', isSkipped: false, amount: 0, completionCount: 1 } as const;
    const told = plants({ days: [kept], streak: { ...plants({}).streak, atRisk: false } });
    const thursday: Screen = { user: userOn(THURSDAY), tasks: [told], archived: [], canRemind: false };
    const on = (from: Screen, day: string) => {
      const screen = onDay(from, day);
      const [task = told] = screen.tasks;
      return [shown(task, screen.user).plan, ...task.days.map(({ state }) => state).slice(2)];
    };
    const saturday = onDay(thursday, SATURDAY);
    for (const from of [thursday, saturday]) {
      expect(on(from, SATURDAY)).toEqual(['every 2 days', 'OPEN']);
      expect(on(from, SUNDAY)).toEqual(['every 2 days, last day', 'REST', 'OPEN']);
      expect(on(from, MONDAY)).toEqual(['every 2 days', 'REST', 'MISSED', 'OPEN']);
    }
  });
});

describe('Since when a habit is kept', () => {
  it('is the first day on which something was asked or done, if that was not long ago', async () => {
    await speak('EN', ['en-GB']);
    const days = (first: string) => [
      { date: '2026-05-01', state: 'REST' as const },
      { date: first, state: 'MISSED' as const },
    ];
    expect(keptSince(days('2026-11-20'), '2026-05-24')).toBe(`Kept since ${shortDate('2026-11-20')}`);
    expect(keptSince(days('2026-05-24'), '2026-05-24')).toBe('Kept in half a year');
  });
});

describe('What the weekdays of a habit say', () => {
  const of = (...counts: [kept: number, due: number][]) =>
    weekdaysInWords(
      counts.map(([keptCount, dueCount], index) => ({
        weekday: WEEKDAYS[index] ?? 'MONDAY',
        keptCount,
        dueCount,
      })),
    );

  it('names the best and the least, by what was kept of what was due', async () => {
    await speak('EN', ['en-GB']);
    expect(of([2, 2], [3, 4], [1, 4], [4, 4], [1, 0])).toBe('Best: Mon, Thu. Least: Wed.');
    expect(of([2, 2], [4, 4], [0, 0])).toBe('');
    expect(of([2, 0], [0, 0], [1, 0])).toBe('Best: Mon.'); // a week asks for no day
    expect(of([1, 1], [1, 1], [1, 1], [1, 1], [0, 1])).toBe('Least: Fri.'); // most of a week tells nothing
    expect(of([0, 0], [0, 0])).toBe('');
  });
});

describe('A section', () => {
  it('counts what stands in it as its rings do: some minutes are not the whole week', () => {
    expect(shown(spanish(SATURDAY, 135, 20), userOn(SATURDAY)).section).toEqual({ all: 1, done: 0 });
    expect(shown(spanish(SATURDAY, 150, 0), userOn(SATURDAY)).section).toEqual({ all: 1, done: 1 });
  });
});

describe('The praise for a day', () => {
  const coffee = { amount: 2, unit: 'cups', kind: 'AT_MOST', per: 'WEEK' } as const;
  const isPraised = (cups: number, ofToday: number) => {
    const screen: Screen = {
      ...{ user: userOn(SATURDAY), archived: [], canRemind: false },
      tasks: [spanish(SATURDAY, cups, ofToday, { target: coffee })],
    };
    const known = { taps: [], isOnline: true, zone: screen.user, today: SATURDAY };
    const limit = itemsOf(screen, known, SATURDAY);
    return isAllDone({ open: [], done: limit, limit }); // whatever was done
  };

  it('is not given on a day on which a limit was exceeded', () => {
    expect([isPraised(2, 1), isPraised(3, 1), isPraised(3, 0)]).toEqual([true, false, true]);
  });
});

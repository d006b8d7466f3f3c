import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import express from 'express';
import { parse, validate } from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { follow } from '../../packages/client/src/live.js';
import { declaredSchema } from '../../src/app.js';
import { clock, momentOf, now } from '../../src/page/client/shell/clock.js';
import { merged } from '../../src/page/client/sync/merge.js';
import type { Tap, Task, Weekday } from '../../src/page/client/sync/types.js';
import { asOf, endOfDay, later, momentIn } from '../../src/page/client/today/days.js';
import { dotsOf, planOf } from '../../src/page/client/today/plan.js';
import { runOn } from '../../src/page/client/today/runs.js';
import {
  accountOf,
  groupOf,
  noteDays,
  progressOf,
  standingOf,
} from '../../src/page/client/today/standing.js';
import { speak } from '../../src/page/client/ui/language.js';
import { page as servedPage } from '../../src/page/page.js';
import { at, BERLIN, doneOn, NO_SCHEDULE, screenOf, streak, TODAY, tap, task, userOn } from './tasks.js';

await speak('EN', ['en-GB']);

const documents = await Promise.all(
  globSync('src/page/client/**/*documents.ts').map((file) => import(path.resolve(file))),
).then((modules): [string, string][] => modules.flatMap((each) => Object.entries<string>(each)));

describe('The page', () => {
  it('is another one for its service worker when any file, or a header, has changed', () => {
    const [known = '', ...code] = readFileSync('dist/page/service-worker.js', 'utf8').split('\n');
    const open = 'src/page/client/public';
    const files = [
      readFileSync('dist/page/index.html'),
      code.join('\n'),
      readFileSync('src/page/page.ts'),
      ...readdirSync(open)
        .sort()
        .map((name) => readFileSync(path.join(open, name))),
    ];
    const kept: string[] = JSON.parse(/FILES=(\[.*?\])/.exec(known)?.[1] ?? '[]');
    const languages: Record<string, string> = JSON.parse(/LANGUAGES=(\{.*?\})/.exec(known)?.[1] ?? '{}');
    expect(Object.keys(languages).sort()).toEqual(['DE', 'EN', 'ES', 'FR', 'PT_BR']);
    const assets = [...kept, ...Object.values(languages)].filter((name) => name.includes('/assets/'));
    const built = readdirSync('dist/page/assets')
      .filter((name) => !/\.(?:br|gz)$/.test(name))
      .sort();
    const isKept = (name: string) => !/^(?:later-|opened-link|starters)/.test(name); // without the service they are of no use
    expect(assets.map((name) => path.basename(name)).sort()).toEqual(built.filter(isKept));
    const hash = createHash('sha256').update(built.map((name) => `assets/${name}`).join());
    for (const file of files) hash.update(file);
    expect(known).toContain(`VERSION="${hash.digest('hex').slice(0, 12)}"`);
  });

  it('is another one for its service worker where accounts are made otherwise', async () => {
    const worker = async (signUp: 'open' | 'closed') => {
      const page = servedPage({ publicPath: '', signUp, backdateHours: 168 });
      const server = express().use(page).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const answer = await fetch(`http://127.0.0.1:${port}/service-worker.js`);
      server.close();
      return answer.text();
    };
    expect(await worker('open')).toMatch(/VERSION=/);
    expect(await worker('open')).not.toBe(await worker('closed'));
  });

  it('tries a connection on which nothing can be followed after longer and longer pauses', async () => {
    vi.useFakeTimers();
    let connections = 0;
    const live = follow((_opened, ended) => {
      connections += 1;
      setTimeout(() => ended(false));
      return { end() {}, probe() {} };
    });
    await vi.advanceTimersByTimeAsync(60_000);
    live.stop();
    vi.useRealTimers();
    expect(connections).toBeGreaterThan(3);
    expect(connections).toBeLessThan(12); // with the shortest pause each time they were 60 and more
  });

  it.each(documents)('asks what the schema offers: %s', (_name, text) => {
    expect(validate(declaredSchema(), parse(text))).toEqual([]);
  });
});

describe("A user's day", () => {
  it.each([
    ['in winter', '2026-11-21T12:00:00Z', BERLIN, '2026-11-21T23:00:00Z'],
    ['with 25 hours', '2026-10-24T22:30:00Z', BERLIN, '2026-10-25T23:00:00Z'],
    ['with 23 hours', '2026-03-28T23:30:00Z', BERLIN, '2026-03-29T22:00:00Z'],
    ['that begins late', '2026-11-21T12:00:00Z', { ...BERLIN, dayStartsAt: 4 }, '2026-11-22T03:00:00Z'],
  ])('ends at its midnight: %s', (_name, now, zone, end) => {
    expect(endOfDay(at(now), zone)).toBe(at(end));
  });

  it.each([
    ['today', '2026-11-21', '2026-11-21T12:00:00Z'],
    ['yesterday, in its last minute', '2026-11-20', '2026-11-20T22:59:00Z'],
    ['before the clocks were changed', '2026-10-24', '2026-10-24T21:59:00Z', '2026-10-25T22:30:00Z'],
    ['of 23 hours', '2026-03-29', '2026-03-29T21:59:00Z', '2026-03-29T22:30:00Z'],
    ['that begins late', '2026-11-20', '2026-11-21T02:59:00Z', '2026-11-21T12:00:00Z', 4],
  ])(
    'has a moment for what was done on it: %s',
    (_name, day, moment, now = '2026-11-21T12:00:00Z', hour = 0) => {
      expect(momentIn(day, at(now), { ...BERLIN, dayStartsAt: hour })).toBe(at(moment));
    },
  );
});

const known = { taps: [], isOnline: true, zone: BERLIN, today: TODAY };

describe('How a habit stands on a day', () => {
  const refusal = { reason: 'TOO_LONG_AGO', message: 'No' };

  it.each([
    ['nothing was done', {}, 0, 'open', ''],
    ['the service has said so', {}, 1, 'saved', 'saved'],
    ['the service has said so twice', {}, 2, 'saved', '2 times, saved'],
    ['it is on its way', { taps: [tap()] }, 0, 'saving', 'saving'],
    ['there is no network', { taps: [tap()], isOnline: false }, 0, 'waiting', 'waiting for the network'],
    ['one is saved, one is on its way', { taps: [tap(), tap()] }, 1, 'saving', '2 saving · saved'],
    ['it was refused', { taps: [tap({ refusal })] }, 0, 'refused', 'refused'],
    ['it was taken back', { taps: [tap({ isUndone: true })] }, 0, 'open', ''],
    ['it is of yesterday', { taps: [tap({ at: at('2026-11-20T12:00:00Z') })] }, 0, 'open', ''],
    ['another one was done', { taps: [tap({ taskId: '2' })] }, 0, 'open', ''],
  ])('when %s', (_name, change, completionCount, status, words) => {
    expect(standingOf(task('1', completionCount), TODAY, { ...known, ...change })).toMatchObject({
      status,
      words,
      word: words.split(' · ')[0], // a row says one thing
    });
  });

  it('adds up to its target, with what is on its way', () => {
    const water = task('1', 3, {
      target: { amount: 8, unit: 'glasses', kind: 'AT_LEAST', per: 'DAY' },
      days: [doneOn(TODAY, 3, 'PARTIAL')],
    });
    const standing = (...taps: Tap[]) => standingOf(water, TODAY, { ...known, taps });
    expect(progressOf(water, standing())).toBe('3 of 8 glasses');
    expect(standing(tap({ amount: 4.5 }))).toMatchObject({ amount: 7.5, isKept: false, state: 'PARTIAL' });
    expect(standing(tap({ amount: 4.5 }), tap({ amount: 0.5 }))).toMatchObject({ share: 1, isKept: true });
    expect(standing(tap())).toMatchObject({ amount: 11, isKept: true, state: 'KEPT' }); // one without an amount is all of it
  });

  it('is of the day that is asked for', () => {
    const yesterday = tap({ at: at('2026-11-20T22:59:00Z') });
    const taps = [yesterday, tap({ at: at('2026-11-20T12:00:00Z'), countsOnArrival: true })];
    const on = (day: string) => standingOf(task('1'), day, { ...known, taps });
    for (const day of ['2026-11-20', TODAY]) expect(on(day)).toMatchObject({ pending: 1, isKept: true });
    expect(on('2026-11-19')).toMatchObject({ pending: 0, isKept: false });
  });

  it('is known of earlier days that a view has asked for, and of those of the list as that says', () => {
    const far = '2026-10-21';
    const water = task('far', 0, { target: { amount: 8, unit: 'glasses', kind: 'AT_LEAST', per: 'DAY' } });
    expect(standingOf(water, far, known)).toMatchObject({ state: 'REST', saved: 0 });
    noteDays('far', [doneOn(far, 5, 'PARTIAL'), doneOn(TODAY, 9)]);
    expect(standingOf(water, far, known)).toMatchObject({ state: 'PARTIAL', amount: 5, saved: 5 });
    expect(standingOf(water, TODAY, known)).toMatchObject({ amount: 0 });
    const taps = [tap({ taskId: 'far', amount: 3, at: at(`${far}T12:00:00Z`) })];
    expect(standingOf(water, far, { ...known, taps })).toMatchObject({ state: 'KEPT', amount: 8 });
    noteDays('far', [doneOn(far, 8, 'KEPT')]);
    expect(standingOf(water, far, known)).toMatchObject({ state: 'KEPT' });
  });

  it.each([
    ['OPEN', 'open'],
    ['MISSED', 'open'],
    ['PARTIAL', 'open'],
    ['REST', 'rest'],
    ['SKIPPED', 'rest'],
    ['PAUSED', 'rest'],
  ] as const)('puts what is %s among what is %s', (state, group) => {
    const one = task('1', 0, { days: [doneOn(TODAY, 0, state)] });
    expect(groupOf(standingOf(one, TODAY, known))).toBe(group);
    expect(groupOf(standingOf(one, TODAY, { ...known, taps: [tap()] }))).toBe('done');
  });
});

const user = userOn(TODAY);

const LIMIT = { amount: 2, unit: 'cups', kind: 'AT_MOST', per: 'DAY' } as const;
const WEEKLY = { amount: 20, unit: 'km', kind: 'AT_LEAST', per: 'WEEK' } as const;
const YESTERDAY = '2026-11-20';

describe('How a limit stands, and a target of a week', () => {
  const kept = { lastCompletion: null, periodAmount: 21 };
  const says = (one: Task, day: string, taps: Tap[] = []) =>
    accountOf(one, standingOf(one, day, { ...known, taps }));

  it('says how much of it is of the day that is shown', () => {
    const run = task('1', 0, { target: WEEKLY, today: kept, days: [doneOn(YESTERDAY, 5), doneOn(TODAY, 0)] });
    expect(says(run, TODAY)).toBe('21 of 20 km this week');
    expect(says(run, YESTERDAY)).toBe('5 km, saved');
    const none = { ...LIMIT, amount: 0 };
    const days = [doneOn(YESTERDAY, 0, 'KEPT'), doneOn(TODAY, 0, 'WITHIN')];
    const smoke = task('1', 0, { target: none, streak: { ...streak, count: 41 }, days });
    expect(says(smoke, TODAY)).toBe('41 days without');
    expect(says({ ...smoke, streak }, TODAY)).toBe('within the limit');
    expect(says(smoke, TODAY, [tap({ amount: 1 })])).toBe('0 days without, exceeded, saving');
    expect(says(smoke, YESTERDAY)).toBe('');
  });

  it('counts what waits since its week began, and the day on which it was done as kept', () => {
    const days = [doneOn(YESTERDAY, 0, 'REST'), doneOn(TODAY, 0)];
    const begun = { lastCompletion: null, periodAmount: 4 };
    const run = task('1', 0, { target: WEEKLY, today: begun, days });
    const taps = [
      tap({ amount: 9, at: at('2026-11-15T12:00:00Z') }), // of the week before
      tap({ amount: 2.5, at: at(`${YESTERDAY}T12:00:00Z`) }),
    ];
    expect(says(run, TODAY, taps)).toBe('6.5 of 20 km this week');
    expect(standingOf(run, YESTERDAY, { ...known, taps })).toMatchObject({ state: 'KEPT', isKept: true });
  });

  it.each([
    ['EXCEEDED', {}, 'EXCEEDED', '3 of 2 cups, 1 over, saved'],
    ['SKIPPED', {}, 'SKIPPED', '3 of 2 cups, saved'],
    ['PAUSED', {}, 'PAUSED', '3 of 2 cups, saved'],
    ['SKIPPED', { taps: [tap({ amount: 1 })] }, 'SKIPPED', '4 of 2 cups, saving · saved'],
    ['EXCEEDED', { pauses: [{ id: '1', from: TODAY, until: null }] }, 'EXCEEDED', '3 of 2 cups, saved'],
  ] as const)('forgives what is above it on a day that rests: %s', (state, change, now, words) => {
    const one = task('1', 0, { target: LIMIT, days: [{ ...doneOn(TODAY, 1, state), amount: 3 }] });
    const standing = standingOf(one, TODAY, { ...known, ...change });
    expect([standing.state, accountOf(one, standing)]).toEqual([now, words]);
  });

  it('ended its run where it was exceeded', () => {
    const states = ['KEPT', 'EXCEEDED', 'KEPT', 'KEPT', 'WITHIN'] as const;
    const days = states.map((state, index) => doneOn(later(TODAY, index - 4), 0, state));
    const one = task('1', 0, { target: LIMIT, days, streak: { ...streak, count: 2 } });
    const runs = days.map(({ date }) => runOn(one, date, user));
    expect(runs).toEqual([null, 0, 1, 2, 2]);
  });

  it('is not told of today by a device that knows of a day since which ended it', () => {
    const days = [doneOn(later(TODAY, -1), 1), doneOn(TODAY, 0)];
    const one = task('1', 0, { days, streak: { ...streak, count: 5 } });
    const runAfter = (nights: number) => {
      const { tasks, user: then } = asOf(screenOf(user, one), at(`${later(TODAY, nights)}T12:00:00Z`));
      return tasks.map((each) => runOn(each, then.today, then));
    };
    expect([0, 1, 2].map(runAfter)).toEqual([[5], [null], [null]]);
  });
});

describe('How a habit is planned', () => {
  const onDays = (...dates: string[]) => ({
    days: dates.map((date) => doneOn(`2026-11-${date}`, 1)),
    schedule: { ...NO_SCHEDULE, timesPer: { count: 3, period: 'WEEK' as const } },
  });
  const says = (change: Partial<Task>, { day = TODAY, who = user, taps = [] as Tap[] } = {}) =>
    planOf(task('1', 0, change), day, who, { ...known, taps });

  it.each([
    ['MONDAY', '2 of 3 this week'],
    ['SUNDAY', '3 of 3 this week'],
    ['SATURDAY', '0 of 3 this week'],
  ] as const)('counts the week from %s', (weekStartsOn, words) => {
    const who = { ...user, weekStartsOn };
    expect(says(onDays('15', '16', '20'), { who })).toBe(words);
    const dots = dotsOf(task('1', 0, onDays('15', '16', '20')), TODAY, who, known);
    expect(dots).toMatch(new RegExp(`^●{${words[0]}}○*$`));
    expect(dots).toHaveLength(3);
  });

  it('counts what is on its way, whichever day is shown, and more than was asked for', () => {
    const taps = [tap({ at: at('2026-11-19T12:00:00Z') })];
    for (const day of [TODAY, '2026-11-19', '2026-11-16'])
      expect(says(onDays('16', '20'), { taps, day })).toBe('3 of 3 this week');
    expect(says(onDays('16', '17', '18', '20'))).toBe('4 this week');
    expect(says(onDays('14', '16'), { day: '2026-11-15' })).toBe('3 times a week');
  });

  it('asks a week for no more days than do not rest, and says why one rests', () => {
    const pauses = [{ id: '1', from: '2026-11-16', until: '2026-11-21' }];
    expect(says({ ...onDays('21'), pauses })).toBe('1 of 2 this week');
    expect(says(onDays('21'), { who: { ...user, pauses } })).toBe('1 of 2 this week');
    for (const state of ['PAUSED', 'SKIPPED'] as const)
      expect(says({ days: [doneOn(TODAY, 0, state)] })).toBe(state.toLowerCase());
  });

  it('names weekdays and intervals, and nothing for every day', () => {
    expect(says({})).toBe('');
    expect(says({ schedule: { ...NO_SCHEDULE, weekdays: ['MONDAY', 'FRIDAY'] } })).toBe('Mon, Fri');
    expect(says({ schedule: { ...NO_SCHEDULE, everyDays: 3 } })).toBe('every 3 days');
    expect(says({ schedule: { ...NO_SCHEDULE, timesPer: { count: 1, period: 'MONTH' } } })).toBe(
      'once a month',
    );
  });
});

describe('What is shown', () => {
  const screen = screenOf(user, task('1', 1), task('2'));

  it('takes in what an answer tells, of nobody else, and all of it is of one day', () => {
    const news = { ...user, points: 10, today: '2026-11-22' };
    const done = { ...task('2', 1), days: [doneOn('2026-11-22', 1)] };
    const { user: now, tasks } = merged(screen, { user: news, tasks: [done] });
    expect(now.points).toBe(10);
    expect(tasks.map(({ days }) => days.at(-1))).toEqual([0, 1].map((count) => doneOn('2026-11-22', count)));
    expect(merged(screen, { user: { ...news, id: 'bea' }, tasks: [] })).toBe(screen);
  });

  it('is not done any more when it is kept until the next day', () => {
    expect(asOf(screen, at('2026-11-21T22:59:00Z'))).toBe(screen);
    const { user: now, tasks } = asOf(screen, at('2026-11-21T23:00:00Z'));
    expect(now.today).toBe('2026-11-22');
    expect(tasks[0]?.today).toEqual({ lastCompletion: null, periodAmount: 0 });
  });

  const pauses = [{ id: 'p', from: '2026-11-23', until: null }];
  it.each([
    ['every day', {}, {}, 'MISSED MISSED OPEN'],
    ['weekdays', { weekdays: ['SUNDAY'] }, {}, 'MISSED REST REST'],
    ['every third day', { everyDays: 3 }, {}, 'REST REST OPEN'],
    ['so many times a week', { timesPer: { count: 1, period: 'WEEK' } }, {}, 'REST REST OPEN'],
    ['fewer than so many times', { timesPer: { count: 2, period: 'MONTH' } }, {}, 'REST REST OPEN'],
    ['as many times as asked', { timesPer: { count: 1, period: 'MONTH' } }, {}, 'REST REST REST'],
    ['a pause', {}, { pauses }, 'MISSED PAUSED PAUSED'],
    ['a limit', {}, { target: LIMIT }, 'KEPT KEPT WITHIN'],
    ['a target of a week', {}, { target: WEEKLY }, 'REST REST OPEN'],
  ] as const)('knows without a network what is due days later: %s', (_name, schedule, change, states) => {
    const plan = { ...NO_SCHEDULE, ...schedule };
    const one = { ...task('1', 1), ...change, schedule: plan } as Task;
    const { tasks } = asOf({ ...screen, tasks: [one] }, at('2026-11-24T12:00:00Z'));
    expect(tasks[0]?.days.slice(-3).map(({ state }) => state)).toEqual(states.split(' '));
  });

  it('has in a new week nothing of the one before', () => {
    const run = task('1', 0, { target: WEEKLY, today: { lastCompletion: null, periodAmount: 21 } });
    const amountOn = (day: string) =>
      asOf(screenOf(user, run), at(`${day}T12:00:00Z`)).tasks[0]?.today.periodAmount;
    expect(['2026-11-22', '2026-11-23'].map(amountOn)).toEqual([21, 0]);
  });

  it('asks no more in a week for what was kept in it, without a network either', () => {
    const schedule = { ...NO_SCHEDULE, timesPer: { count: 1, period: 'WEEK' } } as const;
    const kept = { ...screen, tasks: [{ ...task('1', 1), schedule }] };
    const on = (weekStartsOn: Weekday) =>
      asOf({ ...kept, user: { ...user, weekStartsOn } }, at('2026-11-23T12:00:00Z')).tasks[0]?.days.at(-1);
    expect([on('MONDAY')?.state, on('SATURDAY')?.state]).toEqual(['OPEN', 'REST']);
  });
});

it('The clock of this device is corrected when it is slow, or fast, not where only an answer took long', () => {
  for (const [sent, told, arrived, ahead] of [
    [10_000, 9_500, 18_000, 0],
    [10_000, 14_000, 18_000, 0],
    [10_000, 70_000, 11_000, 59],
    [70_000, 10_000, 71_000, -60],
    [0, 0, 0, 0],
  ] as const) {
    clock.compare(sent, told, arrived);
    expect(Math.round((now() - Date.now()) / 1_000)).toBe(ahead);
  }
  expect(momentOf(Date.now() + 3_600_000)).toBeLessThanOrEqual(Date.now()); // no tap is of the future
});

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { compareClocks, momentOf, now } from '../../src/page/client/clock.js';
import { asOf, dayAt, endOfDay, later, spanOf } from '../../src/page/client/days.js';
import * as documents from '../../src/page/client/documents.js';
import { merged, replaced } from '../../src/page/client/merge.js';
import { standingOf } from '../../src/page/client/task-status.js';
import type { Day, Screen, Tap, Task, User } from '../../src/page/client/types.js';
import { monthsOf, stepOf, summaryOf, weeksOf, wordsOf, yearOf } from '../../src/page/client/year.js';

const BERLIN = { timeZone: 'Europe/Berlin', dayStartsAt: 0 };
const at = (instant: string) => Date.parse(instant);

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
    const assets = kept.filter((name) => name.includes('/assets/')).map((name) => name.replace('page/', ''));
    const hash = createHash('sha256').update(assets.join());
    for (const file of files) hash.update(file);
    expect(assets.map((name) => path.basename(name)).sort()).toEqual(readdirSync('dist/page/assets').sort());
    expect(known).toContain(`VERSION="${hash.digest('hex').slice(0, 12)}"`);
  });

  it.each(Object.entries(documents))('asks what the schema offers: %s', (_name, text) => {
    expect(validate(declaredSchema(), parse(text))).toEqual([]);
  });
});

describe("A user's day", () => {
  it('is cut by the zone and the hour', () => {
    expect(dayAt(at('2026-11-21T23:30:00Z'), BERLIN)).toBe('2026-11-22');
    expect(dayAt(at('2026-11-21T23:30:00Z'), { ...BERLIN, dayStartsAt: 4 })).toBe('2026-11-21');
    expect(dayAt(at('2026-11-21T23:30:00Z'), { timeZone: 'Nowhere/Land', dayStartsAt: 0 })).toBe(
      '2026-11-21',
    );
  });

  it.each([
    ['in winter', '2026-11-21T12:00:00Z', BERLIN, '2026-11-21T23:00:00Z'],
    ['with 25 hours', '2026-10-24T22:30:00Z', BERLIN, '2026-10-25T23:00:00Z'],
    ['with 23 hours', '2026-03-28T23:30:00Z', BERLIN, '2026-03-29T22:00:00Z'],
    ['that begins late', '2026-11-21T12:00:00Z', { ...BERLIN, dayStartsAt: 4 }, '2026-11-22T03:00:00Z'],
    [
      'by the quarter of an hour',
      '2026-11-21T12:00:00Z',
      { timeZone: 'Asia/Kathmandu', dayStartsAt: 0 },
      '2026-11-21T18:15:00Z',
    ],
  ])('ends at its midnight: %s', (_name, now, zone, end) => {
    expect(endOfDay(at(now), zone)).toBe(at(end));
  });

  it('is told in hours and minutes', () => {
    expect([spanOf(11_520_000), spanOf(7_200_000), spanOf(59_000)]).toEqual(['3 h 12 min', '2 h', '1 min']);
  });
});

const day = (date: string, completions: number): Day => ({ date, completions, points: completions * 10 });

describe('The heatmap', () => {
  const calendar = Array.from({ length: 366 }, (_, index) => day(later('2025-11-22', index), index % 3));
  const year = yearOf(calendar, '2026-11-21');

  it('has 365 days up to today, in 53 weeks from Monday on', () => {
    expect([year.length, year.at(-1)?.date]).toEqual([365, '2026-11-21']);
    const weeks = weeksOf(year);
    expect(weeks).toHaveLength(53);
    expect(weeks.at(-1)?.map((each) => each?.date ?? null)).toEqual([
      ...['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'],
      null,
    ]);
    expect(monthsOf(weeks).reduce((sum, month) => sum + month.weeks, 0)).toBe(53);
  });

  it('says in a sentence what it shows', () => {
    const days = [1, 1, 0, 2, 1, 1, 0].map((done, index) => day(later('2026-11-15', index), done));
    expect(summaryOf(days)).toBe('Something was done on 5 of 7 days. The longest run was 3 days.');
    expect(wordsOf(day('2026-11-21', 3))).toBe('Sat, 21 Nov 2026: 3 done, 30 points');
    expect(wordsOf(day('2026-11-21', 0))).toBe('Sat, 21 Nov 2026: nothing');
  });

  it('has four steps up to the best day', () => {
    expect([0, 1, 2, 3, 4].map((done) => stepOf(done, 2))).toEqual([0, 1, 2, 3, 4]);
    expect([0, 1, 5, 6, 20].map((done) => stepOf(done, 20))).toEqual([0, 1, 1, 2, 4]);
  });
});

const streak = { days: 0, longest: 0, doneToday: false, atRisk: false };

const task = (id: string, completions = 0): Task => ({
  id,
  title: 'Swim',
  description: null,
  points: 10,
  isDailyRoutine: true,
  challengeTemplate: null,
  today: { completions, lastCompletionId: completions ? '1' : null },
  streak,
});

const tap = (change: Partial<Tap> = {}): Tap => ({
  key: 'one',
  userId: 'ana',
  taskId: '1',
  title: 'Swim',
  at: at('2026-11-21T12:00:00Z'),
  isSent: false,
  isUndone: false,
  countsOnArrival: false,
  refusal: null,
  ...change,
});

describe('How a habit stands today', () => {
  const known = { taps: [], isOnline: true, zone: BERLIN, today: '2026-11-21' };
  const refusal = { reason: 'TOO_LATE', message: 'No' };

  it.each([
    ['nothing was done', {}, 0, 'open', ''],
    ['the service has said so', {}, 1, 'saved', 'saved'],
    ['the service has said so twice', {}, 2, 'saved', '2 times today, saved'],
    ['it is on its way', { taps: [tap()] }, 0, 'saving', 'saving'],
    [
      'there is no network',
      { taps: [tap(), tap()], isOnline: false },
      0,
      'waiting',
      '2 waiting for the network',
    ],
    [
      'one is saved and one waits',
      { taps: [tap()], isOnline: false },
      1,
      'waiting',
      'waiting for the network · saved',
    ],
    ['it was refused', { taps: [tap({ refusal })] }, 0, 'refused', 'refused'],
    ['it was taken back', { taps: [tap({ isUndone: true })] }, 0, 'open', ''],
    [
      'it is of yesterday',
      { taps: [tap({ at: at('2026-11-20T12:00:00Z') })], isOnline: false },
      0,
      'open',
      '',
    ],
    ['another one was done', { taps: [tap({ taskId: '2' })] }, 0, 'open', ''],
  ])('when %s', (_name, change, completions, status, words) => {
    expect(standingOf(task('1', completions), { ...known, ...change })).toMatchObject({ status, words });
  });
});

describe('What is shown', () => {
  const user: User = {
    ...BERLIN,
    id: 'ana',
    name: 'Ana',
    email: 'ana@example.com',
    points: 0,
    today: '2026-11-21',
    streak: { ...streak, doneToday: true },
    activeChallenge: null,
    calendar: [day('2026-11-20', 1), day('2026-11-21', 1)],
  };
  const screen: Screen = { user, tasks: [task('1', 1), task('2')], archived: [], templates: [] };

  it('takes in what an answer tells, and keeps the days that it leaves out', () => {
    const news = { ...user, points: 10, calendar: [day('2026-11-21', 2), day('2026-11-22', 0)] };
    const { user: now, tasks } = merged(screen, { user: news, tasks: [task('2', 1)] });
    expect(now.calendar.map(({ completions }) => completions)).toEqual([1, 2, 0]);
    expect(now.points).toBe(10);
    expect(tasks.map(({ id, today }) => [id, today.completions])).toEqual([
      ['1', 1],
      ['2', 1],
    ]);
    expect(merged(screen, { user: { ...news, id: 'bea' }, tasks: [] })).toBe(screen);
  });

  it('is of one day: yesterday’s is not shown as done after an answer of today', () => {
    const { tasks } = merged(screen, { user: { ...user, today: '2026-11-22' }, tasks: [task('2', 1)] });
    expect(tasks.map(({ id, today }) => [id, today.completions])).toEqual([
      ['1', 0],
      ['2', 1],
    ]);
  });

  it('keeps the year where nothing in it has changed, so that it is not drawn again', () => {
    const days = user.calendar.map((each) => ({ ...each }));
    const same = { ...user, calendar: days };
    expect(merged(screen, { user: same, tasks: [] }).user.calendar).toBe(user.calendar);
    expect(replaced(screen, { ...screen, user: same }).user.calendar).toBe(user.calendar);
    const more = { ...user, calendar: [...days, day('2026-11-22', 1)] };
    expect(replaced(screen, { ...screen, user: more }).user.calendar).toHaveLength(3);
  });

  it('is not done any more when it is kept until the next day', () => {
    expect(asOf(screen, at('2026-11-21T22:59:00Z'))).toBe(screen);
    const { user: now, tasks } = asOf(screen, at('2026-11-21T23:00:00Z'));
    expect([now.today, now.streak.doneToday]).toEqual(['2026-11-22', false]);
    expect(tasks[0]?.today).toEqual({ completions: 0, lastCompletionId: null });
  });
});

describe('The clock of this device', () => {
  const ahead = () => Math.round((now() - Date.now()) / 1_000);

  it('is taken for right where only the answer took long', () => {
    compareClocks(10_000, 9_500, 18_000);
    expect(ahead()).toBe(0);
    compareClocks(10_000, 14_000, 18_000);
    expect(ahead()).toBe(0);
  });

  it('is corrected when it is slow, or fast', () => {
    compareClocks(10_000, 70_000, 11_000);
    expect(ahead()).toBe(59);
    compareClocks(70_000, 10_000, 71_000);
    expect(ahead()).toBe(-60);
    compareClocks(0, 0, 0);
  });

  it('makes no tap one of the future', () => {
    expect(momentOf(Date.now() + 3_600_000)).toBeLessThanOrEqual(Date.now());
  });
});

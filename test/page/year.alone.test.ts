import { describe, expect, it } from 'vitest';
import type { Day } from '../../src/page/client/sync/types.js';
import { later } from '../../src/page/client/today/days.js';
import { clockOf, minutesIn, timed } from '../../src/page/client/today/timing.js';
import { speak } from '../../src/page/client/ui/language.js';
import { monthsOf, stepOf, summaryOf, weeksOf, wordsOf, yearOf } from '../../src/page/client/year/year.js';

await speak('EN', ['en-GB']);

const day = (date: string, keptCount: number, dueCount = 4): Day => ({ date, dueCount, keptCount });

describe('The heatmap', () => {
  const calendar = Array.from({ length: 366 }, (_, index) => day(later('2025-11-21', index), index % 3));
  const year = yearOf('2026-11-21', calendar, [day('2026-11-20', 4), day('2026-11-21', 3)]);

  it('has 365 days up to today, in 53 weeks from Monday on', () => {
    expect([year.length, year.at(-1)?.date]).toEqual([365, '2026-11-21']);
    const weeks = weeksOf(year, 'MONDAY');
    expect(weeks).toHaveLength(53);
    expect(weeks.at(-1)?.map((each) => each?.date ?? null)).toEqual([
      ...['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21'],
      null,
    ]);
    expect(monthsOf(weeks).reduce((sum, month) => sum + month.weeks, 0)).toBe(53);
  });

  it('is what the service said, and in the last days what this device knows; of what nobody knows it says nothing', () => {
    expect(year.slice(-3).map(({ keptCount }) => keptCount)).toEqual([calendar.at(-3)?.keptCount, 4, 3]);
    expect(yearOf('2026-11-21', [day('2026-11-20', 1)]).slice(-2)).toEqual([
      day('2026-11-20', 1),
      { date: '2026-11-21', dueCount: null, keptCount: 0 },
    ]);
  });

  it('says in a sentence what it shows, without what is still asked for today', () => {
    const days = [4, 3, 0, 4].map((kept, index) => day(later('2026-11-15', index), kept));
    expect(summaryOf([...days, day('2026-11-19', 1)])).toBe('69% of what was due was kept.');
    expect(summaryOf([...days, day('2026-11-19', 4)])).toBe('75% of what was due was kept.');
    expect(summaryOf([day('2026-11-19', 0, 0)])).toBe('');
    expect(wordsOf(day('2026-11-21', 3))).toBe('Sat, 21 Nov 2026: 3 of 4 kept');
    expect(wordsOf(day('2026-11-21', 0, 0))).toBe('Sat, 21 Nov 2026: nothing was due');
  });

  it('has four steps up to all that was due, which nothing less reaches', () => {
    expect([0, 1, 2, 3].map((kept) => stepOf(day('2026-11-21', kept, 3)))).toEqual([0, 1, 2, 4]);
    expect(stepOf(day('2026-11-21', 0, 0))).toBe(0);
  });
});

describe('A timer', () => {
  it('is for minutes and hours, in each language', () => {
    const minutes = ['min', 'minutes', 'Minuten', 'minutos', 'minute', 'm', 'Min.'];
    expect(minutes.map((unit) => minutesIn(unit))).toEqual(minutes.map(() => 1));
    const hours = ['h', 'hours', 'Stunden', 'Std.', 'horas', 'heures'];
    expect(hours.map((unit) => minutesIn(unit))).toEqual(hours.map(() => 60));
    expect(['miles', 'pages', 'mg', ''].map((unit) => minutesIn(unit))).toEqual([0, 0, 0, 0]);
  });

  it('counts whole minutes, or hundredths of hours', () => {
    expect([29_000, 31_000, 25 * 60_000].map((time) => timed(time, 'minutes'))).toEqual([0, 1, 25]);
    expect(timed(90 * 60_000, 'hours')).toBe(1.5);
    expect([0, 754_000, 3_723_000].map(clockOf)).toEqual(['0:00', '12:34', '1:02:03']);
  });
});

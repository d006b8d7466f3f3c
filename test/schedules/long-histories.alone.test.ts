import { expect, it } from 'vitest';
import { numberOf, weekdayOf } from '../../src/features/schedules/day.js';
import { Judge, NeutralDays, Rests } from '../../src/features/schedules/judge.js';
import { judgedDays } from '../../src/features/schedules/judged-days.js';
import { Limit } from '../../src/features/schedules/limit.js';
import { limitDays, limitStatisticsOf } from '../../src/features/schedules/limit-days.js';
import { EVERY_DAY } from '../../src/features/schedules/schedule.js';

/** More than a person lives, so that time that grows with their square is more than a test may take. */
const days = Array.from({ length: 300_000 }, (_, day) => day);

const skipsOf = (some: readonly number[]) =>
  new Rests(
    [],
    [{ id: 1, rests: some.map((day) => ({ first: day, last: day, kind: 'SKIPPED' as const })) }],
  ).of(1);

// A process that counts answers nobody meanwhile.
it.each([
  ['on which each day was skipped', days, days],
  ['of which each due day was skipped', days.filter(isMonday), days.filter((day) => !isMonday(day))],
])('A history is counted in one pass, %s', (_which, skipped, kept) => {
  const judge = new Judge({ kind: 'weekdays', weekdays: ['MONDAY'] }, skipsOf(skipped), 'MONDAY');
  const keptDays = kept.map((day) => ({ day, amount: 0 }));
  expect(judge.runOf(keptDays)).toMatchObject({ count: kept.length, longest: kept.length });
  expect(judge.effectsOf(keptDays, days.length).size).toBe(kept.length);
  const range = { from: 0, to: days.length - 1 };
  const judged = judgedDays(judge, { days: new Map(), today: range.to, madeOn: 0 }, range);
  expect(judged.filter(({ state }) => state === 'SKIPPED')).toHaveLength(skipped.length);
});

function isMonday(day: number): boolean {
  return weekdayOf(day) === 0;
}

class LimitThatCounts extends Limit {
  looks = 0;

  override unitAround(day: number) {
    this.looks += 1;
    return super.unitAround(day);
  }
}

it('The days ahead are read without a walk to them, of a limit', () => {
  const pause = new NeutralDays([{ first: 20_100, last: Number.POSITIVE_INFINITY, kind: 'PAUSED' }]);
  const limit = new LimitThatCounts(EVERY_DAY, pause, 'MONDAY', { amount: 2, per: 'WEEK' });
  const [today, madeOn, from] = [20_200, 20_000, numberOf('9999-01-01')];
  const range = { from, to: from + 365 };
  expect(limit.firstRead(from, { today, madeOn })).toBeLessThan(20_100);
  const history = { days: new Map(), today, madeOn };
  for (const day of limitDays(limit, history, range))
    expect(day).toMatchObject({ state: 'FUTURE', effect: 'NONE' });
  expect(limitStatisticsOf(limit, history, range)).toMatchObject({ dueDays: 0, keptDays: 0 });
  expect(limit.looks).toBeLessThan(1_000);
});

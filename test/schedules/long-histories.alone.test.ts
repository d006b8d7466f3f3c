import { expect, it } from 'vitest';
import { judgedDays } from '../../src/schedules/judged-days.js';
import { Lens } from '../../src/schedules/lens.js';
import { Rests } from '../../src/schedules/rests.queries.js';
import { weekdayOf } from '../../src/schedules/schedule.js';

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
  const lens = new Lens({ kind: 'weekdays', weekdays: ['MONDAY'] }, skipsOf(skipped), 'MONDAY');
  const keptDays = kept.map((day) => ({ day, amount: 0 }));
  expect(lens.runOf(keptDays)).toMatchObject({ count: kept.length, longest: kept.length });
  expect(lens.effectsOf(keptDays, days.length).size).toBe(kept.length);
  const range = { from: 0, to: days.length - 1 };
  const judged = judgedDays(lens, { days: new Map(), today: range.to, madeOn: 0 }, range);
  expect(judged.filter(({ state }) => state === 'SKIPPED')).toHaveLength(skipped.length);
});

function isMonday(day: number): boolean {
  return weekdayOf(day) === 0;
}

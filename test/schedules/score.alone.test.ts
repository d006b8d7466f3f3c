import { describe, expect, it } from 'vitest';
import { numberOf } from '../../src/features/schedules/day.js';
import { NeutralDays, type Rest } from '../../src/features/schedules/judge.js';
import { readingOf } from '../../src/features/schedules/limit.js';
import { NO_SCHEDULE } from '../../src/features/schedules/schedule.js';
import { rangeOfScore, scoreOf } from '../../src/features/schedules/score.js';
import { NO_TARGET, targetOfDay } from '../../src/features/schedules/target.js';

const MONDAY = numberOf('2026-06-01');

type Plan = Parameters<typeof readingOf>[0];

const habit = (plan: Partial<Plan>): Plan => ({ ...NO_SCHEDULE, ...NO_TARGET, ...plan });

/** A day a letter, from that Monday on: x done, h half done, - not. Today is the day after the last one. */
function scoreAfter(story: string, plan: Partial<Plan> = {}, rests: Rest[] = []): number {
  const task = habit(plan);
  const reading = readingOf(task, new NeutralDays(rests), 'MONDAY');
  const target = targetOfDay(task);
  const days = new Map(
    [...story].flatMap((letter, index) => {
      if (letter === '-') return [];
      const amount = (task.targetAmount ?? 1) / (letter === 'h' ? 2 : 1);
      const isKept = target === null || amount >= target;
      return [[MONDAY + index, { completionCount: 1, points: '10', amount: `${amount}`, isKept }] as const];
    }),
  );
  const today = MONDAY + story.length;
  const range = rangeOfScore(reading, today);
  return scoreOf(reading, { days, today, madeOn: MONDAY }, { range, target });
}

describe('The score of a habit', () => {
  it('is half of the way up after 13 days', () => {
    expect(['', '-', 'x'.repeat(13), 'x'.repeat(26)].map((story) => scoreAfter(story))).toEqual([
      ...[0, 0, 0.5, 0.75],
    ]);
    expect(scoreAfter('x'.repeat(130))).toBe(0.999);
    expect(scoreAfter('x'.repeat(500))).toBe(0.999); // what lies farther back is not read
  });

  it('looks back as many days as ten half-lives have, today among them', () => {
    const reading = readingOf(habit({}), new NeutralDays([]), 'MONDAY');
    expect(rangeOfScore(reading, MONDAY + 129)).toEqual({ from: MONDAY, to: MONDAY + 129 });
  });

  it('leaves out a week of which it sees a part', () => {
    const reading = readingOf(habit({ times: 1, period: 'WEEK' }), new NeutralDays([]), 'MONDAY');
    const done = { completionCount: 1, points: '10', amount: '1', isKept: true };
    const history = { days: new Map([[MONDAY + 2, done]]), today: MONDAY + 7, madeOn: MONDAY };
    const seenFrom = (from: number) =>
      scoreOf(reading, history, { range: { from, to: MONDAY + 7 }, target: null });
    expect([seenFrom(MONDAY), seenFrom(MONDAY + 1)]).toEqual([gone(7, 7), 0]);
  });

  it('is not ended by one bad day, and half gone after thirteen', () => {
    expect(scoreAfter(`${'x'.repeat(26)}-`)).toBe(0.711);
    expect(scoreAfter(`${'x'.repeat(26)}-xx`)).toBe(0.74);
    expect(scoreAfter('x'.repeat(26) + '-'.repeat(13))).toBe(0.375);
  });

  it('goes by the share of a target', () => {
    const water = { targetAmount: 8, targetUnit: 'glasses' };
    expect(scoreAfter('h'.repeat(13), water)).toBe(0.25);
    expect(scoreAfter('x'.repeat(13), water)).toBe(0.5);
  });

  it('rests while the habit does', () => {
    const pause: Rest = { kind: 'PAUSED', first: MONDAY + 13, last: MONDAY + 30 };
    expect(scoreAfter('x'.repeat(13) + '-'.repeat(18), {}, [pause])).toBe(0.5);
  });

  const gone = (days: number, apart: number) =>
    Number((1 - 0.5 ** (days / 13 / Math.sqrt(apart))).toFixed(3));

  it.each<[string, Partial<Plan>, string, number]>([
    ['a Monday stands for a week', { weekdays: 1 }, 'x------'.repeat(6), gone(42, 7)],
    ['a kept day of each fourth for four', { everyDays: 4 }, 'x---'.repeat(6), gone(24, 4)],
    ['a week of three times for a week', { times: 3, period: 'WEEK' }, 'x-x-x--'.repeat(6), gone(42, 7 / 3)],
    ['a week with a target for a week', weekly(3), 'x------'.repeat(6), gone(42, 7)],
    ['a month of once for thirty days', { times: 1, period: 'MONTH' }, `x${'-'.repeat(29)}`, gone(30, 30)],
  ])('moves by how far apart it is asked for: %s', (_what, plan, story, expected) => {
    expect(scoreAfter(story, plan)).toBe(expected);
  });

  it('loses a day for each day that an interval is late, and no more', () => {
    const plan = { everyDays: 4 };
    const onTime = scoreAfter('x---'.repeat(6), plan);
    expect(scoreAfter(`${'x---'.repeat(6)}-`, plan)).toBeCloseTo(onTime * 0.5 ** (1 / 26), 2);
  });

  it('of a week is by what was done of it, and of a limit by what stayed below', () => {
    expect(scoreAfter('x------'.repeat(6), { times: 2, period: 'WEEK' })).toBeCloseTo(gone(42, 3.5) / 2, 2);
    expect(scoreAfter('h------'.repeat(6), weekly(3))).toBeCloseTo(gone(42, 7) / 2, 2);
    const quit = { targetAmount: 0, targetUnit: 'cups', targetKind: 'AT_MOST' } as const;
    expect(scoreAfter('-'.repeat(13), quit)).toBe(0.5);
    const two = { ...quit, targetAmount: 2 };
    expect(scoreAfter('x'.repeat(13), two)).toBe(0.5);
    expect(scoreAfter('x'.repeat(14), { ...two, targetPeriod: 'WEEK' })).toBe(0);
  });
});

function weekly(targetAmount: number): Partial<Plan> {
  return { targetAmount, targetPeriod: 'WEEK' };
}

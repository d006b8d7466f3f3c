import type { DayNumber } from './day.js';
import { type Done, type History, judgedDays } from './judged-days.js';
import { Limit, type Reading } from './limit.js';
import { limitDays, limitStatisticsOf } from './limit-days.js';
import { type PeriodSums, type Range, statisticsOf } from './statistics.js';
import { fromThousandths } from './target.js';

/** Of a task that is due every day: what was done so many days ago weighs half as much as what was done today. */
const HALF_LIFE_DAYS = 13;

/** Half-lives after which a day weighs less than a thousandth, and is not read. */
const HALF_LIVES = 10;

const LENGTH = { WEEK: 7, MONTH: 30 } as const;

/** For how many days a due one stands: 1 is every day. */
function daysApart({ schedule, period }: Reading): number {
  if (period) return LENGTH[period] / (schedule.kind === 'times' ? schedule.times : 1);
  if (schedule.kind === 'every') return schedule.days;
  return schedule.kind === 'weekdays' ? 7 / schedule.weekdays.length : 1;
}

/** What is seldom due is forgotten later. */
const halfLifeOf = (reading: Reading): number => HALF_LIFE_DAYS * Math.sqrt(daysApart(reading));

/** Something that was asked for: how much of it was done, and for how many days it stands. */
interface Asked {
  share: number;
  days: number;
}

/**
 * How firm a habit is: 0 is nothing, 1 what was always kept. Each day, week or month that was asked for moves it towards
 * the share that was done of it, by as much as half-lives have passed.
 */
export function scoreOf(
  reading: Reading,
  history: History<Done>,
  { range, target }: { range: Range; target: number | null },
): number {
  const halfLife = halfLifeOf(reading);
  let score = 0;
  for (const { share, days } of reading.period
    ? periodsOf(reading, history, range)
    : daysOf(reading, history, range, target))
    score = share + (score - share) * 0.5 ** (days / halfLife);
  return Math.round(score * 1_000) / 1_000;
}

function* daysOf(
  reading: Reading,
  history: History<Done>,
  range: Range,
  target: number | null,
): Generator<Asked> {
  const apart = daysApart(reading);
  const { today } = history;
  if (reading instanceof Limit) {
    for (const { day, state } of limitDays(reading, history, range))
      if (day < today && (state === 'KEPT' || state === 'EXCEEDED'))
        yield { share: state === 'KEPT' ? 1 : 0, days: apart };
    return;
  }
  // At an interval, each day asks anew as long as it is late.
  const ofMissed = reading.schedule.kind === 'every' ? 1 : apart;
  for (const { day, isKept, isDue, isNeutral, done } of judgedDays(reading, history, range)) {
    if (isKept) yield { share: 1, days: apart };
    else if (isDue && !isNeutral && day < today)
      yield { share: target === null ? 0 : Math.min(1, Number(done?.amount ?? 0) / target), days: ofMissed };
  }
}

/** Those that are over, and lie in the range as a whole. */
function* periodsOf(reading: Reading, history: History<Done>, range: Range): Generator<Asked> {
  const { period } = reading;
  if (!period) return;
  const { by } =
    reading instanceof Limit
      ? limitStatisticsOf(reading, history, range)
      : statisticsOf(reading, history, range);
  for (const each of by(period))
    if (each.from >= range.from && each.dueCount > 0)
      yield { share: shareOf(reading, each), days: LENGTH[period] };
}

function shareOf(reading: Reading, { amount, keptCount, dueCount }: PeriodSums): number {
  const target = reading instanceof Limit ? null : reading.target;
  return Math.min(1, target ? amount / fromThousandths(target.amount) : keptCount / dueCount);
}

/** The days that a score looks back to. */
export const rangeOfScore = (reading: Reading, today: DayNumber): Range => ({
  from: today + 1 - Math.ceil(HALF_LIVES * halfLifeOf(reading)),
  to: today,
});

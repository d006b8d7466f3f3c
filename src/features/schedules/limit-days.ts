import type { DayNumber } from './day.js';
import type { StreakEffect, Unit } from './judge.js';
import { amountOf, type DayState, type Done, type History, type JudgedDay } from './judged-days.js';
import type { Exceeded, Limit } from './limit.js';
import { type Counting, counted, type Range, type Statistics } from './statistics.js';

interface LimitHistory<Day extends Done> {
  history: History<Day>;
  /** The day on which it was made, or that of its first record. */
  began: DayNumber;
  exceeded: readonly Exceeded[];
  exceededDays: ReadonlySet<DayNumber>;
}

function read<Day extends Done>(limit: Limit, history: History<Day>): LimitHistory<Day> {
  const records = [...history.days].map(amountOf).sort((one, other) => one.day - other.day);
  return {
    history,
    began: Math.min(history.madeOn, records[0]?.day ?? history.madeOn),
    exceeded: limit.exceededUnits(records),
    exceededDays: new Set(limit.exceededDays(records)),
  };
}

/** The state of a limit on a day: the first that fits. */
export function limitStateOf(
  limit: Limit,
  day: DayNumber,
  { began, today, isExceeded }: { began: DayNumber; today: DayNumber; isExceeded: boolean },
): DayState {
  if (day < began) return 'REST';
  if (day > today) return 'FUTURE';
  if (!limit.isOfSchedule(day)) return 'REST';
  const rest = limit.neutral.kindOf(day);
  if (rest) return rest;
  if (isExceeded) return 'EXCEEDED';
  return day === today ? 'WITHIN' : 'KEPT';
}

/** Every day of a range, as a limit's records say. */
export const limitDays = <Day extends Done>(limit: Limit, history: History<Day>, range: Range) =>
  daysOf(limit, read(limit, history), range);

function daysOf<Day extends Done>(limit: Limit, told: LimitHistory<Day>, range: Range): JudgedDay<Day>[] {
  const { history, began, exceededDays } = told;
  const effects = effectsOf(limit, told, range);
  return Array.from({ length: range.to - range.from + 1 }, (_, index) => {
    const day = range.from + index;
    const isExceeded = exceededDays.has(day);
    const state = limitStateOf(limit, day, { began, today: history.today, isExceeded });
    return {
      ...{ day, state, effect: effects.get(day) ?? 'NONE', done: history.days.get(day) },
      ...{ isKept: state === 'KEPT', isDue: false, isLetGo: false, isNeutral: limit.neutral.has(day) },
    };
  });
}

/** A unit that is kept goes on with its last day, and one that was exceeded breaks the run with the first day of that. */
function effectsOf(
  limit: Limit,
  { history, began, exceeded }: LimitHistory<Done>,
  { from, to }: Range,
): Map<DayNumber, StreakEffect> {
  const effects = new Map<DayNumber, StreakEffect>();
  // After travel westwards, what was exceeded may lie ahead: then today is over.
  const over = Math.max(history.today, exceeded.at(-1)?.first ?? Number.NEGATIVE_INFINITY);
  const first = limit.unitAround(Math.max(from, began)).first;
  if (first > over) return effects;
  const before = exceeded.findLast(({ last }) => last < first);
  let hasRun = limit.unitsIn(before ? before.last + 1 : began, first - 1) > 0;
  let next = exceeded.findIndex((unit) => unit.first >= first);
  for (let unit: Unit = limit.unitAround(first); unit.first <= to && unit.first <= over; ) {
    const broken = next === -1 ? undefined : exceeded[next];
    if (broken?.first === unit.first) {
      if (hasRun) effects.set(broken.on, 'BROKEN');
      hasRun = false;
      next += 1;
    } else if (unit.last < over && limit.isCounted(unit)) {
      effects.set(unit.last, hasRun ? 'CONTINUED' : 'STARTED');
      hasRun = true;
    }
    unit = limit.unitAround(unit.last + 1);
  }
  return effects;
}

/** As `statisticsOf`. Only what is over counts, and what is not due is not kept. */
export function limitStatisticsOf(limit: Limit, history: History<Done>, range: Range): Statistics {
  const { period: per } = limit;
  const told = read(limit, history);
  const exceeded = new Set(told.exceeded.map(({ first }) => first));
  const isJudged = ({ state, day }: JudgedDay<Done>) =>
    !per && day < history.today && (state === 'KEPT' || state === 'EXCEEDED');
  const goalOf = ({ from, to }: Range) => {
    const isDue = to >= told.began && to < history.today && limit.isCounted({ first: from, last: to });
    const isKept = isDue && !exceeded.has(from);
    return { dueCount: isDue ? 1 : 0, keptCount: isKept ? 1 : 0, isKept };
  };
  const counting: Counting = {
    ...{ days: daysOf(limit, told, range), today: history.today, weekStartsOn: limit.weekStartsOn },
    isAskedFor: isJudged,
    isKept: (day) => isJudged(day) && day.isKept,
    periods: per && { per, goalOf, areWhole: true },
  };
  const statistics = counted(range, counting);
  const { dueDays, missedDays } = statistics;
  return { ...statistics, keptDays: dueDays - missedDays };
}

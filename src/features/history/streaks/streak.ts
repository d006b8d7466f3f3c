import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { UserProgress } from '../../account/progress.entity.js';
import { type Day, type DayNumber, daysBetween, numberOf } from '../../schedules/day.js';
import type { Judge } from '../../schedules/judge.js';

type Part = RawBuilder<unknown>;

/** `current_streak` and `max_streak` follow the letter of the spec: only the job lowers a streak. */
export const streakAdvancedTo = (day: Part) => {
  const isFirstToday = sql`(case when last_active_on = ${day} then 0 else 1 end)`;
  return sql`
    current_streak = current_streak + ${isFirstToday},
    max_streak = greatest(max_streak, current_streak + ${isFirstToday})`;
};

/** A run is alive until a whole day has been missed. */
const isAlive = (today: Day) => sql`last_active_on >= ${today}::date - 1`;

/** The true value of `current_streak`. That of `max_streak` is `longest_run`. */
export const trueStreakOn = (today: Day) =>
  sql`(case when ${isAlive(today)} then last_active_on - run_started_on + 1 else 0 end)`;

/** The correction of a row. It depends on `today` and on the row alone. */
export const correctedBy = (today: Day) => sql`
  current_streak = ${trueStreakOn(today)},
  max_streak = longest_run`;

export const correctStreak = (query: QueryExecutorProvider, userId: string, today: Day) =>
  sql`update user_progress set ${correctedBy(today)} where user_id = ${userId}`.execute(query);

/** Whether a row is wrong on `today`. */
export const isWrongOn = (today: Day) =>
  sql`(current_streak, max_streak) is distinct from (${trueStreakOn(today)}, longest_run)`;

export const StreakUnit = { DAYS: 'DAYS', TIMES: 'TIMES', WEEKS: 'WEEKS', MONTHS: 'MONTHS' } as const;
export type StreakUnit = keyof typeof StreakUnit;

/** The true streak at an instant, whether or not the job has run. */
export interface TrueStreak {
  unit: StreakUnit;
  count: number;
  longest: number;
  doneToday: boolean;
  atRisk: boolean;
  aliveUntil: Date | null;
}

/** A streak before the zone of its user is considered. `end`: its last day, if something can end it. */
export interface StreakInDays extends Omit<TrueStreak, 'aliveUntil'> {
  end: DayNumber | null;
}

/** A later day ends in a year that the API cannot write. A pause until then has no end. */
const LAST_END = numberOf('9999-12-31');

/** The streak of a run, on a day. */
export function streakOn(
  { today, isKept, isDue }: { today: DayNumber; isKept: boolean; isDue: boolean },
  judge: Judge,
  { lastDay, count, longest }: { lastDay: DayNumber | null; count: number; longest: number },
): StreakInDays {
  const unit = unitOf(judge);
  const end = lastDay === null ? undefined : judge.endAfter(judge.unitAround(lastDay));
  if (end === undefined || (end && end.last < today))
    return { unit, count: 0, longest, doneToday: isKept, atRisk: false, end: null };
  const asksToday = isDue && !isKept && !judge.neutral.has(today);
  return {
    unit,
    count,
    longest,
    doneToday: isKept,
    atRisk: asksToday && end?.last === today,
    end: end && end.last < LAST_END ? end.last : null,
  };
}

const unitOf = ({ schedule, period }: Judge): StreakUnit => {
  if (period) return `${period}S`;
  return schedule.kind === 'every' ? 'TIMES' : 'DAYS';
};

/** A run of the user's days, as it is stored. */
export interface Run {
  lastDay: Day | null;
  count: number;
  longest: number;
  /** Whether a pause concerns what comes after it. */
  needsJudge: boolean;
}

/** UTC, until the user has set another. */
export const zoneOf = ({ timeZone }: Pick<UserProgress, 'timeZone'>): string => timeZone ?? 'UTC';

type Progress = Pick<
  UserProgress,
  | 'timeZone'
  | 'lastActiveOn'
  | 'runStartedOn'
  | 'longestRun'
  | 'lastUserDay'
  | 'longestUserRun'
  | 'userRunCount'
  | 'userRunNeedsLens'
>;

const lengthOf = (first: Day | null, last: Day | null) =>
  first === null || last === null ? 0 : daysBetween(first, last) + 1;

/** The run of the user's days. */
export const userRunOf = (progress: Progress): Run =>
  progress.timeZone === null
    ? {
        lastDay: progress.lastActiveOn,
        count: lengthOf(progress.runStartedOn, progress.lastActiveOn),
        longest: progress.longestRun,
        needsJudge: false,
      }
    : {
        lastDay: progress.lastUserDay,
        count: progress.userRunCount,
        longest: progress.longestUserRun,
        needsJudge: progress.userRunNeedsLens,
      };

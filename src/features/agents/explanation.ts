import type { TrueStreak } from '../history/streaks/streak.js';
import type { Day } from '../schedules/day.js';
import type { StreakEffect } from '../schedules/judge.js';
import type { DayState } from '../schedules/judged-days.js';

/** A day of a task, or of the user. */
export interface ExplainedDay {
  date: Day;
  streakEffect: StreakEffect;
  /** Null of the user. */
  state: DayState | null;
}

export interface Explanation {
  /** The first day of the streak; null without one, or if it began before the days that were looked at. */
  beganOn: Day | null;
  /** The last day that ended one; null if none did among these days. */
  brokenOn: Day | null;
  /** Sentences in English, without any word of the user's. */
  because: string[];
}

/** Why a streak is what it is: `days` are the last ones, oldest first and with today. */
export function explained(
  streak: TrueStreak,
  days: readonly ExplainedDay[],
  { isLimit, nextDueOn }: { isLimit: boolean; nextDueOn: Day | null },
): Explanation {
  const lastWith = (effect: StreakEffect) =>
    days.findLast(({ streakEffect }) => streakEffect === effect)?.date ?? null;
  const brokenOn = lastWith('BROKEN');
  const startedOn = lastWith('STARTED');
  const isAlive = streak.count > 0;
  const beganOn = isAlive && startedOn !== null && (brokenOn ?? '') < startedOn ? startedOn : null;
  const since = beganOn ?? brokenOn ?? days[0]?.date ?? '';
  const isNeutral = ({ state }: ExplainedDay) => state === 'SKIPPED' || state === 'PAUSED';
  const neutralDays = days.filter((each) => isNeutral(each) && each.date >= since).length;
  const told = [
    ...(isAlive ? aliveWords(streak, beganOn) : endedWords(days, brokenOn, isLimit)),
    isAlive && brokenOn && `An earlier one ended on ${brokenOn}.`,
    neutralDays > 0 && `Days since ${since} that were skipped or paused, and broke nothing: ${neutralDays}.`,
    ...(isLimit ? [] : todayWords(streak, nextDueOn)),
    `The longest streak ever is ${inUnits(streak.longest, streak.unit)}.`,
  ];
  return { beganOn, brokenOn, because: told.filter((words) => typeof words === 'string') };
}

const aliveWords = ({ count, unit }: TrueStreak, beganOn: Day | null) => [
  `The streak is ${inUnits(count, unit)}${beganOn ? `, and began on ${beganOn}` : ''}.`,
];

function endedWords(days: readonly ExplainedDay[], brokenOn: Day | null, isLimit: boolean) {
  const exceededOn = days.findLast(({ state }) => state === 'EXCEEDED')?.date;
  if (isLimit) return ['There is no streak now.', exceededOn && `The limit was exceeded on ${exceededOn}.`];
  const because = brokenOn
    ? `The last one ended on ${brokenOn}, when what was due was not done.`
    : 'Nothing was kept in the days that were looked at.';
  return ['There is no streak now.', because];
}

function todayWords({ count, doneToday, atRisk, aliveUntil }: TrueStreak, nextDueOn: Day | null) {
  if (doneToday) return ['The goal of today is reached.'];
  if (atRisk) return [`It ends${until(aliveUntil)} unless the goal of today is reached.`];
  return [
    count > 0 && aliveUntil && `Unless something is done, it ends${until(aliveUntil)}.`,
    nextDueOn && `Something is due next on ${nextDueOn}.`,
  ];
}

const until = (instant: Date | null) => (instant ? ` at ${instant.toISOString()}` : ' with today');

const UNITS = { DAYS: 'day', TIMES: 'kept day', WEEKS: 'week', MONTHS: 'month' } as const;

const inUnits = (count: number, unit: TrueStreak['unit']) => counted(count, UNITS[unit]);

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

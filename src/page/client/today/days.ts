import { dayAt, formatIn, wallClock, type Zone } from '../../../../packages/client/src/day.js';
import type { DayState, Pause, Period, Screen, Task, TaskDay, User, Weekday } from '../sync/types.js';
import { languageInUse, locale, t } from '../ui/language.js';
import { isLimit, isOfPeriod } from './target.js';

const HOUR = 3_600_000;

export const WEEKDAYS: readonly Weekday[] = [
  ...(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY'] as const),
  ...(['FRIDAY', 'SATURDAY', 'SUNDAY'] as const),
];

/** Whether clocks of both zones show the same now. */
export const isSameClock = (one: string, other: string): boolean =>
  wallClock(one).format() === wallClock(other).format();

/** The instant at which the day of `now` is over, to the second. */
export function endOfDay(now: number, zone: Zone): number {
  const today = dayAt(now, zone);
  let [before, after] = [now, now + 50 * HOUR]; // one day may have 25 hours, or be skipped
  while (after - before > 500) {
    const middle = (before + after) / 2;
    if (dayAt(middle, zone) > today) after = middle;
    else before = middle;
  }
  return Math.round(after / 1_000) * 1_000;
}

export const later = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 24 * HOUR).toISOString().slice(0, 10);

export const daysBetween = (one: string, other: string): number =>
  Math.round((Date.parse(other) - Date.parse(one)) / (24 * HOUR));

/** When something counts that was done on an earlier day: in its last minute. */
export function momentIn(day: string, now: number, zone: Zone): number {
  const today = dayAt(now, zone);
  if (day >= today) return now;
  let inside = now - daysBetween(day, today) * 24 * HOUR;
  if (dayAt(inside, zone) !== day) inside += (dayAt(inside, zone) < day ? 2 : -2) * HOUR; // the clocks were changed
  return endOfDay(inside, zone) - 60_000;
}

let week: readonly string[] = [];

/** The last seven days, oldest first. */
export function weekUpTo(today: string): readonly string[] {
  if (week.at(-1) !== today) week = Array.from({ length: 7 }, (_, index) => later(today, index - 6));
  return week;
}

/** From Monday on. */
export const weekdayOf = (date: string): number => (new Date(date).getUTCDay() + 6) % 7;

/** What was kept, as it is on another day: nothing is done yet. Streaks are the service's to say. */
export function asOf(screen: Screen, now: number): Screen {
  return onDay(screen, dayAt(now, screen.user));
}

export function onDay(screen: Screen, today: string): Screen {
  const { user, tasks } = screen;
  if (today <= user.today) return screen;
  return {
    ...screen,
    user: { ...user, today },
    tasks: tasks.map((task) => ({
      ...task,
      today: { lastCompletion: null, periodAmount: keptOf(task, user, today) },
      thisPeriod: periodOn(task, user, today),
      streak: { ...task.streak, atRisk: dueFrom(task, task.days, 1) === today },
      days: daysUpTo(today, task, screen),
    })),
  };
}

/** What the period has so far, as long as it is the same one. */
function keptOf(task: Task, user: User, day: string): number {
  if (!isOfPeriod(task)) return 0;
  return isSamePeriod(task, day, user.today, user) ? (task.today.periodAmount ?? 0) : 0;
}

/** A new week or month begins with nothing. */
function periodOn(task: Task, user: User, day: string) {
  const { thisPeriod, schedule } = task;
  return isSamePeriod(task, day, user.today, user) || !thisPeriod
    ? thisPeriod
    : { goal: schedule.timesPer?.count ?? thisPeriod.goal, done: 0 };
}

/** For which its target is, or its number of times. */
const periodOf = ({ target, schedule }: Task): Period =>
  target && target.per !== 'DAY' ? target.per : (schedule.timesPer?.period ?? 'WEEK');

export const firstOfPeriod = (task: Task, date: string, week: Week): string =>
  firstOf(periodOf(task), date, week);

export const isSamePeriod = (task: Task, one: string, other: string, week: Week): boolean =>
  firstOfPeriod(task, one, week) === firstOfPeriod(task, other, week);

export const firstOf = (per: Period, date: string, week: Week): string =>
  per === 'MONTH' ? `${date.slice(0, 8)}01` : firstOfWeek(date, week);

/** As far as this device can tell: what is planned says what is due. */
function daysUpTo(today: string, task: Task, { user }: Screen): TaskDay[] {
  const days = task.days.filter(({ date }) => date <= user.today);
  const stateOn = (date: string) =>
    isDueOn(date, task, days, user, today) ? undone(task, date === today) : 'REST';
  const over = days.map((day) => (OF_TODAY.includes(day.state) ? { ...day, state: stateOn(day.date) } : day));
  for (let date = later(user.today, 1); date <= today; date = later(date, 1)) {
    const state = isPaused(date, task, user) ? 'PAUSED' : stateOn(date);
    over.push({ date, state, isSkipped: false, amount: 0, completionCount: 0 });
  }
  return over;
}

const OF_TODAY: readonly DayState[] = ['OPEN', 'WITHIN'];

/** A day was asked for: a limit is kept by doing nothing, and no single day of a period is missed. */
function undone(task: Task, isToday: boolean): DayState {
  if (isLimit(task)) return isToday ? 'WITHIN' : 'KEPT';
  if (isToday) return 'OPEN';
  return task.schedule.timesPer || isOfPeriod(task) ? 'REST' : 'MISSED';
}

export const isIn = ({ from, until }: Pause, date: string): boolean =>
  from <= date && (until === null || date <= until);

/** Alone, or with everything. */
export const isPaused = (date: string, task: Task, user: User): boolean =>
  [...user.pauses, ...task.pauses].some((pause) => isIn(pause, date));

export const spanOf = ({ from, until }: Pause): string =>
  until ? t.menu.span(shortDate(from), shortDate(until)) : t.menu.spanOpen(shortDate(from));

/** The days before the day of grace are forgiven when they are over. */
function isDueOn(date: string, task: Task, days: readonly TaskDay[], user: User, today: string): boolean {
  const { weekdays, timesPer } = task.schedule;
  if (weekdays) return weekdays.includes(codeOf(date));
  if (timesPer) {
    const first = firstOf(timesPer.period, date, user);
    return days.filter((day) => day.state === 'KEPT' && day.date >= first).length < timesPer.count;
  }
  return dueFrom(task, days, Number(task.hasGraceDay && date < today)) <= date;
}

/** When it is due every so many days, or so many days late; empty: at once, as far as this device knows. */
function dueFrom({ schedule: { everyDays } }: Task, days: readonly TaskDay[], late: number): string {
  const last = days.findLast(({ state }) => state === 'KEPT');
  return last && everyDays ? later(last.date, everyDays + late) : '';
}

type Week = Pick<User, 'weekStartsOn'>;

export function firstOfWeek(date: string, { weekStartsOn }: Week): string {
  return later(date, -((weekdayOf(date) - WEEKDAYS.indexOf(weekStartsOn) + 7) % 7));
}

const written = new Map<string, string>();

/** Each date is written once: that takes browsers long. */
function write(date: string, form: string, options: Intl.DateTimeFormatOptions): string {
  const name = `${languageInUse()} ${locale} ${form} ${date}`;
  const known = written.get(name);
  if (known !== undefined) return known;
  const text = formatOf(form, options).format(Date.parse(date));
  written.set(name, text);
  return text;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(form: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${form}`;
  const known = formats.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  formats.set(name, made);
  return made;
}

/** Of 12 or 24 hours; empty: that of the language. */
let clock = '';

export const chooseClock = (chosen: string): void => {
  clock = chosen;
};

/** `18:30`, by the clock of the language or the chosen one. */
export function timeIn(instant: number, timeZone: string): string {
  const hourCycle: 'h12' | 'h23' = clock === '12' ? 'h12' : 'h23';
  const options = { timeStyle: 'short', ...(clock && { hourCycle }) } as const;
  const zone = formatIn(timeZone) ? timeZone : 'UTC';
  return formatOf(`time ${clock} ${zone}`, { ...options, timeZone: zone }).format(instant);
}

/** `Sat, 21 Nov` */
export const shortDate = (date: string): string =>
  write(date, 'short', { weekday: 'short', day: 'numeric', month: 'short' });

/** `Sat, 21 Nov 2026` */
export const dateInWords = (date: string): string =>
  write(date, 'words', { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });

/** `Nov` */
export const shortMonth = (date: string): string =>
  write(date, 'short month', { month: 'short' }).replace(/\.$/, '');

/** 2024 began on a Monday. */
const dayNamed = (weekday: Weekday): string => `2024-01-0${WEEKDAYS.indexOf(weekday) + 1}`;

export const nameOf = (weekday: Weekday): string => write(dayNamed(weekday), 'weekday', { weekday: 'long' });

/** `Sat` */
export const shortName = (weekday: Weekday): string =>
  write(dayNamed(weekday), 'short weekday', { weekday: 'short' }).replace(/\.$/, '');

/** The seven from the first one on. */
export const weekFrom = (first: Weekday): Weekday[] =>
  WEEKDAYS.map((_day, index) => WEEKDAYS[(WEEKDAYS.indexOf(first) + index) % 7] ?? first);

export const codeOf = (date: string): Weekday => WEEKDAYS[weekdayOf(date)] ?? 'MONDAY';

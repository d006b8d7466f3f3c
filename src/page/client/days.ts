import type { Screen, Zone } from './types.js';

const HOUR = 3_600_000;

const wallClocks = new Map<string, Intl.DateTimeFormat>();

function wallClock(timeZone: string): Intl.DateTimeFormat {
  const known = wallClocks.get(timeZone);
  if (known) return known;
  const made = formatIn(timeZone) ?? formatIn('UTC') ?? new Intl.DateTimeFormat('sv-SE');
  wallClocks.set(timeZone, made);
  return made;
}

/** Undefined where this browser does not know the zone. */
function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  } catch {
    return undefined;
  }
}

/** The user's day at an instant: the date of the wall clock, less the hours at which the day begins. */
export function dayAt(instant: number, { timeZone, dayStartsAt }: Zone): string {
  const text = wallClock(timeZone).format(instant).replace(' ', 'T'); // as ISO 8601
  return new Date(Date.parse(`${text}Z`) - dayStartsAt * HOUR).toISOString().slice(0, 10);
}

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

/** What was kept, as it is on another day: nothing is done yet. Streaks are the service's to say. */
export function asOf(screen: Screen, now: number): Screen {
  return onDay(screen, dayAt(now, screen.user));
}

export function onDay(screen: Screen, today: string): Screen {
  const { user, tasks } = screen;
  if (today <= user.today) return screen;
  const streak = { ...user.streak, doneToday: false };
  return {
    ...screen,
    user: { ...user, today, streak },
    tasks: tasks.map((task) => ({
      ...task,
      today: { completions: 0, lastCompletionId: null },
      streak: { ...task.streak, doneToday: false },
    })),
  };
}

/** `3 h 12 min`; rounded up, so that it never says that nothing is left. */
export function spanOf(milliseconds: number): string {
  const minutes = Math.max(1, Math.ceil(milliseconds / 60_000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ');
}

export const timeIn = (instant: number, timeZone: string): string =>
  wallClock(timeZone).format(instant).slice(11, 16);

let dates: Intl.DateTimeFormat | undefined;

/** `Sat, 21 Nov 2026` */
export function dateInWords(date: string): string {
  dates ??= new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return dates.format(Date.parse(date));
}

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export const inDays = (days: number): string => counted(days, 'day');

// When reminders ring, written from the contract: minute by minute, by the wall clock of the platform and not by that of
// the database. Everything lies on quarters of an hour.

export const STEP_MS = 15 * 60_000;

export interface Zone {
  timeZone: string;
  dayStartsAt: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Of the wall clock, as if it were UTC. */
function wallAt(instant: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    // In Sweden a date and a time are written as by ISO 8601.
    format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(timeZone, format);
  }
  return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
}

/** The user's own day. */
export const dayAt = (instant: number, { timeZone, dayStartsAt }: Zone): string =>
  new Date(wallAt(instant, timeZone) - dayStartsAt * 3_600_000).toISOString().slice(0, 10);

/** Monday is 0. */
const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

const DAY_MS = 86_400_000;

/** Whether a clock that shows `minute` once a day rings at an instant: as it jumps over it, or the first time. */
function ringsAt(instant: number, minute: number, { timeZone }: Zone): boolean {
  const now = wallAt(instant, timeZone);
  const before = wallAt(instant - STEP_MS, timeZone);
  const minuteOf = (wall: number) => (((wall % DAY_MS) + DAY_MS) % DAY_MS) / 60_000;
  for (let wall = before + STEP_MS; wall < now; wall += STEP_MS) if (minuteOf(wall) === minute) return true;
  if (minuteOf(now) !== minute) return false;
  // Shown before already, if the clock was turned back since.
  for (let back = STEP_MS; back <= 3 * 3_600_000; back += STEP_MS)
    if (wallAt(instant - back, timeZone) === now) return false;
  return true;
}

export interface ModelReminder {
  minute: number;
  weekdays: number[];
}

interface ModelTask {
  id: number;
  dueOn: number[];
  reminders: ModelReminder[];
  archived: boolean;
  done: Set<string>;
  skipped: Set<string>;
}

export interface Life {
  zone: Zone;
  dayReminder: number | null;
  tasks: ModelTask[];
}

const asks = (task: ModelTask, day: string) =>
  !task.archived && task.dueOn.includes(weekdayOf(day)) && !task.done.has(day) && !task.skipped.has(day);

/** The tasks that one message names; undefined if nothing rings. */
export function messageAt(life: Life, instant: number): number[] | undefined {
  const day = dayAt(instant, life.zone);
  const rings = (minute: number) => ringsAt(instant, minute, life.zone);
  const isOfDay = life.dayReminder !== null && rings(life.dayReminder);
  const open = life.tasks.filter((task) => asks(task, day));
  const named = isOfDay
    ? open
    : open.filter(({ reminders }) =>
        reminders.some(({ minute, weekdays }) => weekdays.includes(weekdayOf(day)) && rings(minute)),
      );
  return named.length > 0 ? named.map(({ id }) => id) : undefined;
}

const HOUR = 3_600_000;

/** What cuts a person's days. */
export interface Zone {
  timeZone: string;
  dayStartsAt: number;
}

const wallClocks = new Map<string, Intl.DateTimeFormat>();

export function wallClock(timeZone: string): Intl.DateTimeFormat {
  const known = wallClocks.get(timeZone);
  if (known) return known;
  const made = formatIn(timeZone) ?? formatIn('UTC') ?? new Intl.DateTimeFormat('sv-SE');
  wallClocks.set(timeZone, made);
  return made;
}

/** Undefined where the platform does not know the zone. */
export function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
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

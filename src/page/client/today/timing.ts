const MINUTE = 60_000;

const MINUTES = /^(?:m|min|mins|minutes?|minuten?|minutos?)\.?$/i;
const HOURS = /^(?:h|hrs?|hours?|std|stunden?|horas?|heures?)\.?$/i;

/** How many minutes a unit of time has; 0: it is none. */
export function minutesIn(unit = ''): number {
  if (MINUTES.test(unit)) return 1;
  return HOURS.test(unit) ? 60 : 0;
}

/** Whole minutes, or hundredths of hours. */
export function timed(milliseconds: number, unit: string): number {
  const minutes = milliseconds / MINUTE;
  return minutesIn(unit) === 60 ? Math.round((minutes / 60) * 100) / 100 : Math.round(minutes);
}

/** `12:34`, `1:02:03` */
export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const two = (count: number) => String(count % 60).padStart(2, '0');
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

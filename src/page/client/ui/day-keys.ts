export const dateOf = (target: EventTarget | null): string | undefined =>
  (target as Element).closest<HTMLElement>('[data-date]')?.dataset.date;

/** In a table of days that is one stop of the Tab key, arrows go from day to day. Returns where they went. */
export function dayByKey(
  event: KeyboardEvent,
  dates: readonly string[],
  steps: Record<string, number>,
): string | undefined {
  const { key, target, currentTarget } = event;
  const ends: Record<string, number> = { Home: 0, End: dates.length - 1 };
  const at = dates.indexOf(dateOf(target) ?? '');
  const next = ends[key] ?? at + (steps[key] ?? Number.NaN);
  if (Number.isNaN(next)) return undefined;
  event.preventDefault();
  const date = dates[next];
  (currentTarget as Element).querySelector<HTMLElement>(`[data-date="${date}"]`)?.focus();
  return date;
}

import type { HabitDay, Statistics } from '../sync/types.js';
import { shortDate, shortName } from '../today/days.js';
import { t } from '../ui/language.js';

/** Since when its share counts: on the first day of a habit something was asked, or done. */
export function keptSince(days: readonly Pick<HabitDay, 'date' | 'state'>[], from: string): string {
  const first = days.find(({ state }) => state !== 'REST')?.date ?? from;
  return first > from ? t.habit.keptSince(shortDate(first)) : t.habit.keptHalfYear;
}

const MOST_NAMED = 3;

/**
 * On which weekdays a habit goes well, and on which it does not, if they differ: by what was kept of what was due. Most
 * of a week tells nothing, and nothing was left out where no day was asked for.
 */
export function weekdaysInWords(byWeekday: Statistics['byWeekday']): string {
  const isByDay = byWeekday.some(({ dueCount }) => dueCount > 0);
  const shares = byWeekday.flatMap(({ weekday, keptCount, dueCount }) =>
    isByDay && dueCount === 0 ? [] : [{ weekday, share: keptCount / (isByDay ? dueCount : 1) }],
  );
  const [least, best] = [Math.min, Math.max].map((end) => end(...shares.map(({ share }) => share)));
  if (least === best) return '';
  const said = (end: number | undefined, inWords: (weekdays: string) => string) => {
    const names = shares.flatMap(({ weekday, share }) => (share === end ? shortName(weekday) : []));
    return names.length <= MOST_NAMED ? [inWords(t.listed(names))] : [];
  };
  return [...said(best, t.habit.best), ...(isByDay ? said(least, t.habit.least) : [])].join(' ');
}

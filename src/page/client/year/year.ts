import type { Day, Weekday } from '../sync/types.js';
import { dateInWords, later, shortMonth, WEEKDAYS, weekdayOf } from '../today/days.js';
import { t } from '../ui/language.js';

const DAYS_SHOWN = 365;

/** A year up to today, oldest first: of several that tell of a day, the last counts. */
export function yearOf(today: string, ...told: readonly (readonly Day[])[]): Day[] {
  const byDate = new Map(told.flat().map((day) => [day.date, day]));
  return Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const date = later(today, index + 1 - DAYS_SHOWN);
    return byDate.get(date) ?? { date, dueCount: null, keptCount: 0 };
  });
}

/** Null before the first day and after the last. */
export type Week = (Day | null)[];

export function weeksOf(year: readonly Day[], weekStartsOn: Weekday): Week[] {
  const first = year[0];
  if (!first) return [];
  const before = (weekdayOf(first.date) - WEEKDAYS.indexOf(weekStartsOn) + 7) % 7;
  const count = Math.ceil((before + year.length) / 7);
  return Array.from({ length: count }, (_, week) =>
    WEEKDAYS.map((_name, day) => year[week * 7 + day - before] ?? null),
  );
}

/** 0 for nothing, a third each, and 4 for all that was due. */
export const stepOf = ({ dueCount, keptCount }: Day): number =>
  keptCount > 0 && keptCount >= (dueCount ?? 0) ? 4 : Math.ceil((3 * keptCount) / (dueCount || 1));

export const firstOf = (week: Week): string => week.find((day) => day !== null)?.date ?? '';

interface Month {
  name: string;
  /** The day with which it begins here. */
  first: string;
  /** Over how many it is written. */
  weeks: number;
}

export function monthsOf(weeks: readonly Week[]): Month[] {
  const months: Month[] = [];
  for (const week of weeks) {
    const first = firstOf(week);
    const name = shortMonth(first);
    const last = months.at(-1);
    if (last?.name === name && months.length > 0) last.weeks += 1;
    else months.push({ name, first, weeks: 1 });
  }
  return months;
}

/** Of a day of which nobody has told, only its date. */
export function wordsOf({ date, dueCount, keptCount }: Day): string {
  if (dueCount === null) return dateInWords(date);
  return t.said(dateInWords(date), dueCount === 0 ? t.year.nothing : t.year.day(keptCount, dueCount));
}

/** What the picture says, in a sentence. What is still asked for today says nothing yet. */
export function summaryOf(year: readonly Day[]): string {
  const over = year.filter(
    ({ dueCount, keptCount }, index) => index < year.length - 1 || keptCount >= (dueCount ?? 0),
  );
  const sum = (of: 'dueCount' | 'keptCount') => over.reduce((all, day) => all + (day[of] ?? 0), 0);
  const due = sum('dueCount');
  return due > 0 ? t.year.kept(sum('keptCount') / due) : '';
}

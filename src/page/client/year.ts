import { dateInWords, shortMonth, WEEKDAYS, weekdayOf } from './days.js';
import { t } from './language.js';
import type { Day, Weekday } from './types.js';

const DAYS_SHOWN = 365;

/** A year up to today, oldest first. */
export const yearOf = (calendar: readonly Day[], today: string): Day[] =>
  calendar.filter(({ date }) => date <= today).slice(-DAYS_SHOWN);

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

/** 0 for nothing, up to 4; a quarter of the best day each. */
export function stepOf(completions: number, most: number): number {
  return completions === 0 ? 0 : Math.min(4, Math.ceil((4 * completions) / Math.max(4, most)));
}

export const mostOf = (year: readonly Day[]): number =>
  Math.max(0, ...year.map(({ completions }) => completions));

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

export const wordsOf = ({ date, completions, points }: Day): string =>
  t.said(dateInWords(date), completions === 0 ? t.year.nothing : t.year.day(completions, points));

/** What the picture says, in a sentence. */
export function summaryOf(year: readonly Day[]): string {
  const done = year.filter(({ completions }) => completions > 0).length;
  return t.year.doneOn(done, year.length);
}

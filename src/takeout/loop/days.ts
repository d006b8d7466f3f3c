import { invalid } from '../../errors.js';
import type { Day } from '../../schedules/day.js';
import { isDay } from '../import.input.js';
import type { NotImported } from './not-imported.js';
import { type Row, rowsOf } from './tables.js';

/** What Loop has written down of one day. Releases before 2.3.1 wrote the numbers that these words stand for. */
const NUMBERS = new Map([
  ['YES_MANUAL', 2],
  ['YES_AUTO', 1],
  ['NO', 0],
  ['SKIP', 3],
  ['UNKNOWN', -1],
]);

/** Amounts are whole numbers of thousandths. */
const AMOUNT = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const THOUSANDTHS = 1_000;

const { YES_MANUAL, YES_AUTO, NO, SKIP, UNKNOWN } = { ...Object.fromEntries(NUMBERS) } as Record<
  string,
  number
>;

/** Of a habit that has amounts: what must be reached, or not be exceeded. */
export interface Target {
  value: number;
  isMost: boolean;
}

interface Entry {
  day: Day;
  value: number;
  hasNote: boolean;
}

function entryOf({ cells, line }: Row, file: string): Entry {
  const [day = '', text = '', note = ''] = cells;
  const value = NUMBERS.get(text) ?? (AMOUNT.test(text) ? Number(text) * scaleOf(text) : undefined);
  if (cells.length < 2 || cells.length > 3 || !isDay(day) || value === undefined)
    throw invalid(`${file}, line ${line}: this is not a day with its value, such as 2026-11-21,YES_MANUAL`);
  return { day, value, hasNote: note.trim() !== '' };
}

/** Written with decimals, an amount is not in thousandths. */
const scaleOf = (text: string) => (text.includes('.') ? THOUSANDTHS : 1);

/** The days on which a habit was done, and in `left` what else is said of its days. `target` null: it is not known. */
export function daysDone(
  table: Uint8Array,
  file: string,
  target: Target | null | undefined,
  left: NotImported,
): Day[] {
  const rows = rowsOf(table, file);
  const [first] = rows;
  const hasHead = first?.cells[0]?.trim().toLowerCase() === 'date';
  const entries = rows.slice(hasHead ? 1 : 0).map((row) => entryOf(row, file));
  const hasAmounts = target !== undefined || entries.some(({ value }) => !isMark(value));
  const done = new Set<Day>();
  const seen = new Set<Day>();
  for (const { day, value, hasNote } of entries) {
    if (hasNote) left.notes += 1;
    if (seen.has(day)) left.repeated += 1;
    else if (hasAmounts ? reaches(value, target ?? null, left) : isDone(value, left)) done.add(day);
    seen.add(day);
  }
  return [...done];
}

const isMark = (value: number) => [YES_MANUAL, YES_AUTO, NO, SKIP, UNKNOWN].includes(value);

function isDone(value: number, left: NotImported): boolean {
  if (value === SKIP) left.skipped += 1;
  else if (value === YES_AUTO) left.automatic += 1;
  else if (value === NO) left.notDone += 1;
  else if (value === UNKNOWN) left.unanswered += 1;
  return value === YES_MANUAL;
}

/** As Loop judges a day; without a known target, anything above nothing is done. */
function reaches(value: number, target: Target | null, left: NotImported): boolean {
  if (value === SKIP || value < 0) {
    left[value === SKIP ? 'skipped' : 'unanswered'] += 1;
    return false;
  }
  left.amounts += 1;
  const amount = value / THOUSANDTHS;
  const isReached = target?.isMost ? amount <= target.value : amount > 0 && amount >= (target?.value ?? 0);
  if (!isReached) left.missed += 1;
  return isReached;
}

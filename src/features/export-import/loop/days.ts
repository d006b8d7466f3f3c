import { isDay } from '../../../base/carried.js';
import { invalid } from '../../../base/errors.js';
import { limits, written } from '../../../base/validation.js';
import type { Day } from '../../schedules/day.js';
import { scheduleLimits } from '../../schedules/limits.js';
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
export const THOUSANDTHS = 1_000;

const { YES_MANUAL, YES_AUTO, NO, SKIP, UNKNOWN } = { ...Object.fromEntries(NUMBERS) } as Record<
  string,
  number
>;

interface Entry {
  day: Day;
  value: number;
  note: string;
}

function entryOf({ cells, line }: Row, file: string): Entry {
  const [day = '', text = '', note = ''] = cells;
  const value = NUMBERS.get(text) ?? (AMOUNT.test(text) ? thousandthsIn(text) : undefined);
  if (cells.length < 2 || cells.length > 3 || !isDay(day) || value === undefined)
    throw invalid(`${file}, line ${line}: this is not a day with its value, such as 2026-11-21,YES_MANUAL`);
  if (value > scheduleLimits.amount * THOUSANDTHS)
    throw invalid(`${file}, line ${line}: the amount is larger than ${written(scheduleLimits.amount)}`);
  return { day, value, note: note.replaceAll('\0', '') };
}

/** Written with decimals, an amount is not in thousandths. */
const thousandthsIn = (text: string) => Math.round(Number(text) * (text.includes('.') ? THOUSANDTHS : 1));

/** A day on which a habit was done, or skipped. */
export interface Mark {
  day: Day;
  isSkipped: boolean;
  /** 0 only of a limit: then nothing is recorded, but it was kept already. */
  amount: number | null;
  note: string | null;
}

/** How the days of a habit are read. */
export interface Measured {
  hasAmounts: boolean;
  isLimit: boolean;
}

/** In `left` is what else is said of the days. */
export function marksIn(
  table: Uint8Array,
  file: string,
  { hasAmounts, isLimit }: Measured,
  left: NotImported,
): Mark[] {
  const rows = rowsOf(table, file);
  const [first] = rows;
  const hasHead = first?.cells[0]?.trim().toLowerCase() === 'date';
  const entries = rows.slice(hasHead ? 1 : 0).map((row) => entryOf(row, file));
  const isMeasured = hasAmounts || entries.some(({ value }) => !isMark(value));
  const seen = new Set<Day>();
  return entries.flatMap(({ day, value, note }) => {
    const isRepeated = seen.has(day);
    seen.add(day);
    const amount = isRepeated ? undefined : amountOf(value, { hasAmounts: isMeasured, isLimit }, left);
    const isSkipped = value === SKIP && !isRepeated;
    if (isRepeated) left.repeated += 1;
    const isKept = amount !== undefined || isSkipped;
    if (note.trim() && (!isKept || amount === 0)) left.notes += 1;
    return isKept ? [{ day, isSkipped, amount: amount ?? null, note: noteFrom(note, left) }] : [];
  });
}

const isMark = (value: number) => [YES_MANUAL, YES_AUTO, NO, SKIP, UNKNOWN].includes(value);

/** Undefined: the habit was not done on that day. Null: it was, and has no amount. */
function amountOf(
  value: number,
  { hasAmounts, isLimit }: Measured,
  left: NotImported,
): number | null | undefined {
  if (value === SKIP) return undefined;
  if (!hasAmounts) {
    if (value === YES_AUTO) left.automatic += 1;
    else if (value === NO) left.notDone += 1;
    else if (value === UNKNOWN) left.unanswered += 1;
    return value === YES_MANUAL ? null : undefined;
  }
  if (value < 0) left.unanswered += 1;
  else if (value > 0 || isLimit) return value / THOUSANDTHS;
  else left.notDone += 1;
  return undefined;
}

function noteFrom(text: string, left: NotImported): string | null {
  if (!text.trim()) return null;
  const letters = [...text];
  if (letters.length <= limits.note) return text;
  left.cutNotes += 1;
  return letters.slice(0, limits.note).join('');
}

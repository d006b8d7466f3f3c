import { createHash } from 'node:crypto';
import { invalid, Refusal } from '../../errors.js';
import type { Day } from '../../streaks/day.js';
import { CreateTaskInput } from '../../tasks/task.input.js';
import { inputFrom, limits, written } from '../../validation.js';
import { type Row, rowsOf } from './csv.js';
import { daysDone, type Target } from './days.js';
import { type Left, nothingLeft } from './left.js';
import { Archive } from './zip.js';

/** A habit of Loop, as the task that it becomes. */
export interface Habit {
  /** Names it in every export of the same phone: its name, and which of those with that name it is. */
  key: string;
  task: CreateTaskInput;
  isArchived: boolean;
  days: Day[];
}

export interface LoopExport {
  habits: Habit[];
  left: Left;
}

/** What one transaction may hold. */
const MOST_DAYS = 1_000_000;

const HABITS = 'Habits.csv';
const OF_A_HABIT = /^(\d+)([^/]*)\/Checkmarks\.csv$/;

/** What macOS puts beside the files of an archive that it makes. */
const NOT_LOOPS = /^__MACOSX\//;

/**
 * Reads what Loop Habit Tracker exports as CSV: a table of habits, and for each a folder with its days. The tables of all
 * habits together are not read: names stand in them without quotation marks, so that a comma shifts the columns.
 */
export function loopExportFrom(bytes: Buffer): LoopExport {
  if (bytes.toString('latin1', 0, 15) === 'SQLite format 3')
    throw invalid('This is a backup of Loop’s database: in Loop, choose “Export as CSV” instead');
  const archive = new Archive(bytes);
  const names = archive.names.filter((name) => !NOT_LOOPS.test(name));
  const table = names.filter((name) => name === HABITS || name.endsWith(`/${HABITS}`));
  const [file] = table;
  if (file === undefined || table.length > 1)
    throw invalid(`This is not an export of Loop Habit Tracker: it has no ${HABITS}, or several`);
  const folder = file.slice(0, -HABITS.length);
  const left = nothingLeft();
  const described = habitsIn(archive.read(file), left);
  const folders = foldersAmong(names, folder, described);
  let count = 0;
  const habits = described.map(({ target, ...habit }, index) => {
    const name = folders.get(index + 1);
    if (name === undefined) left.withoutDays += 1;
    const days = name === undefined ? [] : daysDone(archive.read(name), name, target, left);
    count += days.length;
    if (count > MOST_DAYS) throw invalid(`The file has more than ${written(MOST_DAYS)} days done`);
    return { ...habit, days };
  });
  return { habits, left };
}

interface Described extends Omit<Habit, 'days'> {
  name: string;
  target: Target | null | undefined;
}

/** Reads the table of habits by the names of its columns: every release of Loop had others. */
function habitsIn(text: string, left: Left): Described[] {
  const [head, ...rows] = rowsOf(text, HABITS);
  const columns = head?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  if (
    !columns.includes('name') ||
    !columns.some((name) => ['interval', 'frequencydenominator'].includes(name))
  )
    throw invalid(`${HABITS} does not have the columns that Loop writes`);
  if (rows.length > limits.tasks) throw invalid(`${HABITS} has more than ${written(limits.tasks)} habits`);
  const seen = new Map<string, number>();
  return rows.map((row) => {
    if (row.cells.length !== columns.length)
      throw invalid(`${HABITS}, line ${row.line}: it does not have ${columns.length} columns`);
    const cells = new Map(columns.map((name, index) => [name, row.cells[index] ?? '']));
    return habitFrom(cells, row, seen, left);
  });
}

function habitFrom(cells: Map<string, string>, row: Row, seen: Map<string, number>, left: Left): Described {
  const cell = (...names: string[]) =>
    names.map((name) => cells.get(name)).find((text) => text !== undefined) ?? '';
  const name = cell('name');
  const nth = (seen.get(name) ?? 0) + 1;
  seen.set(name, nth);
  const isDaily =
    Number(cell('frequencynumerator', 'numrepetitions')) >= Number(cell('frequencydenominator', 'interval'));
  const hasAmounts = /^(numerical|measurable|1)$/i.test(cell('type').trim());
  const target = {
    value: Number(cell('target value').trim() || Number.NaN),
    isMost: /most/i.test(cell('target type')),
  };
  if (!isDaily) left.frequencies += 1;
  if (hasAmounts) left.targets += 1;
  if (cell('question').trim()) left.questions += 1;
  if (cell('color').trim()) left.colours += 1;
  const known = Number.isFinite(target.value) ? target : null;
  return {
    name,
    key: `${createHash('sha256').update(name).digest('base64url').slice(0, 22)}:${nth}`,
    task: taskFrom({ name, description: cell('description'), isDaily }, row.line),
    isArchived: /^(true|1)$/i.test(cell('archived?', 'archived').trim()),
    target: hasAmounts ? known : undefined,
  };
}

function taskFrom(
  { name, description, isDaily }: { name: string; description: string; isDaily: boolean },
  line: number,
): CreateTaskInput {
  const title = name.replaceAll(/\p{Cc}+/gu, ' ').trim();
  try {
    return inputFrom(CreateTaskInput, { title, description: description || null, isDailyRoutine: isDaily });
  } catch (error) {
    if (error instanceof Refusal) throw invalid(`${HABITS}, line ${line}: ${error.message}`);
    throw error;
  }
}

/** Loop leaves out of the name of a folder what a file system may not take. */
const lettersOf = (name: string) => name.replaceAll(/[^a-zA-Z0-9]/g, '');

/** The file with the days of each habit, by its number in the table. */
function foldersAmong(
  names: string[],
  folder: string,
  habits: readonly { name: string }[],
): Map<number, string> {
  const files = new Map<number, string>();
  for (const path of names) {
    const [, digits = '', name = ''] =
      OF_A_HABIT.exec(path.startsWith(folder) ? path.slice(folder.length) : '') ?? [];
    if (!digits) continue;
    const number = Number(digits);
    const habit = habits[number - 1];
    if (!habit || files.has(number) || !lettersOf(habit.name).startsWith(lettersOf(name)))
      throw invalid(`${path} belongs to no habit of ${HABITS}`);
    files.set(number, path);
  }
  return files;
}

import { invalid, Refusal } from '../../errors.js';
import { type Day, dayOf } from '../../schedules/day.js';
import { CreateTaskInput } from '../../tasks/task.input.js';
import { inputFrom, limits, written } from '../../validation.js';
import { FORMAT } from '../import.input.js';
import { daysDone, type Target } from './days.js';
import { type NotImported, nothingLeftOut } from './not-imported.js';
import { type Row, rowsOf, tablesIn } from './tables.js';

/** What Loop has exported, as an export of ours but for the account. */
export interface Converted {
  document: { tasks: object[]; completions: { day: Day }[] };
  archived: number;
  left: NotImported;
}

const HABITS = 'Habits.csv';
const OF_A_HABIT = /^(\d+)([^/]*)\/Checkmarks\.csv$/;

/** What macOS puts beside the files of an archive that it makes. */
const NOT_LOOPS = /^__MACOSX\//;

const HOUR = 3_600_000;

/**
 * Reads what Loop Habit Tracker exports as CSV: a table of habits, and for each a folder with its days. The tables of all
 * habits together are not read: names stand in them without quotation marks, so that a comma shifts the columns.
 */
export function convertLoop(bytes: Uint8Array, now: Date): Converted {
  if (Buffer.from(bytes).toString('latin1', 0, 15) === 'SQLite format 3')
    throw invalid('This is a backup of Loop’s database: in Loop, choose “Export as CSV” instead');
  const tables = tablesIn(bytes);
  const names = [...tables.keys()].filter((name) => !NOT_LOOPS.test(name));
  const [file, other] = names.filter((name) => name === HABITS || name.endsWith(`/${HABITS}`));
  if (file === undefined || other !== undefined)
    throw invalid(`This is not an export of Loop Habit Tracker: it has no ${HABITS}, or several`);
  const tableOf = (name: string) => tables.get(name) ?? new Uint8Array();
  const left = nothingLeftOut();
  const habits = habitsIn(tableOf(file), left);
  const files = filesOfDays(names, file.slice(0, -HABITS.length), habits);
  const at = now.toISOString();
  const tasks = habits.map(({ task, isArchived }, index) => ({
    ...{ id: index + 1, ...task, challengeTemplateId: null },
    ...{ createdAt: at, updatedAt: at, archivedAt: isArchived ? at : null },
  }));
  const completions = habits.flatMap(({ task: { points }, target }, index) => {
    const name = files.get(index + 1);
    if (name === undefined) left.withoutDays += 1;
    const days = name === undefined ? [] : daysDone(tableOf(name), name, target, left);
    const begun = days.filter((day) => day <= dayOf(new Date(now.getTime() + LATEST)));
    left.tooNew += days.length - begun.length;
    return begun.map((day) => {
      const noon = `${day}T12:00:00.000Z`;
      return { task: index + 1, points, completedAt: noon < at ? noon : at, day, recordedAt: at };
    });
  });
  const document = { ...FORMAT, exportedAt: at, tasks, challenges: [], pauses: [], skips: [], completions };
  return { document, archived: habits.filter(({ isArchived }) => isArchived).length, left };
}

/** How far the wall clock is ahead of UTC at most. */
const LATEST = 14 * HOUR;

/** A habit of Loop, as the task that it becomes. */
interface Habit {
  name: string;
  task: CreateTaskInput;
  isArchived: boolean;
  /** Null: not known; undefined: it has no amounts. */
  target: Target | null | undefined;
}

/** Reads the table of habits by the names of its columns: every release of Loop had others. */
function habitsIn(table: Uint8Array, left: NotImported): Habit[] {
  const [head, ...rows] = rowsOf(table, HABITS);
  const columns = head?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  if (
    !columns.includes('name') ||
    !columns.some((name) => ['interval', 'frequencydenominator'].includes(name))
  )
    throw invalid(`${HABITS} does not have the columns that Loop writes`);
  if (rows.length > limits.tasks) throw invalid(`${HABITS} has more than ${written(limits.tasks)} habits`);
  return rows.map((row) => {
    if (row.cells.length !== columns.length)
      throw invalid(`${HABITS}, line ${row.line}: it does not have ${columns.length} columns`);
    const cells = new Map(columns.map((name, index) => [name, row.cells[index] ?? '']));
    return habitFrom(cells, row, left);
  });
}

function habitFrom(cells: Map<string, string>, row: Row, left: NotImported): Habit {
  const cell = (...names: string[]) =>
    names.map((name) => cells.get(name)).find((text) => text !== undefined) ?? '';
  const name = cell('name');
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
function filesOfDays(
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

import { looksBlank } from '../../../base/characters.js';
import { invalid, Refusal } from '../../../base/errors.js';
import { inputFrom, written } from '../../../base/validation.js';
import { fileScheduleOf } from '../../habits/file-schedule.js';
import { habitLimits } from '../../habits/limits.js';
import { CreateHabitInput } from '../../habits/task.input.js';
import { type Day, latestDayAt } from '../../schedules/day.js';
import { scheduleLimits } from '../../schedules/limits.js';
import { storedFrom } from '../../schedules/schedule.input.js';
import { FORMAT } from '../import-file.js';
import { type Measured, marksIn, THOUSANDTHS } from './days.js';
import { type NotImported, nothingLeftOut } from './not-imported.js';
import { colourFor, scheduleFor } from './schedule.js';
import { type Row, rowsOf, tablesIn } from './tables.js';

/** What Loop has exported, as an export of ours but for the account. */
export interface Converted {
  document: { tasks: object[]; completions: { day: Day }[]; skips: object[] };
  archived: number;
  left: NotImported;
}

const HABITS = 'Habits.csv';
const OF_A_HABIT = /^(\d+)([^/]*)\/Checkmarks\.csv$/;

/** What macOS puts beside the files of an archive that it makes. */
const NOT_LOOPS = /^__MACOSX\//;

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
  const lastDay = latestDayAt(now);
  const marks = habits.map(({ measured }, index) => {
    const name = files.get(index + 1);
    if (name === undefined) left.withoutDays += 1;
    const all = name === undefined ? [] : marksIn(tableOf(name), name, measured, left);
    const begun = all.filter(({ day }) => day <= lastDay);
    left.tooNew += all.length - begun.length;
    return begun;
  });
  /** Not in the future. */
  const atHour = (day: Day, hour: number) => {
    const then = `${day}T${hour}:00:00.000Z`;
    return then < at ? then : at;
  };
  const tasks = habits.map(({ task, isArchived }, index) => {
    const [first] = (marks[index] ?? []).map(({ day }) => day).sort();
    return {
      ...{ id: index + 1, ...task, challengeTemplateId: null },
      schedule: task.schedule ? fileScheduleOf(storedFrom(task.schedule)) : null,
      ...{ createdAt: first === undefined ? at : atHour(first, ON_THE_SAME_DAY), updatedAt: at },
      archivedAt: isArchived ? at : null,
    };
  });
  const marked = habits.flatMap(({ task: { points, target } }, index) =>
    (marks[index] ?? []).map((mark) => ({
      ...{ task: index + 1, points: target?.kind === 'AT_MOST' ? 0 : points },
      ...mark,
    })),
  );
  const completions = marked
    .filter(({ isSkipped, amount }) => !isSkipped && amount !== 0)
    .map(({ task, points, day, amount, note }) => ({
      ...{ task, points, completedAt: atHour(day, 12), day, recordedAt: at },
      ...{ amount, note },
    }));
  const skips = marked
    .filter(({ isSkipped }) => isSkipped)
    .map(({ task, day, note }) => ({ task, date: day, note }));
  const document = { ...FORMAT, exportedAt: at, tasks, skips, completions };
  return { document, archived: habits.filter(({ isArchived }) => isArchived).length, left };
}

/** In UTC: that of ten in the morning is the day of users from Hawaii to New Zealand. */
const ON_THE_SAME_DAY = 10;

/** A habit of Loop, as the task that it becomes. */
interface Habit {
  name: string;
  task: CreateHabitInput;
  isArchived: boolean;
  measured: Measured;
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
  if (rows.length > habitLimits.tasks)
    throw invalid(`${HABITS} has more than ${written(habitLimits.tasks)} habits`);
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
  const count = Number(cell('frequencynumerator', 'numrepetitions'));
  const days = Number(cell('frequencydenominator', 'interval'));
  const hasAmounts = /^(numerical|measurable|1)$/i.test(cell('type').trim());
  const value = Number(cell('target value').trim() || Number.NaN);
  const hasLimit = hasAmounts && /most/i.test(cell('target type'));
  const colour = colourFor(cell('color'));
  const limit = hasLimit ? limitFrom(value, cell('unit'), days, left) : null;
  const { schedule, isExact } = limit ?? scheduleFor(count, days);
  if (!isExact) left.frequencies += 1;
  if (cell('question').trim()) left.questions += 1;
  if (cell('color').trim() && !colour) left.colours += 1;
  const goal = hasAmounts && !hasLimit ? targetFrom(value, cell('unit'), schedule ? days : 1, left) : null;
  const target = limit?.target ?? goal;
  const given = { description: cell('description') || null, isDailyRoutine: schedule === null && isExact };
  return {
    name,
    task: taskFrom({ title: name, ...given, schedule, target, colour }, row.line),
    isArchived: /^(true|1)$/i.test(cell('archived?', 'archived').trim()),
    measured: { hasAmounts, isLimit: limit !== null },
  };
}

/** Loop adds up what is done in all the days of a frequency: a day, a week or a month. */
function limitFrom(value: number, text: string, days: number, left: NotImported) {
  const amount = Math.round(value * THOUSANDTHS) / THOUSANDTHS;
  if (!(amount >= 0 && amount <= scheduleLimits.amount)) {
    left.targets += 1;
    return null;
  }
  const per =
    days === 7 ? ('WEEK' as const) : days >= 28 && days <= 31 ? ('MONTH' as const) : ('DAY' as const);
  const target = { amount, unit: unitFrom(text, left), kind: 'AT_MOST' as const, per };
  return { target, schedule: null, isExact: per !== 'DAY' || days === 1 };
}

function unitFrom(text: string, left: NotImported): string {
  const letters = [...text.replaceAll(/\p{Cc}+/gu, ' ').trim()];
  const isEmpty = looksBlank(letters.join(''));
  if (isEmpty || letters.length > scheduleLimits.unit) left.units += 1;
  return isEmpty ? 'times' : letters.slice(0, scheduleLimits.unit).join('');
}

/** Loop adds up what is done in all the days of a frequency: each day gets its share. */
function targetFrom(
  value: number,
  text: string,
  days: number,
  left: NotImported,
): CreateHabitInput['target'] {
  const share = Math.floor((value * THOUSANDTHS) / days) / THOUSANDTHS;
  if (!(value > 0 && share <= scheduleLimits.amount)) {
    left.targets += 1;
    return null;
  }
  if (days > 1) left.shares += 1;
  const amount = Math.max(share, 1 / THOUSANDTHS);
  return { amount, unit: unitFrom(text, left), kind: 'AT_LEAST', per: 'DAY' };
}

function taskFrom(
  { title, ...given }: Partial<CreateHabitInput> & { title: string },
  line: number,
): CreateHabitInput {
  const shown = title.replaceAll(/\p{Cc}+/gu, ' ').trim();
  try {
    return inputFrom(CreateHabitInput, { title: shown, ...given });
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

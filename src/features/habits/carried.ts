import { type Kysely, sql } from 'kysely';
import { carried, DayText, type Here, InstantText, inFuture, inPages } from '../../base/carried.js';
import type { Problem } from '../../base/carried-file.js';
import { Clearable, Id, limits, Text } from '../../base/validation.js';
import { columnsOf, insertAll, type RowOf } from '../../database/columns.js';
import { noTemplate, templateHere, titleOf } from '../challenges/carried.js';
import { isDayOf } from '../schedules/day.js';
import { fixedDayOf } from '../schedules/days.queries.js';
import { assertFit } from '../schedules/fit.js';
import { insertReminders } from '../schedules/reminder.queries.js';
import { NO_SCHEDULE, weekdaysIn } from '../schedules/schedule.js';
import { isLimit, NO_TARGET, targetOf } from '../schedules/target.js';
import { fileScheduleOf, withScheduleOfFile } from './file-schedule.js';
import { saidOfTask, taskExample } from './file-shape.js';
import { habitLimits } from './limits.js';
import { storedReminder } from './reminder.input.js';
import { withSectionsAsFirstWritten } from './section.queries.js';
import { Task } from './task.entity.js';
import { CreateHabitInput } from './task.input.js';
import { habitColumns, hiddenOfTask } from './task.queries.js';
import { accountInUse, tooManyTasks } from './task.refusals.js';
import { place } from './task-order.queries.js';

/** The fields that a task is made with, by the rules that it is made by. */
export class ImportedTask extends CreateHabitInput {
  @Id()
  id!: number;

  /** The title of the template on the server that wrote the file. Earlier releases left it out. */
  @Clearable()
  @Text()
  challengeTemplateTitle?: string | null;

  @InstantText()
  createdAt!: string;

  @InstantText()
  updatedAt!: string;

  @Clearable()
  @InstantText()
  archivedAt?: string | null;

  /** The days of both. Earlier releases left them out. */
  @Clearable()
  @DayText()
  madeOn?: string | null;

  @Clearable()
  @DayText()
  archivedOn?: string | null;
}

/** Left out is what belongs to the account here, and what is counted from completions. */
const exportedOfTask = columnsOf(Task, 'userId', 'completionCount', 'lastCompletedAt', ...hiddenOfTask);

type TaskRow = RowOf<typeof exportedOfTask> & {
  challengeTemplateTitle: string | null;
  madeOn: string | null;
  archivedOn: string | null;
  reminders: { at: string; weekdays: number }[];
};

function textOf({ task, more: along }: { task: TaskRow; more: object }): string {
  const { weekdays, everyDays, times, period, tags, reminders, ...more } = task;
  const { targetAmount, targetUnit, targetKind, targetPeriod, ...fields } = more;
  const schedule = fileScheduleOf({ weekdays, everyDays, times, period });
  const target = targetOf({ targetAmount, targetUnit, targetKind, targetPeriod });
  const ringing = reminders.map(({ at, weekdays: bits }) => ({ at, weekdays: weekdaysIn(bits) }));
  return JSON.stringify({ ...fields, schedule, target, tags: tags ?? [], reminders: ringing, ...along });
}

function dayProblem({ createdAt, madeOn, archivedAt, archivedOn }: ImportedTask): Problem {
  if (madeOn && !isDayOf(new Date(createdAt), madeOn))
    return ['madeOn', 'Made on must be a day of created at, in some time zone'];
  if (archivedOn && !(archivedAt && isDayOf(new Date(archivedAt), archivedOn)))
    return ['archivedOn', 'Archived on must be a day of archived at, in some time zone'];
  return undefined;
}

function problemOf(task: ImportedTask, here: Here): Problem {
  const { id, challengeTemplateId, challengeTemplateTitle, createdAt, updatedAt, archivedAt } = task;
  if (id === 0 || here.kinds.has(id)) return ['id', 'Id must be its own'];
  if (typeof challengeTemplateId === 'number') {
    task.challengeTemplateId = templateHere(here, challengeTemplateId, challengeTemplateTitle);
    if (task.challengeTemplateId === undefined) return ['challengeTemplateId', noTemplate];
  }
  const planned = { ...NO_SCHEDULE, ...NO_TARGET, ...task, ...habitColumns(task) };
  assertFit(planned, task);
  const problem = dayProblem(task) ?? inFuture(here, { createdAt, updatedAt, archivedAt });
  if (!problem) here.kinds.set(id, isLimit(planned) ? 'limit' : 'goal');
  return problem;
}

export async function hasTasks(query: Kysely<unknown>, userId: string): Promise<boolean> {
  const { rows } = await sql`select from tasks where user_id = ${userId} limit 1`.execute(query);
  return rows.length > 0;
}

export const carriedTasks = carried({
  name: 'tasks',
  type: ImportedTask,
  list: { label: 'Task', most: habitLimits.tasks },
  said: saidOfTask,
  example: taskExample,
  about: "In the user's own order.",
  /** In the user's own order, as they can be created. */
  exported: (query, exported) =>
    inPages(
      query,
      sql<{ task: TaskRow; more: object }>`
        select json_build_object(${exportedOfTask.fieldsOf('tasks')},
          'madeOn', ${fixedDayOf(exported, 'madeOn')}, 'archivedOn', ${fixedDayOf(exported, 'archivedOn')},
          'challengeTemplateTitle', ${titleOf('tasks.challenge_template_id')}, 'reminders', (
            select coalesce(json_agg(json_build_object('at', to_char(make_interval(mins => minute), 'HH24:MI'),
              'weekdays', reminders.weekdays) order by minute, reminders.weekdays desc), '[]')
            from reminders where reminders.user_id = ${exported.userId} and reminders.task_id = tasks.id
          )) as task, json_build_object(${exported.more('tasks')}) as more
        from tasks where user_id = ${exported.userId} order by ${place}`,
      { characters: limits.title + limits.description, textOf },
    ),
  asInput: withScheduleOfFile,
  problemIn: (here) => (task) => problemOf(task, here),
  whenFaulty(task, { kinds }) {
    const { id } = task as Partial<ImportedTask>;
    if (typeof id === 'number' && !kinds.has(id)) kinds.set(id, undefined); // what refers to it is no fault
  },
  check(_, file) {
    if (!Array.isArray(file.value('tasks'))) file.requireFaultless(); // all that refers to them would be wrong
  },
  /** Tasks are made under the lock of the account: there are none, and in this transaction none is made meanwhile. */
  async bringIn(tasks, query, { userId, ids, now, isAdded, there }) {
    if (!isAdded && (await hasTasks(query, userId))) throw accountInUse();
    const known = isAdded ? await tasksByTitle(query, userId, tasks) : NONE;
    const added = tasks.filter(({ id }) => !known.ids.has(id));
    if (known.count + added.length > habitLimits.tasks) throw tooManyTasks();
    for (const [id, here] of known.ids) ids.set(id, here);
    for (const id of known.ids.keys()) there.add(id);
    await insertTasks(query, userId, added, ids);
    const reminders = added.flatMap(({ id, reminders }) =>
      (reminders ?? []).map((each) => ({ ...storedReminder(each), taskId: ids.get(id) ?? null })),
    );
    await insertReminders(query, userId, reminders, now);
    return added.length;
  },
});

const NONE = { count: 0, ids: new Map<number, number>() };

/** How many there are, and by their ids in the file those of the same title and kind; of several the first. */
async function tasksByTitle(query: Kysely<unknown>, userId: string, tasks: readonly ImportedTask[]) {
  const { rows } = await sql<{ id: number; title: string; isLimit: boolean }>`
    select id, title, target_kind is not null as "isLimit" from tasks where user_id = ${userId}
    order by id desc`.execute(query);
  const keyOf = (title: string, isOfLimit: boolean) => `${isOfLimit ? 'limit' : 'goal'} ${title}`;
  const byTitle = new Map(rows.map((row) => [keyOf(row.title, row.isLimit), Number(row.id)]));
  const ids = new Map<number, number>();
  for (const { id, title, target } of tasks) {
    const key = keyOf(title, target?.kind === 'AT_MOST');
    const here = byTitle.get(key);
    if (here !== undefined) ids.set(id, here);
    byTitle.delete(key); // another one of the file is another one here
  }
  return { count: rows.length, ids };
}

/**
 * Notes the id of each task here by its id in the file. New ids go up with those of the file, so that tasks of one
 * instant stay in order; an order of the user's own is numbered as `renumberTasks` does.
 */
async function insertTasks(
  query: Kysely<unknown>,
  userId: string,
  tasks: ImportedTask[],
  ids: Map<number, number>,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('tasks', 'id')) as id
    from generate_series(1, ${tasks.length}::int)`.execute(query);
  const numbers = rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
  const inFile = tasks.map(({ id }) => id).sort((one, other) => one - other);
  for (const [index, id] of inFile.entries()) ids.set(id, numbers[index] ?? 0);
  const isOldestFirst = tasks.every((task, index) => {
    const before = tasks[index - 1];
    if (!before || before.createdAt < task.createdAt) return true;
    return before.createdAt === task.createdAt && before.id < task.id;
  });
  const [first] = tasks.map(({ createdAt }) => createdAt).sort();
  const given = withSectionsAsFirstWritten(tasks).map((task, index) => ({
    ...{ ...task, ...habitColumns(task), id: ids.get(task.id) },
    ...(!isOldestFirst && { listedAt: first, rank: index + 1 }),
  }));
  await insertAll(query, Task, { into: 'tasks', userId, items: given, rowOf: (row) => row });
}

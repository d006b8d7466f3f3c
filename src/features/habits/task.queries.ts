import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, countUpTo, insertOf, isOneOf, type RowOf } from '../../database/columns.js';
import { List, Lists } from '../../database/cursor.js';
import { statement } from '../../database/statement.js';
import type { AccountTables } from '../account/account.queries.js';
import { type GivenSchedule, storedFrom, targetFrom } from '../schedules/schedule.input.js';
import type { StoredSchedule } from '../schedules/schedule.js';
import { NO_TARGET, type StoredTarget, storedTarget } from '../schedules/target.js';
import { Task } from './task.entity.js';
import type { CreateHabitInput, CreateTaskInput } from './task.input.js';

export type TaskTables = AccountTables & {
  tasks: Columns<Task, 'id'>;
};

/** The columns that no one reads with a task. */
export const hiddenOfTask = [
  'madeOn',
  'archivedOn',
  'lastDay',
  'runStartedOn',
  'longestRun',
  'listedAt',
  'rank',
  'idempotencyKey',
  'runCount',
  'runNeedsLens',
  'creationDigest',
] as const;

/** The schedule and the target. */
export const scheduleColumns = [
  ...(['weekdays', 'everyDays', 'times', 'period', 'hasGraceDay'] satisfies (keyof StoredSchedule)[]),
  ...(['targetAmount', 'targetUnit', 'targetKind', 'targetPeriod'] satisfies (keyof StoredTarget)[]),
] as const;

export const taskColumns = columnsOf(Task, ...hiddenOfTask);

export type TaskRow = RowOf<typeof taskColumns>;

export interface Owner {
  userId: string;
}

export const selectTasks = (query: Kysely<TaskTables>, { userId }: Owner) =>
  query.selectFrom('tasks').where('user_id', '=', userId).select(taskColumns.of('tasks'));

/** Every column that is sent takes time at both ends: without what makes a task a habit. */
export const plainColumns = columnsOf(
  Task,
  ...hiddenOfTask,
  ...scheduleColumns,
  'lastCompletedAt',
  'archivedAt',
  'step',
  'colour',
  'icon',
  'tags',
  'section',
);

export type PlainTask = RowOf<typeof plainColumns>;

export const selectPlain = (query: Kysely<TaskTables>, { userId }: Owner) =>
  query.selectFrom('tasks').where('user_id', '=', userId).select(plainColumns.of('tasks'));

const oldestFirst = {
  by: ['created_at', 'id'] as const,
  order: 'asc' as const,
  positionOf: ({ createdAt, id }: PlainTask) => ({ at: createdAt, id }),
};

export const tasks = {
  oldestFirst: new List({ ...oldestFirst, all: selectPlain }),
  /** For many templates at once. */
  linked: new Lists({
    ...oldestFirst,
    all: selectTasks,
    column: 'challenge_template_id',
    idOf: ({ challengeTemplateId }: TaskRow) => challengeTemplateId,
  }),
  byId: statement((query: Kysely<TaskTables>, { id, userId }: Owner & { id: number }) =>
    selectTasks(query, { userId }).where('id', '=', id),
  ),
  byIds: statement((query: Kysely<TaskTables>, { ids, userId }: Owner & { ids: number[] }) =>
    selectTasks(query, { userId }).where(isOneOf('id', ids)),
  ),
};

/** The columns of fields that are not stored as they are given; only of those that are given. */
export function habitColumns({ schedule, target, tags }: HabitInput): Partial<Habit> {
  return {
    ...(schedule !== undefined && storedFrom(schedule)),
    ...(target !== undefined && (target ? storedTarget(targetFrom(target)) : NO_TARGET)),
    ...(tags !== undefined && { tags: tags && tags.length > 0 ? tags : null }),
  };
}

type HabitInput = Pick<CreateHabitInput, 'schedule' | 'target' | 'tags'>;

type Habit = GivenSchedule & StoredTarget & Pick<Task, 'tags'>;

export type NewTask = CreateTaskInput &
  Partial<Habit> &
  Pick<CreateHabitInput, 'section'> &
  Pick<Task, 'userId' | 'createdAt' | 'updatedAt' | 'idempotencyKey' | 'creationDigest'>;

/** Inserts nothing if the user already has `most` tasks. */
export const insertTask = (query: Kysely<TaskTables>, task: NewTask, most: number) => {
  const { userId } = task;
  return sql<TaskRow>`
    ${insertOf(Task, { into: 'tasks', userId, rows: [task] })}, ${countUpTo('tasks', userId, most)}
    where counted.rows < ${most}
    returning ${taskColumns.textOf('tasks')}
  `.execute(query);
};

export const selectCreated = (
  query: Kysely<TaskTables>,
  { userId, idempotencyKey }: Owner & { idempotencyKey: string },
) =>
  selectTasks(query, { userId })
    .where('idempotency_key', '=', idempotencyKey)
    .select('creation_digest as creationDigest');

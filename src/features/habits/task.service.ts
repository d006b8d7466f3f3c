import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager as EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { Refusal } from '../../base/errors.js';
import { isOneOf } from '../../database/columns.js';
import { type Chunk, chunkOf, type Pages } from '../../database/cursor.js';
import type { Database } from '../../database/database.js';
import { retryUntilKnown } from '../../database/outcome.js';
import type { AccountService } from '../account/account.service.js';
import { announceChange } from '../account/progress.announcement.js';
import type { ChallengeService } from '../challenges/challenge.service.js';
import { assertFit } from '../schedules/fit.js';
import { recountTasks } from '../schedules/recount-runs.js';
import { replaceReminders } from '../schedules/reminder.queries.js';
import { targetFrom } from '../schedules/schedule.input.js';
import { NO_SCHEDULE } from '../schedules/schedule.js';
import { isLimit, NO_TARGET, storedTarget } from '../schedules/target.js';
import { digestOf } from './creation-digest.js';
import { habitLimits } from './limits.js';
import { type ReminderInput, storedReminder } from './reminder.input.js';
import { sectionAsWritten } from './section.queries.js';
import { Task } from './task.entity.js';
import { CreateHabitInput, type CreateTaskInput, type UpdateHabitInput } from './task.input.js';
import {
  habitColumns,
  insertTask,
  type NewTask,
  type PlainTask,
  selectCreated,
  selectTasks,
  type TaskRow,
  type TaskTables,
  taskColumns,
  tasks,
} from './task.queries.js';
import { hasHistory, keyReused, noTask, taskOfAnother, tooManyTasks } from './task.refusals.js';

export interface CreatedTask {
  task: TaskRow;
  isReplayed: boolean;
}

export class TaskService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly challenges: ChallengeService,
  ) {}

  /** An idempotency key that was used before, for the same, gives the task that was created with it, as it is now. */
  create(
    userId: string,
    input: CreateTaskInput & Partial<CreateHabitInput>,
    idempotencyKey: string | null = null,
  ): Promise<CreatedTask> {
    const now = this.clock.now();
    const columns = habitColumns(input);
    assertFit({ ...NO_SCHEDULE, ...NO_TARGET, ...input, ...columns }, input);
    const creationDigest = idempotencyKey === null ? null : digestOf(digested(input), new CreateHabitInput());
    const made = { userId, idempotencyKey, creationDigest, createdAt: now, updatedAt: now };
    const task = { ...input, ...columns, ...made };
    const { reminders } = input;
    const create = () => this.database.transaction((tx) => this.createIn(tx, task, reminders ?? []));
    return idempotencyKey === null ? create() : retryUntilKnown(create);
  }

  private async createIn(
    tx: EntityManager,
    task: NewTask,
    reminders: readonly ReminderInput[],
  ): Promise<CreatedTask> {
    const { userId, challengeTemplateId, idempotencyKey } = task;
    const query = tx.getKysely<TaskTables>();
    await this.accounts.lock(query, userId); // serialises the requests of a user, so that the limit is exact
    if (idempotencyKey !== null) {
      const earlier = await selectCreated(query, { userId, idempotencyKey }).executeTakeFirst();
      if (earlier) return replayOf(earlier, task);
    }
    if (typeof challengeTemplateId === 'number')
      await this.challenges.assertActive(tx, userId, challengeTemplateId);
    const section = await sectionAsWritten(query, userId, task.section);
    const { rows } = await insertTask(query, { ...task, section }, habitLimits.tasks);
    if (!rows[0]) throw tooManyTasks();
    if (reminders.length > 0) await this.setReminders(query, { userId, taskId: rows[0].id }, reminders);
    await recountTasks(query, userId, [rows[0].id]);
    const ids = { taskId: rows[0].id };
    await announceChange(query, { kind: 'TASK_CREATED', userId, at: task.createdAt, ids });
    return { task: rows[0], isReplayed: false };
  }

  /** Oldest first, read in chunks. */
  list(userId: string): Promise<Chunk<PlainTask>> {
    return chunkOf((request) =>
      tasks.oldestFirst.page(this.database, { userId }, request, () => this.accounts.assertExists(userId)),
    );
  }

  async find(userId: string, id: number): Promise<TaskRow | null> {
    const [task] = await this.database.run(tasks.byId, { id, userId });
    return task ?? null;
  }

  async get(userId: string, id: number): Promise<TaskRow> {
    const task = await this.find(userId, id);
    if (!task) throw noTask();
    return task;
  }

  findMany(userId: string, ids: number[]): Promise<TaskRow[]> {
    return this.database.run(tasks.byIds, { ids, userId });
  }

  /** In no order, and archived ones too. */
  async all(userId: string): Promise<TaskRow[]> {
    return selectTasks(this.database.query<TaskTables>(), { userId }).execute();
  }

  /** Of all tasks, archived ones too, oldest first. */
  async idsOf(userId: string): Promise<number[]> {
    const query = this.database.query<TaskTables>();
    const rows = await query
      .selectFrom('tasks')
      .select('id')
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Pages of linked tasks, oldest first, for many templates at once. */
  linkedPages(userId: string): Pages<TaskRow> {
    return tasks.linked.pages(this.database, { userId });
  }

  async countLinkedToEach(userId: string, templateIds: number[]): Promise<Map<number | null, number>> {
    const rows = await this.database
      .query<TaskTables>()
      .selectFrom('tasks')
      .where('user_id', '=', userId)
      .where(isOneOf('challenge_template_id', templateIds))
      .groupBy('challenge_template_id')
      .select(['challenge_template_id as templateId', sql<number>`count(*)::int`.as('count')])
      .execute();
    return new Map(rows.map(({ templateId, count }) => [templateId, count]));
  }

  /** An empty update changes nothing but `updatedAt`. */
  async update(userId: string, id: number, changes: UpdateHabitInput): Promise<TaskRow> {
    const { schedule, target, reminders, ...fields } = changes;
    const { challengeTemplateId } = fields;
    const columns = habitColumns(changes);
    const readsAnew = [schedule, target, fields.hasGraceDay].some((each) => each !== undefined);
    const updated = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      const isLinked = typeof challengeTemplateId === 'number';
      // Before the task and the challenge, which is also the order in which an account is deleted.
      if (readsAnew || isLinked || fields.section) await this.accounts.lock(query, userId);
      const task = await tx.findOne(Task, { id, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!task) return null;
      if (isLinked && challengeTemplateId !== task.challengeTemplateId)
        await this.challenges.assertActive(tx, userId, challengeTemplateId);
      const planned = { ...task, ...fields, ...columns };
      assertFit(planned, changes);
      if (isLimit(planned) !== isLimit(task) && task.completionCount > 0) throw hasHistory();
      if (fields.section) fields.section = await sectionAsWritten(query, userId, fields.section);
      tx.assign(task, { ...fields, ...columns, updatedAt: this.clock.now() });
      await tx.flush();
      if (reminders !== undefined) await this.setReminders(query, { userId, taskId: id }, reminders ?? []);
      if (readsAnew) await recountTasks(query, userId, [id]);
      const at = task.updatedAt;
      await announceChange(query, { kind: 'TASK_CHANGED', userId, at, ids: { taskId: id } });
      return task;
    });
    return updated ?? this.refuse(id);
  }

  private setReminders(
    query: Kysely<TaskTables>,
    task: { userId: string; taskId: number },
    reminders: readonly ReminderInput[],
  ): Promise<void> {
    return replaceReminders(query, task, reminders.map(storedReminder), this.clock.now());
  }

  /** A task that is archived already stays as it is. */
  archive(userId: string, id: number): Promise<TaskRow> {
    return this.setArchived(userId, id, this.clock.now());
  }

  unarchive(userId: string, id: number): Promise<TaskRow> {
    return this.setArchived(userId, id, null);
  }

  /** Refuses a task that was not found among those of the user. */
  async refuse(id: number, field?: string): Promise<never> {
    throw (await this.whyNotOf([id], field)).get(id) ?? noTask(field);
  }

  /**
   * Why tasks are none of the user's. The one place that looks up tasks without their user: the spec tells another
   * user's task from an unknown one.
   */
  async whyNotOf(ids: readonly number[], field?: string): Promise<Map<number, Refusal>> {
    if (ids.length === 0) return new Map();
    const found = await this.database
      .query<TaskTables>()
      .selectFrom('tasks')
      .select('id')
      .where(isOneOf('id', [...new Set(ids)]))
      .execute();
    const known = new Set(found.map(({ id }) => id));
    return new Map(ids.map((id) => [id, known.has(id) ? taskOfAnother(field) : noTask(field)]));
  }

  /** Of two changes at once, the later one counts. Neither is an edit: `updatedAt` stays. */
  private async setArchived(userId: string, id: number, at: Date | null): Promise<TaskRow> {
    const task = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      const changed = await query
        .updateTable('tasks')
        .set({ archived_at: at, archived_on: null })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('archived_at', at ? 'is' : 'is not', null)
        .returning(taskColumns.of('tasks'))
        .executeTakeFirst();
      if (!changed) return selectTasks(query, { userId }).where('id', '=', id).executeTakeFirst();
      const kind = at ? 'TASK_ARCHIVED' : 'TASK_UNARCHIVED';
      await announceChange(query, { kind, userId, at: at ?? this.clock.now(), ids: { taskId: id } });
      return changed;
    });
    return task ?? this.refuse(id);
  }
}

/** The kind and period that a target has unless they are given are as if they were not. */
const digested = ({ target, ...input }: CreateTaskInput & Partial<CreateHabitInput>) => {
  if (!target) return input;
  const { targetKind: kind, targetPeriod: per } = storedTarget(targetFrom(target));
  return { ...input, target: { ...target, kind, per } };
};

function replayOf(earlier: TaskRow & Pick<Task, 'creationDigest'>, wanted: NewTask): CreatedTask {
  const { creationDigest, ...task } = earlier;
  if (creationDigest !== wanted.creationDigest) throw keyReused('to create a task from another input');
  return { task, isReplayed: true };
}

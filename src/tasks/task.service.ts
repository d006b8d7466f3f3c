import type { AccountService } from '../accounts/account.service.js';
import type { ChallengeService } from '../challenges/challenge.service.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { type Page, type PageRequest, pageOf } from '../database/page.js';
import { violates } from '../database/violations.js';
import { invalid, missing, Refusal } from '../errors.js';
import { dayOf } from '../streaks/streak.js';
import { type Counted, countLate, countOnItsDay, type Doing } from './completion.queries.js';
import { restoreCounters } from './replay.js';
import { Task } from './task.entity.js';
import type { CompleteTaskInput, CreateTaskInput, UpdateTaskInput } from './task.input.js';
import { selectCompletions, selectTasks, type TaskTables, taskKey } from './task.queries.js';

export interface Completed extends Counted {
  /** True when the idempotency key had been used: nothing was counted again. */
  replayed: boolean;
}

export class TaskService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly challenges: ChallengeService,
  ) {}

  async create(userId: string, input: CreateTaskInput): Promise<Task> {
    const now = this.clock.now();
    const { title, points, isDailyRoutine, description = null, challengeTemplateId = null } = input;
    try {
      return await this.database.transaction(async (tx) => {
        if (challengeTemplateId !== null) await this.challenges.assertActive(tx, userId, challengeTemplateId);
        const fresh = { completionCount: 0, createdAt: now, updatedAt: now };
        return tx.create(Task, {
          userId,
          title,
          points,
          isDailyRoutine,
          description,
          challengeTemplateId,
          ...fresh,
        });
      });
    } catch (error) {
      const maybeGone = error instanceof Refusal || violates(error, 'foreignKey', 'tasks_user_id_foreign');
      if (maybeGone) await this.accounts.assertExists(userId);
      throw error;
    }
  }

  async list(userId: string): Promise<Task[]> {
    const tasks = await selectTasks(this.database.query(), userId).execute();
    if (tasks.length === 0) await this.accounts.assertExists(userId);
    return tasks;
  }

  page(userId: string, request: PageRequest): Page<Task> {
    const list = {
      all: () => selectTasks(this.database.query(), userId),
      key: taskKey,
      order: 'asc' as const,
      positionOf: ({ createdAt, id }: Task) => ({ at: createdAt, id }),
      whenEmpty: () => this.accounts.assertExists(userId),
    };
    return pageOf(list, request);
  }

  async find(userId: string, id: number): Promise<Task | null> {
    const task = await selectTasks(this.database.query(), userId).where('id', '=', id).executeTakeFirst();
    if (!task) await this.accounts.assertExists(userId);
    return task ?? null;
  }

  /** An empty update changes nothing but `updatedAt`. */
  async update(userId: string, id: number, changes: UpdateTaskInput): Promise<Task> {
    const updated = await this.database.transaction(async (tx) => {
      const task = await tx.findOne(Task, { id, userId });
      return task && tx.assign(task, { ...changes, updatedAt: this.clock.now() });
    });
    return updated ?? this.refuse(userId, id);
  }

  async complete(userId: string, { taskId, idempotencyKey = null }: CompleteTaskInput): Promise<Completed> {
    const at = this.clock.now();
    const doing = { userId, taskId, at, day: dayOf(at), idempotencyKey };
    try {
      const counted = (await countOnItsDay(this.database.query(), doing)) ?? (await this.completeLate(doing));
      return counted ? { ...counted, replayed: false } : await this.refuse(userId, taskId);
    } catch (error) {
      if (!violates(error, 'unique', 'task_completions_idempotency_key_unique')) throw error;
      return this.replay(doing);
    }
  }

  /** The clock was read on a day before the last counted one: another completion overtook this one at midnight. */
  private completeLate(doing: Doing): Promise<Counted | null> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      const counted = await countLate(query, doing);
      if (counted) await restoreCounters(query, doing.userId, doing.day);
      return counted;
    });
  }

  /** The whole statement was undone, so nothing was counted; the first completion is the answer. */
  private async replay({ userId, taskId, idempotencyKey }: Doing): Promise<Completed> {
    const completion = await selectCompletions(this.database.query(), userId)
      .where('idempotency_key', '=', idempotencyKey)
      .executeTakeFirstOrThrow();
    if (completion.taskId !== taskId) {
      throw invalid('Idempotency key was used for another task', 'idempotencyKey');
    }
    const task = await selectTasks(this.database.query(), userId)
      .where('id', '=', taskId)
      .executeTakeFirstOrThrow();
    return { completion, task, replayed: true };
  }

  /** Only here is a task looked for by its id alone: the spec tells another user's task from none. */
  private async refuse(userId: string, id: number): Promise<never> {
    const other = await this.database
      .query<TaskTables>()
      .selectFrom('tasks')
      .select('user_id')
      .where('id', '=', id)
      .executeTakeFirst();
    await this.accounts.assertExists(userId);
    throw other ? invalid("This task doesn't belong to you") : missing('Task');
  }
}

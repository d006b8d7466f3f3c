import { type Kysely, sql } from 'kysely';
import { lockAccount } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { announceProgress } from '../accounts/progress.announcement.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { retryUntilKnown } from '../database/outcome.js';
import type { Page, PageRequest, Pages } from '../database/page.js';
import { violates } from '../database/violations.js';
import { invalid, missing } from '../errors.js';
import { type Day, dayOf } from '../streaks/day.js';
import { correctedBy } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import {
  type CompletedTask,
  deleteCompletion,
  insertCompletion,
  insertLateCompletion,
  type NewCompletion,
} from './completion.queries.js';
import { dayOfCompletion } from './completion-day.js';
import { recountUserDays, recountUtcDays } from './recount-days.js';
import type { CompleteTaskInput } from './task.input.js';
import { type CompletionRow, completions, selectCompletions, type TaskTables } from './task.queries.js';
import type { TaskService } from './task.service.js';

export interface CompletionResult extends CompletedTask {
  /** True if the idempotency key had been used: nothing was counted again. */
  replayed: boolean;
}

export class CompletionService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly days: UserDaysService,
  ) {}

  async complete(
    userId: string,
    { taskId, idempotencyKey = null }: CompleteTaskInput,
  ): Promise<CompletionResult> {
    const at = this.clock.now();
    const completion = { userId, taskId, at, day: dayOf(at), recordedAt: at, idempotencyKey };
    return idempotencyKey === null
      ? this.attempt(completion)
      : retryUntilKnown(() => this.attempt(completion));
  }

  /**
   * Takes back the points of a completion of today, the user's or that of UTC. The streak is recounted from the days
   * that remain.
   */
  async undo(userId: string, id: number): Promise<CompletionRow> {
    const today = dayOf(this.clock.now());
    const { today: userToday } = await this.days.of(userId);
    const undone = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      // Lock the counters first; every transaction that changes counters and tasks uses this order.
      await this.accounts.lock(query, userId);
      const completion = await selectCompletions(query, { userId }).where('id', '=', id).executeTakeFirst();
      if (!completion) return null;
      const isOfToday = dayOf(completion.completedAt) === today || dayOfCompletion(completion) === userToday;
      if (!isOfToday) throw invalid('Only a completion of today can be undone', 'id');
      await deleteCompletion(query, completion);
      await recountUtcDays(query, completion, dayOf(completion.completedAt));
      await recountUserDays(query, completion, dayOfCompletion(completion));
      await correctStreak(query, userId, today);
      const ids = { taskId: sql`${completion.taskId}::bigint` };
      await sql`select ${announceProgress('UNDONE', sql`${userId}::uuid`, ids)}`.execute(query);
      return completion;
    });
    if (!undone) throw missing('Completion');
    return undone;
  }

  async find(userId: string, id: number): Promise<CompletionRow | null> {
    const [found] = await this.database.run(completions.byId, { id, userId });
    return found ?? null;
  }

  page(userId: string, request: PageRequest): Page<CompletionRow> {
    const whenEmpty = () => this.accounts.assertExists(userId);
    const page = completions.newestFirst.page(this.database, { userId }, request, whenEmpty);
    return { ...page, total: () => this.countAll(userId) };
  }

  /** The completions of each task, newest first. A task stores their number itself. */
  pagesOfTasks(userId: string): Pages<CompletionRow> {
    return completions.ofTasks.pages(this.database, { userId });
  }

  /** Adds up the counts of the tasks, since the history may be long. */
  private async countAll(userId: string): Promise<number> {
    const { total } = await this.database
      .query<TaskTables>()
      .selectFrom('tasks')
      .where('user_id', '=', userId)
      .select(sql<number>`coalesce(sum(completion_count), 0)::int`.as('total'))
      .executeTakeFirstOrThrow();
    if (total === 0) await this.accounts.assertExists(userId);
    return total;
  }

  private async attempt(completion: NewCompletion): Promise<CompletionResult> {
    try {
      const counted =
        (await insertCompletion(this.database, completion)) ?? (await this.completeLate(completion));
      return counted ? { ...counted, replayed: false } : await this.tasks.refuse(completion.taskId);
    } catch (error) {
      if (!violates(error, 'unique', 'task_completions_idempotency_key_unique')) throw error;
      this.database.noteChange(); // the completion exists, so from now on the outcome is not NOT_APPLIED
      return (await this.replay(completion)) ?? this.attempt(completion);
    }
  }

  /**
   * A completion of a later day was counted first: the clock was read before midnight, or the user has travelled
   * westwards. UTC days and the user's days may disagree about which is later.
   */
  private completeLate(completion: NewCompletion): Promise<CompletedTask | null> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      const { userId, day } = completion;
      const counters = await lockAccount(query, userId);
      if (!counters) return null;
      const advances = counters.lastActiveOn === null || counters.lastActiveOn <= day;
      const counted = await insertLateCompletion(query, completion, { advances });
      if (!counted) return null;
      if (!advances) {
        await recountUtcDays(query, counted.completion, day);
        await correctStreak(query, userId, dayOf(completion.recordedAt));
      }
      await recountUserDays(query, counted.completion, dayOfCompletion(counted.completion));
      return counted;
    });
  }

  /**
   * Returns the completion that used the key first; null if it has been undone meanwhile. The failed statement was
   * rolled back as a whole.
   */
  private async replay({ userId, taskId, idempotencyKey }: NewCompletion): Promise<CompletionResult | null> {
    const completion = await selectCompletions(this.database.query(), { userId })
      .where('idempotency_key', '=', idempotencyKey)
      .executeTakeFirst();
    if (!completion) return null;
    if (completion.taskId !== taskId) {
      throw invalid('Idempotency key was used for another task', 'idempotencyKey');
    }
    const task = await this.tasks.find(userId, taskId);
    if (!task) throw missing('Task');
    return { completion, task, replayed: true };
  }
}

const correctStreak = (query: Kysely<TaskTables>, userId: string, today: Day) =>
  sql`update user_progress set ${correctedBy(today)} where user_id = ${userId}`.execute(query);

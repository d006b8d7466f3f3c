import { sql } from 'kysely';
import type { AccountService } from '../accounts/account.service.js';
import { announceProgress } from '../accounts/progress.announcement.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { retryUntilKnown } from '../database/outcome.js';
import { invalid, missing, type Refusal } from '../errors.js';
import { dayOf } from '../streaks/day.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { topics } from '../telemetry/topics.js';
import {
  type CompletedTask,
  deleteCompletion,
  insertCompletion,
  type NewCompletion,
} from './completion.queries.js';
import { dayOfCompletion } from './completion-day.js';
import { insertLate } from './late-completions.js';
import { isKeyUsed, isPutAway, newCompletion, refusalOfInstant } from './new-completion.js';
import { correctStreak, recountUserDays, recountUtcDays } from './recount-days.js';
import type { CompleteTaskAtInput } from './task.input.js';
import { type CompletionRow, completions, selectCompletions, type TaskTables } from './task.queries.js';
import { keyReused, noTask, taskArchived } from './task.refusals.js';
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
    /** How long ago a completion may have been done that is recorded now. */
    private readonly backdateHours: number,
  ) {}

  /** `at` is when it was done, if that was not now. */
  async complete(userId: string, input: CompleteTaskAtInput): Promise<CompletionResult> {
    const completion = newCompletion(userId, input, this.clock.now());
    const refusal = refusalOfInstant(completion, this.backdateHours);
    return refusal ? this.replayedOr(refusal, completion) : this.record(completion);
  }

  /** Call it once `at` was found to be neither too early nor too late. */
  async record(completion: NewCompletion): Promise<CompletionResult> {
    return completion.idempotencyKey === null
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
      if (!isOfToday) throw invalid('Only a completion of today can be undone', 'id', 'NOT_TODAY');
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

  /** A retry may come when a first attempt would be refused. */
  private async replayedOr(refusal: Refusal, completion: NewCompletion): Promise<CompletionResult> {
    const replayed = completion.idempotencyKey === null ? null : await this.replay(completion);
    if (!replayed) throw refusal;
    return replayed;
  }

  private async attempt(completion: NewCompletion, retries = 1): Promise<CompletionResult> {
    try {
      const counted = await this.insert(completion);
      if (counted) return { ...counted, replayed: false };
    } catch (error) {
      if (isKeyUsed(error)) {
        this.database.noteChange(); // the completion exists, so from now on the outcome is not NOT_APPLIED
        return (await this.replay(completion)) ?? this.attempt(completion);
      }
      if (!isPutAway(error)) throw error;
    }
    const refusal = await this.tasks.whyNotCompleted(completion.userId, completion.taskId);
    if (!refusal && retries > 0) return this.attempt(completion, retries - 1); // just taken out of the archive
    if (!refusal) throw taskArchived();
    // The task may have been put away since the first attempt.
    if (refusal.reason === 'TASK_ARCHIVED') return this.replayedOr(refusal, completion);
    throw refusal;
  }

  private async insert(completion: NewCompletion): Promise<CompletedTask | undefined | null> {
    const isOfToday = completion.day >= dayOf(completion.recordedAt);
    const onTime = isOfToday ? await insertCompletion(this.database, completion) : null;
    const completed = onTime ?? (await this.completeLate(completion))[0];
    if (completed) topics.completions.tell(1);
    return completed;
  }

  /**
   * It was done on a day that is over, or a completion of a later day was counted first: the clock was read before
   * midnight, or the user has travelled westwards. UTC days and the user's days may disagree about which is later.
   */
  private completeLate(completion: NewCompletion): Promise<(CompletedTask | null)[]> {
    return insertLate(this.database, completion.userId, [completion]);
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
    if (completion.taskId !== taskId) throw keyReused();
    const task = await this.tasks.find(userId, taskId);
    if (!task) throw noTask();
    return { completion, task, replayed: true };
  }
}

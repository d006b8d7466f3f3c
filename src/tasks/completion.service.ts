import { type Kysely, sql } from 'kysely';
import { lockAccount } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { announceProgress } from '../accounts/progress.announcement.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { retryUntilKnown } from '../database/outcome.js';
import { violates } from '../database/violations.js';
import { invalid, missing, Refusal } from '../errors.js';
import { type Day, dayOf } from '../streaks/day.js';
import { correctedBy } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { limits } from '../validation.js';
import {
  type CompletedTask,
  deleteCompletion,
  insertCompletion,
  insertLateCompletion,
  type NewCompletion,
} from './completion.queries.js';
import { dayOfCompletion } from './completion-day.js';
import { recountUserDays, recountUtcDays } from './recount-days.js';
import type { CompleteTaskAtInput, CompletionInput } from './task.input.js';
import { type CompletionRow, completions, selectCompletions, type TaskTables } from './task.queries.js';
import type { TaskService } from './task.service.js';

const HOUR = 3_600_000;

/** In milliseconds: how far the clock of a client may be ahead. */
const TOLERATED_AHEAD = 2_000;

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
    const { taskId, idempotencyKey = null } = input;
    const recordedAt = this.clock.now();
    const at = input.at ?? recordedAt;
    const completion = { userId, taskId, at, day: dayOf(at), recordedAt, idempotencyKey };
    const refusal = this.refusalOf(completion);
    if (refusal) return this.replayedOr(refusal, completion);
    return idempotencyKey === null
      ? this.attempt(completion)
      : retryUntilKnown(() => this.attempt(completion));
  }

  /** Each is recorded or refused by itself, one after the other. Whatever stops the service stops them all. */
  async completeEach(
    userId: string,
    inputs: readonly (CompletionInput | Refusal)[],
  ): Promise<(CompletionResult | Refusal)[]> {
    if (inputs.length > limits.completionsAtOnce)
      throw invalid(`At most ${limits.completionsAtOnce} completions can be recorded at once`, 'input');
    const results: (CompletionResult | Refusal)[] = [];
    for (const input of inputs) {
      results.push(
        input instanceof Refusal
          ? input
          : await this.complete(userId, input).catch((error: unknown) => ownRefusal(error)),
      );
    }
    const isNothingDone = results.every((result) => result instanceof Refusal);
    if (isNothingDone) await this.accounts.assertExists(userId); // its tasks would be gone with the account
    return results;
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

  private refusalOf({ at, recordedAt }: NewCompletion): Refusal | undefined {
    const ago = recordedAt.getTime() - at.getTime();
    if (ago < -TOLERATED_AHEAD) return invalid('At must not be in the future', 'at');
    if (ago <= this.backdateHours * HOUR) return undefined;
    const message =
      this.backdateHours > 0
        ? `At must be at most ${this.backdateHours} hours ago`
        : 'At must not be in the past';
    return invalid(message, 'at', 'TOO_LATE');
  }

  /** A retry may come when it would be too late for a first attempt. */
  private async replayedOr(refusal: Refusal, completion: NewCompletion): Promise<CompletionResult> {
    const replayed = completion.idempotencyKey === null ? null : await this.replay(completion);
    if (!replayed) throw refusal;
    return replayed;
  }

  private async attempt(completion: NewCompletion): Promise<CompletionResult> {
    const isOfToday = completion.day >= dayOf(completion.recordedAt);
    try {
      const onTime = isOfToday ? await insertCompletion(this.database, completion) : null;
      const counted = onTime ?? (await this.completeLate(completion));
      return counted ? { ...counted, replayed: false } : await this.tasks.refuse(completion.taskId);
    } catch (error) {
      if (!violates(error, 'unique', 'task_completions_idempotency_key_unique')) throw error;
      this.database.noteChange(); // the completion exists, so from now on the outcome is not NOT_APPLIED
      return (await this.replay(completion)) ?? this.attempt(completion);
    }
  }

  /**
   * It was done on a day that is over, or a completion of a later day was counted first: the clock was read before
   * midnight, or the user has travelled westwards. UTC days and the user's days may disagree about which is later.
   */
  private completeLate(completion: NewCompletion): Promise<CompletedTask | null> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      const { userId, day } = completion;
      const today = dayOf(completion.recordedAt);
      const counters = await lockAccount(query, userId);
      if (!counters) return null;
      const advances = day >= today && (counters.lastActiveOn === null || counters.lastActiveOn <= day);
      const counted = await insertLateCompletion(query, completion, { advances });
      if (!counted) return null;
      if (!advances) {
        await recountUtcDays(query, counted.completion, day);
        await correctStreak(query, userId, today);
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
      throw invalid('Idempotency key was used for another task', 'idempotencyKey', 'KEY_REUSED');
    }
    const task = await this.tasks.find(userId, taskId);
    if (!task) throw missing('Task');
    return { completion, task, replayed: true };
  }
}

/** Of this completion alone. Any other error is the request's. */
function ownRefusal(error: unknown): Refusal {
  if (error instanceof Refusal && (error.kind === 'invalid' || error.kind === 'missing')) return error;
  throw error;
}

const correctStreak = (query: Kysely<TaskTables>, userId: string, today: Day) =>
  sql`update user_progress set ${correctedBy(today)} where user_id = ${userId}`.execute(query);

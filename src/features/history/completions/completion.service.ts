import type { Logger } from 'pino';
import type { Clock } from '../../../base/clock.js';
import type { Config } from '../../../base/config.js';
import { invalid, missing, Refusal } from '../../../base/errors.js';
import { type Caller, mayRead } from '../../../base/scopes.js';
import { isOneOf } from '../../../database/columns.js';
import type { Database } from '../../../database/database.js';
import { isNotApplied, refusalOf, retryUntilKnown } from '../../../database/outcome.js';
import { Together } from '../../../database/together.js';
import { lacks, violates } from '../../../database/violations.js';
import type { AccountService } from '../../account/account.service.js';
import { announceChange } from '../../account/progress.announcement.js';
import { noTask } from '../../habits/task.refusals.js';
import type { TaskService } from '../../habits/task.service.js';
import { dayOf } from '../../schedules/day.js';
import { recountTasks, recountUserAfter } from '../../schedules/recount-runs.js';
import { historyLimits } from '../limits.js';
import { correctStreak } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { topics } from '../topics.js';
import { type Replayable, recordTogether } from './batch.js';
import type { CompleteTaskAtInput, CompleteTaskInput, CompletionInput } from './completion.input.js';
import {
  type CompletedTask,
  type CountedTask,
  counting,
  countingWithoutTask,
  deleteCompletion,
  insertCompletion,
  insertCounted,
  type NewCompletion,
} from './completion.queries.js';
import { dayOver, inTheFuture, tooLate } from './completion.refusals.js';
import {
  type CompletionRow,
  type CompletionTables,
  completionColumns,
  completions,
  selectCompletions,
} from './completion-list.queries.js';

/** Batches at a time, so that others get their turn at the database meanwhile. */
const BATCHES = 2;

export type CompletionResult = CompletedTask & Replayable;
export type CountedResult = CountedTask & Replayable;

/** REST knows the first part of it. */
type Asked = CompleteTaskInput & Partial<CompleteTaskAtInput>;

type Insert<Done> = (completion: NewCompletion) => Promise<Done | null>;

/** How long ago a completion may have been done that is recorded now, or taken back. */
type Settings = Pick<Config, 'backdateHours'>;

/** What was there already may be of another device: its note is for those who may read. */
export const foundBy = (caller: Pick<Caller, 'scopes'>, completion: CompletionRow): CompletionRow =>
  mayRead(caller) ? completion : { ...completion, note: null };

export class CompletionService {
  private readonly batches: ReturnType<Database['semaphore']>;
  private readonly whole: Parameters<typeof insertCompletion>[0];
  private readonly counted: Parameters<typeof insertCounted>[0];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly days: UserDaysService,
    private readonly settings: Settings,
    log: Logger,
  ) {
    this.batches = database.semaphore(BATCHES, 1);
    const noteFailure = failuresOn(log);
    this.whole = new Together(database, counting, noteFailure);
    this.counted = new Together(database, countingWithoutTask, noteFailure);
  }

  /** `at` is when it was done, if that was not now. */
  complete(userId: string, input: Asked): Promise<CompletionResult> {
    return this.completeBy((completion) => insertCompletion(this.whole, completion), userId, input);
  }

  /** The same for whoever wants to know the counts alone. */
  completeCounted(userId: string, input: Asked): Promise<CountedResult> {
    return this.completeBy((completion) => insertCounted(this.counted, completion), userId, input);
  }

  private completeBy<Done>(insert: Insert<Done>, userId: string, input: Asked) {
    const completion = newCompletion(userId, input, this.clock.now());
    const attempt = () => this.attempt(insert, completion);
    return completion.idempotencyKey === null ? attempt() : retryUntilKnown(attempt);
  }

  /**
   * Completions that were done offline: each is recorded or refused by itself, in their order, and all at once. To
   * validate a hundred takes milliseconds, so that is part of the turn.
   */
  completeEach(
    userId: string,
    inputs: readonly CompletionInput[],
    validate: (inputs: readonly CompletionInput[]) => readonly (CompletionInput | Refusal)[],
  ): Promise<(CompletionResult | Refusal)[]> {
    if (inputs.length > historyLimits.completionsAtOnce)
      throw invalid(
        `At most ${historyLimits.completionsAtOnce} completions can be recorded at once`,
        'input',
      );
    const now = this.clock.now();
    return this.batches.withPermit(userId, () => {
      const wanted = validate(inputs).map((input) =>
        input instanceof Refusal ? input : newCompletion(userId, input, now),
      );
      return retryUntilKnown(() => this.recordTogether(userId, wanted));
    });
  }

  /**
   * Takes back the points of a completion, unless it is older than those that can be recorded now. What is of today,
   * the user's or that of UTC, never is. The streak is recounted from the days that remain.
   */
  async undo(userId: string, id: number): Promise<CompletionRow> {
    const now = this.clock.now();
    const today = dayOf(now);
    const { today: userToday } = await this.days.of(userId);
    const undone = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<CompletionTables>();
      // Lock the counters first; every transaction that changes counters and tasks uses this order.
      await this.accounts.lock(query, userId);
      const completion = await selectCompletions(query, { userId }).where('id', '=', id).executeTakeFirst();
      if (!completion) return null;
      const isOfToday = dayOf(completion.completedAt) === today || completion.day === userToday;
      if (!isOfToday && this.isTooLongAgo(completion.completedAt, now))
        throw dayOver(this.settings.backdateHours);
      await deleteCompletion(query, completion);
      await recountTasks(query, userId, [completion.taskId]);
      if (completion.points > 0) {
        await recountUserAfter(query, userId, [completion]);
        await correctStreak(query, userId, today);
      }
      const ids = { taskId: completion.taskId, completionId: id };
      await announceChange(query, { kind: 'COMPLETION_UNDONE', userId, at: now, ids });
      return completion;
    });
    if (!undone) throw missing('Completion');
    return undone;
  }

  /** At any time, unlike the completion itself. */
  async setNote(userId: string, id: number, note: string | null): Promise<CompletionRow> {
    const changed = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<CompletionTables>();
      await this.accounts.lock(query, userId);
      const completion = await query
        .updateTable('task_completions')
        .set({ note })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning(completionColumns.of('task_completions'))
        .executeTakeFirst();
      if (!completion) return undefined;
      const ids = { taskId: completion.taskId, completionId: id };
      await announceChange(query, { kind: 'COMPLETION_CHANGED', userId, at: this.clock.now(), ids });
      return completion;
    });
    if (!changed) throw missing('Completion');
    return changed;
  }

  async find(userId: string, id: number): Promise<CompletionRow | null> {
    const [found] = await this.database.run(completions.byId, { id, userId });
    return found ?? null;
  }

  /** Null for one that is none of the user's, or gone. */
  async findEach(userId: string, ids: readonly number[]): Promise<(CompletionRow | null)[]> {
    const query = this.database.query<CompletionTables>();
    const found = await selectCompletions(query, { userId })
      .where(isOneOf('id', [...ids]))
      .execute();
    const byId = new Map(found.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  private async attempt<Done>(insert: Insert<Done>, completion: NewCompletion) {
    const completed = await this.insert(insert, completion);
    if (completed) return { ...completed, isReplayed: false, isDoneAlready: false };
    const [result] = await this.recordTogether(completion.userId, [completion]);
    if (!result || result instanceof Refusal) throw result ?? noTask('taskId');
    return result;
  }

  /** Null for all but what is usual: a completion of today, of a task in use that is due every day, under a new key, and not `once`. */
  private async insert<Done>(insert: Insert<Done>, completion: NewCompletion): Promise<Done | null> {
    const { day, recordedAt, once } = completion;
    const isOfToday = day >= dayOf(recordedAt) && !this.refusalOf(completion);
    if (!isOfToday || once || this.database.isOnManyNodes) return null;
    const completed = await insert(completion).catch((error: unknown) => {
      if (isKeyUsed(error)) this.database.noteChange(); // by an earlier request
      if (isKeyUsed(error) || wasArchived(error)) return null; // the statement was undone as a whole
      throw error;
    });
    if (completed) topics.completions.publish(1);
    if (completed) topics.daysChanged.publish(completion.userId);
    return completed;
  }

  /** An instant must not be in the future, nor too long ago. */
  private refusalOf({ at, recordedAt }: NewCompletion): Refusal | undefined {
    if (at > recordedAt) return inTheFuture(recordedAt);
    return this.isTooLongAgo(at, recordedAt) ? tooLate(this.settings.backdateHours) : undefined;
  }

  private isTooLongAgo(at: Date, now: Date): boolean {
    return now.getTime() - at.getTime() > this.settings.backdateHours * HOUR;
  }

  private async recordTogether(
    userId: string,
    wanted: readonly (NewCompletion | Refusal)[],
  ): Promise<(CompletionResult | Refusal)[]> {
    const refusalOf = (completion: NewCompletion) => this.refusalOf(completion);
    const { results, counters } = await recordTogether(this.database, userId, wanted, refusalOf);
    const recorded = results.filter((each) => 'isReplayed' in each && !each.isReplayed).length;
    topics.completions.publish(recorded);
    if (recorded > 0) topics.daysChanged.publish(userId);
    const missing = results.flatMap((each) => ('missing' in each ? each.missing : []));
    const refusals = await this.tasks.whyNotOf(missing, 'taskId');
    return results.map((each) => {
      if ('missing' in each) return refusals.get(each.missing) ?? noTask('taskId');
      return each instanceof Refusal || each.isReplayed || !counters ? each : { ...each, counters };
    });
  }
}

const HOUR = 3_600_000;

/** How far the clock of a client may be ahead: what it did by then counts as done now. */
const TOLERATED_AHEAD_MS = 5 * 60_000;

/** What was done now, unless the input says when. */
function newCompletion(userId: string, input: Asked, recordedAt: Date): NewCompletion {
  const { taskId, idempotencyKey = null, amount = null, note = null, once = false } = input;
  const ahead = (input.at ?? recordedAt).getTime() - recordedAt.getTime();
  const at = !input.at || (ahead > 0 && ahead <= TOLERATED_AHEAD_MS) ? recordedAt : input.at;
  return { userId, taskId, at, day: dayOf(at), recordedAt, idempotencyKey, amount, note, once };
}

/** Whether the task was archived while its completion was recorded. Nothing was counted. */
const wasArchived = (error: unknown): boolean => lacks(error, 'task_completions', 'task_id');

const isKeyUsed = (error: unknown): boolean =>
  violates(error, 'unique', 'task_completions_idempotency_key_unique');

const QUIET_MS = 60_000;

/** Those of a set are sent one by one if it fails: that costs, and only this line tells that its statement is wrong. */
function failuresOn(log: Logger): (error: unknown) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (error) => {
    const isTold = !isNotApplied(error) || isKeyUsed(error) || refusalOf(error) !== undefined;
    if (isTold || performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    log.warn({ err: error }, 'Completions of several users failed together, and are recorded one by one');
  };
}

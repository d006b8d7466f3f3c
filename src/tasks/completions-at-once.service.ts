import { type Kysely, sql } from 'kysely';
import type { AccountService } from '../accounts/account.service.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { retryUntilKnown } from '../database/outcome.js';
import { invalid, Refusal } from '../errors.js';
import { limits } from '../validation.js';
import type { NewCompletion } from './completion.queries.js';
import type { CompletionResult } from './completion.service.js';
import { LateCompletions } from './late-completions.js';
import { newCompletion, refusalOfInstant } from './new-completion.js';
import type { CompletionInput } from './task.input.js';
import { type CompletionRow, selectCompletions, type TaskRow, type TaskTables } from './task.queries.js';
import { keyReused, noTask } from './task.refusals.js';
import type { TaskService } from './task.service.js';

/** What became of a completion: counted with its task, replayed without, or neither, since the task is not the user's. */
interface Attempted {
  taskId: number;
  completion?: CompletionRow;
  task?: TaskRow;
}

/** Completions that were done offline. */
export class CompletionsAtOnceService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    /** How long ago a completion may have been done that is recorded now. */
    private readonly backdateHours: number,
  ) {}

  /** Each is counted or refused by itself, in their order. All that count are recorded together or not at all. */
  async completeEach(
    userId: string,
    inputs: readonly (CompletionInput | Refusal)[],
  ): Promise<(CompletionResult | Refusal)[]> {
    if (inputs.length > limits.completionsAtOnce)
      throw invalid(`At most ${limits.completionsAtOnce} completions can be recorded at once`, 'input');
    const now = this.clock.now();
    const wanted = inputs.map((input) =>
      input instanceof Refusal ? input : newCompletion(userId, input, now),
    );
    return this.told(userId, await retryUntilKnown(() => this.attempt(userId, wanted)));
  }

  private attempt(
    userId: string,
    wanted: readonly (NewCompletion | Refusal)[],
  ): Promise<(Attempted | Refusal)[]> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      // Whoever records a completion of this user waits from here on, so that no key is used meanwhile.
      await this.accounts.lock(query, userId);
      const byKey = await completionsByKey(query, userId, wanted);
      const late = new LateCompletions(query);
      const attempted: (Attempted | Refusal)[] = [];
      for (const completion of wanted) {
        const result =
          completion instanceof Refusal ? completion : await this.attemptOne(completion, byKey, late);
        attempted.push(result);
      }
      return attempted;
    });
  }

  private async attemptOne(
    completion: NewCompletion,
    byKey: Map<string | null, CompletionRow>,
    late: LateCompletions,
  ): Promise<Attempted | Refusal> {
    const { taskId, idempotencyKey } = completion;
    const replayed = byKey.get(idempotencyKey);
    if (replayed) return replayed.taskId === taskId ? { taskId, completion: replayed } : keyReused();
    const refusal = refusalOfInstant(completion, this.backdateHours);
    if (refusal) return refusal;
    const counted = await late.record(completion);
    if (counted) byKey.set(idempotencyKey, counted.completion);
    return { taskId, ...counted };
  }

  /** The tasks that are missing yet, and why nothing was counted. */
  private async told(
    userId: string,
    attempted: readonly (Attempted | Refusal)[],
  ): Promise<(CompletionResult | Refusal)[]> {
    const withoutTask = attempted.filter((each) => !(each instanceof Refusal || each.task)) as Attempted[];
    const idsOf = (some: Attempted[]) => [...new Set(some.map(({ taskId }) => taskId))];
    const replayed = idsOf(withoutTask.filter(({ completion }) => completion));
    const refused = idsOf(withoutTask.filter(({ completion }) => !completion));
    const tasks = new Map(
      replayed.length > 0 ? (await this.tasks.findMany(userId, replayed)).map((task) => [task.id, task]) : [],
    );
    const refusals = refused.length > 0 ? await this.tasks.refusalsOf(refused) : new Map<number, Refusal>();
    return attempted.map((each) => {
      if (each instanceof Refusal) return each;
      const { taskId, completion, task = tasks.get(taskId) } = each;
      return completion && task
        ? { completion, task, replayed: !each.task }
        : (refusals.get(taskId) ?? noTask());
    });
  }
}

async function completionsByKey(
  query: Kysely<TaskTables>,
  userId: string,
  wanted: readonly (NewCompletion | Refusal)[],
): Promise<Map<string | null, CompletionRow>> {
  const keys = wanted.flatMap((each) => (each instanceof Refusal ? [] : (each.idempotencyKey ?? [])));
  const found = await selectCompletions(query, { userId })
    .select('idempotency_key as key')
    .where(sql<boolean>`idempotency_key = any(${keys}::text[])`)
    .execute();
  return new Map(found.map(({ key, ...completion }) => [key, completion]));
}

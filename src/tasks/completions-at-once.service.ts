import { sql } from 'kysely';
import type { AccountService } from '../accounts/account.service.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { retryUntilKnown } from '../database/outcome.js';
import { invalid, Refusal } from '../errors.js';
import { dayOf } from '../streaks/day.js';
import { topics } from '../telemetry/topics.js';
import { limits } from '../validation.js';
import type { NewCompletion } from './completion.queries.js';
import type { CompletionResult, CompletionService } from './completion.service.js';
import { insertLate } from './late-completions.js';
import { isKeyUsed, isPutAway, newCompletion, refusalOfInstant } from './new-completion.js';
import type { CompletionInput } from './task.input.js';
import { type CompletionRow, selectCompletions, type TaskTables } from './task.queries.js';
import { keyReused, noTask } from './task.refusals.js';
import type { TaskService } from './task.service.js';

/**
 * The most late completions in one transaction. They share the recounting of their days; but other requests wait
 * meanwhile, and a deadline undoes all of them.
 */
const TOGETHER = 10;

type Result = CompletionResult | Refusal;

/** The completion that used a key before. Its task is read last. */
interface Replay {
  known: CompletionRow;
}

type Wanted = NewCompletion | Refusal | Replay;

/** Completions that were done offline. */
export class CompletionsAtOnceService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    private readonly completions: CompletionService,
    /** How long ago a completion may have been done that is recorded now. */
    private readonly backdateHours: number,
  ) {}

  /** Each is recorded or refused by itself, in their order. Any other error ends the request, and what was recorded stays. */
  async completeEach(userId: string, inputs: readonly (CompletionInput | Refusal)[]): Promise<Result[]> {
    if (inputs.length > limits.completionsAtOnce)
      throw invalid(`At most ${limits.completionsAtOnce} completions can be recorded at once`, 'input');
    const now = this.clock.now();
    const wanted = inputs.map((input) =>
      input instanceof Refusal ? input : newCompletion(userId, input, now),
    );
    const recorded: (Result | Replay)[] = [];
    for (const { late, alone } of groupsOf(await this.withReplays(userId, wanted))) {
      if (late) recorded.push(...(await this.recordTogether(userId, late)));
      if (alone) recorded.push(isNew(alone) ? await this.recordAlone(alone) : alone);
    }
    const results = await this.withTasks(userId, recorded);
    const isNothingDone = results.every((result) => result instanceof Refusal);
    if (isNothingDone) await this.accounts.assertExists(userId); // its tasks would be gone with the account
    return results;
  }

  /** Finds those whose key was used, and refuses those whose `at` is too early or too late. */
  private async withReplays(userId: string, wanted: readonly (NewCompletion | Refusal)[]): Promise<Wanted[]> {
    const keys = wanted.flatMap((each) => (each instanceof Refusal ? [] : (each.idempotencyKey ?? [])));
    const used = await selectCompletions(this.database.query<TaskTables>(), { userId })
      .select('idempotency_key as key')
      .where(sql<boolean>`idempotency_key = any(${keys}::text[])`)
      .execute();
    const byKey = new Map(used.map(({ key, ...completion }) => [key, completion]));
    return wanted.map((each) => {
      if (each instanceof Refusal) return each;
      const known = byKey.get(each.idempotencyKey);
      if (!known) return refusalOfInstant(each, this.backdateHours) ?? each;
      return known.taskId === each.taskId ? { known } : keyReused();
    });
  }

  /** The tasks of replays are read last, so that they are as the others have left them. */
  private async withTasks(userId: string, recorded: readonly (Result | Replay)[]): Promise<Result[]> {
    const replays = recorded.filter(isReplay);
    const ids = [...new Set(replays.map(({ known }) => known.taskId))];
    const tasks = ids.length > 0 ? await this.tasks.findMany(userId, ids) : [];
    const byId = new Map(tasks.map((task) => [task.id, task]));
    return recorded.map((each) => {
      if (!isReplay(each)) return each;
      const task = byId.get(each.known.taskId);
      return task ? { completion: each.known, task, replayed: true } : noTask();
    });
  }

  private recordAlone(completion: NewCompletion): Promise<Result> {
    return this.completions.record(completion).catch(ownRefusal);
  }

  private async recordTogether(userId: string, late: readonly NewCompletion[]): Promise<Result[]> {
    const counted = await retryUntilKnown(() => insertLate(this.database, userId, late)).catch(
      (error: unknown) => {
        if (isKeyUsed(error) || isPutAway(error)) return null; // one was recorded, or put away, meanwhile
        throw error;
      },
    );
    topics.completions.tell(counted?.filter(Boolean).length ?? 0);
    const results: Result[] = [];
    for (const [index, completion] of late.entries()) {
      const completed = counted?.[index];
      results.push(completed ? { ...completed, replayed: false } : await this.recordAlone(completion));
    }
    return results;
  }
}

const isNew = (each: Wanted): each is NewCompletion => 'recordedAt' in each;

const isReplay = (each: Result | Replay): each is Replay => 'known' in each;

interface Group {
  late?: NewCompletion[];
  alone?: Wanted;
}

/** Neighbours that were done on days that are over go together, unless two have the same key. */
function* groupsOf(wanted: readonly Wanted[]): Generator<Group> {
  let late: NewCompletion[] = [];
  for (const each of wanted) {
    const isLate = isNew(each) && each.day < dayOf(each.recordedAt);
    const joins = isLate && late.length < TOGETHER && !late.some(sameKeyAs(each));
    if (!joins && late.length > 0) {
      yield { late };
      late = [];
    }
    if (isLate) late.push(each);
    else yield { alone: each };
  }
  if (late.length > 0) yield { late };
}

const sameKeyAs = (one: NewCompletion) => (other: NewCompletion) =>
  one.idempotencyKey === other.idempotencyKey;

/** Of this completion alone. Any other error is the request's. */
function ownRefusal(error: unknown): Refusal {
  if (error instanceof Refusal && (error.kind === 'invalid' || error.kind === 'missing')) return error;
  throw error;
}

import type { Clock } from '../../base/clock.js';
import { invalid, missing, Refusal } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import { accounts } from '../account/account.queries.js';
import { digestOf } from '../account/secret.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { TaskService } from '../habits/task.service.js';
import type { TaskDaysService, Today } from '../history/calendar/task-days.service.js';
import type { CompletionService } from '../history/completions/completion.service.js';
import type { CompletionRow } from '../history/completions/completion-list.queries.js';
import type { TrueStreak } from '../history/streaks/streak.js';
import type { UserDaysService } from '../history/streaks/user-days.service.js';
import { type Day, daysAfter } from '../schedules/day.js';
import type { CheckInInput } from './check-in-link.input.js';
import {
  type CheckInTables,
  completionByKey,
  linkByDigest,
  noteCompletion,
  noteUse,
} from './check-in-link.queries.js';
import { looksLikeLinkToken } from './link-token.js';
import type { SignedCheckIn, SignedLinks } from './signed-links.js';
import { UsersOfLinks } from './users-of-links.js';

/** How a task stands on the day that a link is for. */
export interface CheckedIn {
  task: TaskRow;
  day: Day;
  today: Today;
  streak: TrueStreak;
  /** Whether something was recorded just now. */
  counted: boolean;
  /** Whether nothing was, since it was done in another way: the link cannot take that back. */
  isDoneElsewhere?: boolean;
}

/** A link that is known, with what it may do. */
interface Known {
  userId: string;
  taskId: number;
  amount: number | null;
  /** Given for a link that is kept. */
  kept?: { id: string; lastCompletionId: number | null };
  /** Given for a link of a message: when it was done, if that is not now, and the key that it records once by. */
  signed?: { at: Date | undefined; key: string };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long the last completion of a link may be taken back by it. */
const UNDO_MINUTES = 10;

/** What check-in links do: one task is completed, or shown, and the last completion taken back. */
export class CheckInService {
  private readonly users = new UsersOfLinks();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly links: SignedLinks,
    private readonly tasks: TaskService,
    private readonly completions: CompletionService,
    private readonly days: UserDaysService,
    private readonly taskDays: TaskDaysService,
  ) {}

  /** The user of a link, told without asking the database; undefined where that is not known yet. */
  userOf(token: string): string | undefined {
    return this.links.read(token)?.userId ?? this.users.of(token);
  }

  /** Changes nothing: whoever previews an address only reads. */
  async show(token: string): Promise<CheckedIn> {
    const known = await this.find(token);
    return this.standing(known, false);
  }

  /** Whatever comes a second time is recorded once: see the keys. */
  async complete(token: string, input: CheckInInput): Promise<CheckedIn> {
    const known = await this.find(token);
    const { userId, taskId, kept, signed } = known;
    const now = this.clock.now();
    const idempotencyKey = await this.keyOf(known, input, now);
    const amount = input.amount ?? (signed ? await this.remainingOf(known) : known.amount);
    // One tap on a message is enough: where nothing is left to be done, it counts nothing that is there already.
    const once = input.once || (signed !== undefined && amount === null);
    const completion = { taskId, idempotencyKey, amount, once, ...(signed?.at && { at: signed.at }) };
    const done = await this.completions.complete(userId, completion).catch((error: unknown) => {
      // Within a minute it counts once, with whatever amount.
      const isAgain = error instanceof Refusal && error.reason === 'KEY_REUSED';
      if (isAgain && (input.key ?? null) === null) return undefined;
      throw error instanceof Refusal && error.reason === 'TASK_ARCHIVED' ? archived() : error;
    });
    // What another device has done is not taken back by a link.
    if (done && kept && !done.isDoneAlready)
      await noteCompletion(this.database.query<CheckInTables>(), { userId, id: kept.id }, done.completion.id);
    const standing = await this.standing(known, done !== undefined && !done.isReplayed);
    const isOwn = done?.completion.id === kept?.lastCompletionId;
    return { ...standing, isDoneElsewhere: done?.isDoneAlready && !isOwn };
  }

  /** If there is nothing that it did, the answer is the same. */
  async undo(token: string): Promise<CheckedIn> {
    const known = await this.find(token);
    const last = await this.lastOf(known);
    if (last) {
      const age = this.clock.now().getTime() - last.recordedAt.getTime();
      if (age > UNDO_MINUTES * MINUTE_MS)
        throw invalid(`It can be taken back for ${UNDO_MINUTES} minutes`, undefined, 'TOO_LONG_AGO');
      await this.completions.undo(known.userId, last.id).catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.kind !== 'missing') throw error; // another one has taken it back
      });
    }
    return this.standing(known, false);
  }

  private async find(token: string): Promise<Known> {
    const signed = this.links.read(token);
    if (signed) return this.ofMessage(signed, token);
    const [link] = looksLikeLinkToken(token)
      ? await this.database.run(linkByDigest, { digest: digestOf(token) })
      : [];
    if (!link) throw noLink();
    this.database.noteAccount(link.userId);
    this.users.remember(token, link.userId);
    const { id, userId, taskId, amount, lastCompletionId } = link;
    return { userId, taskId, amount, kept: { id, lastCompletionId } };
  }

  /** Good until one hour after its day. What is done in that hour counts for that day. */
  private async ofMessage({ userId, taskId, day }: SignedCheckIn, token: string): Promise<Known> {
    this.database.noteAccount(userId);
    if ((await this.database.run(accounts.letIn, { id: userId })).length === 0) throw noLink();
    const before = daysAfter(day, -1);
    const { endOf } = await this.days.of(userId, { lastDays: [before] });
    const end = endOf.get(before)?.getTime() ?? 0;
    const now = this.clock.now().getTime();
    if (now >= end + HOUR_MS) throw over();
    const at = now >= end ? new Date(end - 1) : undefined;
    const signed = { at, key: `check-in:${digestOf(token)}` };
    return { userId, taskId, amount: null, signed };
  }

  private async keyOf({ userId, kept, signed }: Known, { key }: CheckInInput, now: Date): Promise<string> {
    if (signed) return signed.key;
    const id = kept?.id ?? '';
    const query = this.database.query<CheckInTables>();
    const { rows } = await noteUse(query, { userId, id }, { now, seconds: MINUTE_MS / 1_000 });
    if (!rows[0]) throw noLink();
    if (typeof key === 'string') return `check-in:${id}:${digestOf(key)}`;
    return `check-in:${id}:${rows[0].countsFrom.getTime()}`;
  }

  /** What is missing of the day's target, so that one tap is enough. */
  private async remainingOf(known: Known): Promise<number | null> {
    const { remaining } = (await this.standing(known, false)).today;
    return remaining !== null && remaining > 0 ? remaining : null;
  }

  private async lastOf({ userId, kept, signed }: Known): Promise<CompletionRow | null> {
    if (signed) {
      const [found] = await this.database.run(completionByKey, { userId, key: signed.key });
      return found ?? null;
    }
    const id = kept?.lastCompletionId ?? null;
    return id === null ? null : this.completions.find(userId, id);
  }

  private async taskOf(userId: string, taskId: number): Promise<TaskRow> {
    const task = await this.tasks.find(userId, taskId);
    if (!task) throw noLink();
    return task;
  }

  private async standing({ userId, taskId, signed }: Known, counted: boolean): Promise<CheckedIn> {
    const task = await this.taskOf(userId, taskId);
    if (task.archivedAt !== null) throw archived();
    const ids = [taskId];
    const { streaks, todays } = await this.taskDays.of(userId, {
      streaks: ids,
      todays: ids,
      at: signed?.at,
    });
    const [streak, today] = [streaks.get(taskId), todays.get(taskId)];
    if (!streak || !today) throw noLink();
    return { task, day: today.date, today, streak, counted };
  }
}

export const noLink = () => missing('Check-in link');

export const archived = () => new Refusal('gone', 'TASK_ARCHIVED', 'This habit is archived');

export const over = () => new Refusal('gone', 'TOO_LONG_AGO', 'The day of this link is over');

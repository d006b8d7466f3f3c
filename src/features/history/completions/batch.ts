import { type Kysely, sql } from 'kysely';
import { type Refusal, unauthenticated } from '../../../base/errors.js';
import { insertOf, isOneOf } from '../../../database/columns.js';
import type { Database } from '../../../database/database.js';
import { type Counters, counterColumns } from '../../account/account.queries.js';
import { publish } from '../../account/progress.announcement.js';
import { selectTasks, type TaskRow } from '../../habits/task.queries.js';
import { keyReused, taskArchived } from '../../habits/task.refusals.js';
import { type Day, dayOf } from '../../schedules/day.js';
import { userDayAt } from '../../schedules/days.queries.js';
import { recountTasks, recountUserAfter } from '../../schedules/recount-runs.js';
import { isLimit } from '../../schedules/target.js';
import { correctedBy } from '../streaks/streak.js';
import { Completion } from './completion.entity.js';
import type { NewCompletion } from './completion.queries.js';
import {
  type CompletionRow,
  type CompletionTables,
  completionColumns,
  selectCompletions,
} from './completion-list.queries.js';

type Query = Kysely<CompletionTables>;

/** Why a completion cannot be recorded, whatever the task. */
type RefusalOf = (completion: NewCompletion) => Refusal | undefined;

export interface Replayable {
  /** True if the idempotency key had been used, or `isDoneAlready`: nothing was counted again. */
  isReplayed: boolean;
  /** True if it was to be counted once, and another completion of that day was there. */
  isDoneAlready: boolean;
}

export interface Recorded extends Replayable {
  completion: CompletionRow;
  /** As the batch has left it. */
  task: TaskRow;
}

/** The task is none of the user's. */
export interface Missing {
  missing: number;
}

interface Batch {
  /** One for each input, in their order. */
  results: (Recorded | Refusal | Missing)[];
  /** As they are by the end; undefined if nothing was recorded. */
  counters: Counters | undefined;
}

/** A completion that will be inserted. */
interface New {
  counted: Counted;
}

/** The completion that used a key before, or is of that day, also one of the same batch. */
interface Replay {
  of: New | CompletionRow;
  isDoneAlready: boolean;
}

/**
 * Records completions of one user in one transaction, as if each came alone, in their order: each is recorded, refused
 * or found to be there by itself. The number of statements does not depend on that of the completions. What was done
 * on a day that is over is counted as if it had been recorded in time, and the job had run since.
 */
export const recordTogether = (
  database: Database,
  userId: string,
  wanted: readonly (NewCompletion | Refusal)[],
  refusalOf: RefusalOf,
): Promise<Batch> =>
  database.transaction(async (tx) => {
    const query = tx.getKysely<CompletionTables>();
    const completions = wanted.filter(isCompletion);
    const account = await lockWithDays(
      query,
      userId,
      completions.map(({ at }) => at),
    );
    if (!account) throw unauthenticated();
    const days = new Map(completions.map((each, index) => [each, account.days[index] ?? each.day]));
    const dayOfEach = (each: NewCompletion) => days.get(each) ?? each.day;
    const judge = await judgeFor(query, userId, completions, { refusalOf, dayOfEach });
    const judged = wanted.map((each) => (isCompletion(each) ? judge.judge(each, dayOfEach(each)) : each));
    const news = judged.filter(isNew);
    const { ids, counters } = await count(query, userId, account.counters, news);
    const completionOf = ({ counted }: New): CompletionRow => ({
      ...counted,
      id: ids.get(counted.idempotencyKey) ?? Number.NaN,
    });
    const results = judged.map((each) => {
      if (!isNew(each) && !isReplay(each)) return each;
      const done = isNew(each) ? each : each.of;
      const completion = isNew(done) ? completionOf(done) : done;
      const task = judge.tasks.get(completion.taskId);
      if (!task) return { missing: completion.taskId };
      return {
        completion,
        task,
        isReplayed: isReplay(each),
        isDoneAlready: isReplay(each) && each.isDoneAlready,
      };
    });
    return { results, counters };
  });

const isCompletion = (each: NewCompletion | Refusal): each is NewCompletion => 'recordedAt' in each;

const isNew = (each: object): each is New => 'counted' in each;

const isReplay = (each: object): each is Replay => 'of' in each;

async function judgeFor(
  query: Query,
  userId: string,
  completions: readonly NewCompletion[],
  { refusalOf, dayOfEach }: { refusalOf: RefusalOf; dayOfEach: (each: NewCompletion) => Day },
): Promise<Judge> {
  const keys = completions.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  const used = keys.length > 0 ? await completionsWithKeys(query, userId, keys) : [];
  const tasks = await lockTasks(query, userId, [...new Set(completions.map(({ taskId }) => taskId))]);
  const once = completions.filter((each) => each.once);
  const places = new Map(
    once
      .map((each) => ({ taskId: each.taskId, day: dayOfEach(each) }))
      .map((place) => [nameOf(place), place] as const),
  );
  const done = places.size > 0 ? await lastOnDays(query, userId, [...places.values()]) : [];
  return new Judge({ used, done }, tasks, refusalOf);
}

/** Judges completions one after the other. */
class Judge {
  private readonly byKey: Map<string | null, New | CompletionRow>;
  /** The latest of a task on a day, for those that count once. */
  private readonly byPlace: Map<string, New | CompletionRow>;
  /** As the completions so far have left them. */
  readonly tasks: Map<number, TaskRow>;

  constructor(
    { used, done }: { used: readonly CompletionRow[]; done: readonly CompletionRow[] },
    tasks: readonly TaskRow[],
    private readonly refusalOf: RefusalOf,
  ) {
    this.byKey = new Map(used.map((completion) => [completion.idempotencyKey, completion]));
    this.byPlace = new Map(done.map((completion) => [nameOf(completion), completion]));
    this.tasks = new Map(tasks.map((task) => [task.id, task]));
  }

  judge(completion: NewCompletion, day: Day): New | Replay | Refusal | Missing {
    const { userId, taskId, at, recordedAt, idempotencyKey, amount, note, once } = completion;
    const earlier = idempotencyKey === null ? undefined : this.byKey.get(idempotencyKey);
    if (earlier) {
      const used = isNew(earlier) ? earlier.counted : earlier;
      if (used.taskId === taskId && used.amount === amount) return { of: earlier, isDoneAlready: false };
      if (!this.tasks.has(taskId)) return { missing: taskId };
      return used.taskId === taskId ? keyReused(forAmount(used.amount, amount)) : keyReused();
    }
    const place = nameOf({ taskId, day });
    const done = once ? this.byPlace.get(place) : undefined;
    if (done) return { of: done, isDoneAlready: true };
    const refusal = this.refusalOf(completion);
    if (refusal) return refusal;
    const before = this.tasks.get(taskId);
    if (!before) return { missing: taskId };
    if (before.archivedAt !== null) return taskArchived();
    const task = {
      ...before,
      completionCount: before.completionCount + 1,
      lastCompletedAt: later(before, at),
    };
    const points = isLimit(task) ? 0 : task.points;
    const counted = {
      userId,
      taskId,
      points,
      completedAt: at,
      idempotencyKey,
      day,
      recordedAt,
      amount,
      note,
    };
    this.tasks.set(taskId, task);
    const made = { counted };
    this.byKey.set(idempotencyKey, made);
    this.byPlace.set(place, made);
    return made;
  }
}

/** A day of a task. */
interface Place {
  taskId: number;
  day: Day;
}

const nameOf = ({ taskId, day }: Place) => `${taskId} ${day}`;

const forAmount = (earlier: number | null, now: number | null) =>
  `for this task with another amount: ${earlier ?? 'none'}, and now ${now ?? 'none'}`;

const later = ({ lastCompletedAt }: TaskRow, at: Date) =>
  lastCompletedAt !== null && lastCompletedAt > at ? lastCompletedAt : at;

async function count(query: Query, userId: string, before: Counters, news: readonly New[]) {
  if (news.length === 0) return { ids: new Map<string | null, number>(), counters: undefined };
  const completions = news.map(({ counted }) => counted);
  const ids = await insertAll(query, userId, completions);
  const earning = completions.filter(({ points }) => points > 0);
  if (earning.length > 0) await recountUserAfter(query, userId, earning, [...ids.values()]);
  const added = completions.map(({ taskId, day }) => ({ taskId, userDay: day }));
  await recountTasks(query, userId, [...new Set(added.map(({ taskId }) => taskId))], added);
  await countForTasks(query, userId, completions);
  const counters = await countForUser(query, userId, {
    points: completions.map(({ points }) => points),
    streak: streakAfter(earning, before),
  });
  await publishCompletions(query, userId, completions, ids);
  return { ids, counters };
}

/** By the letter of the specification, unless the day of a completion was over, or before one that was counted. */
function streakAfter(completions: readonly Counted[], before: Counters) {
  let { currentStreak: current, maxStreak: max, lastActiveOn: last } = before;
  for (const completion of completions) {
    const [day, today] = [dayOf(completion.completedAt), dayOf(completion.recordedAt)];
    if (day < today || (last !== null && day < last)) return { today };
    if (day !== last) current += 1;
    max = Math.max(max, current);
    last = day;
  }
  return { current, max };
}

/** A completion to insert. */
type Counted = Omit<CompletionRow, 'id'>;

/**
 * Locks the user's counters, as every transaction does first that changes counters and tasks. Returns them, with the
 * user's day at each of the instants; undefined when the account is gone.
 */
async function lockWithDays(
  query: Query,
  userId: string,
  instants: readonly Date[],
): Promise<{ counters: Counters; days: Day[] } | undefined> {
  const at = instants.map((instant) => instant.toISOString());
  const days = sql<Day[]>`array(
    select ${userDayAt(sql`at`)}::text
    from unnest(${at}::timestamptz[]) with ordinality as given (at, number) order by number)`;
  const row = await query
    .selectFrom('user_progress')
    .select([...counterColumns.of('user_progress'), days.as('days')])
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { counters: counterColumns.from(row), days: row.days };
}

const completionsWithKeys = (query: Query, userId: string, keys: string[]): Promise<CompletionRow[]> =>
  selectCompletions(query, { userId }).where(sql<boolean>`idempotency_key = any(${keys}::text[])`).execute();

/** Under the lock of the counters: until it is released, no other one is recorded or taken back. */
const lastOnDays = async (
  query: Query,
  userId: string,
  places: readonly Place[],
): Promise<CompletionRow[]> => {
  const { rows } = await sql<CompletionRow>`
    select last.* from unnest(
      ${places.map(({ taskId }) => taskId)}::bigint[],
      ${places.map(({ day }) => day)}::date[]
    ) as asked (task_id, day)
    cross join lateral (
      select ${completionColumns.textOf('task_completions')} from task_completions
      where user_id = ${userId} and task_completions.task_id = asked.task_id and task_completions.day = asked.day
      order by completed_at desc, id desc limit 1
    ) last`.execute(query);
  return rows;
};

/** Those that are the user's. None is archived, or worth other points, until the transaction ends. */
const lockTasks = (query: Query, userId: string, ids: number[]): Promise<TaskRow[]> =>
  selectTasks(query, { userId }).where(isOneOf('id', ids)).orderBy('id').forNoKeyUpdate().execute();

/** Returns the ids, by key: a completion without one comes alone. */
async function insertAll(
  query: Query,
  userId: string,
  completions: readonly Counted[],
): Promise<Map<string | null, number>> {
  const { rows } = await sql<{ id: number; key: string | null }>`
    ${insertOf(Completion, { into: 'task_completions', userId, rows: completions })}
    returning id, idempotency_key as key`.execute(query);
  return new Map(rows.map(({ id, key }) => [key, id]));
}

/** What a completion changes in its task's row, other than the run of days. */
async function countForTasks(query: Query, userId: string, completions: readonly Counted[]): Promise<void> {
  await sql`
    update tasks set
      completion_count = completion_count + counted.count,
      last_completed_at = greatest(last_completed_at, counted.last)
    from (
      select task_id, count(*)::int as count, max(completed_at) as last
      from unnest(
        ${completions.map(({ taskId }) => taskId)}::bigint[],
        ${completions.map(({ completedAt }) => completedAt.toISOString())}::timestamptz[]
      ) as given (task_id, completed_at)
      group by task_id
    ) counted
    where tasks.id = counted.task_id and tasks.user_id = ${userId}`.execute(query);
}

/** Call it when the runs have been recounted. `streak`: as it is, or what the job makes of the run today. */
async function countForUser(
  query: Query,
  userId: string,
  {
    points,
    streak,
  }: { points: readonly number[]; streak: { current: number; max: number } | { today: Day } },
): Promise<Counters | undefined> {
  const changed =
    'today' in streak
      ? correctedBy(streak.today)
      : sql`current_streak = ${streak.current}, max_streak = ${streak.max}`;
  const { rows } = await sql<Counters>`
    update user_progress set
      points = points + (select sum(earned) from unnest(${points}::numeric[]) as earned), ${changed}
    where user_id = ${userId}
    returning ${counterColumns.textOf('user_progress')}`.execute(query);
  return rows[0];
}

/** In the order in which they were recorded. */
async function publishCompletions(
  query: Query,
  userId: string,
  [first, ...others]: readonly Counted[],
  idsByKey: ReadonlyMap<string | null, number>,
): Promise<void> {
  if (!first) return;
  const completions = [first, ...others];
  const numbers = completions.map(({ idempotencyKey }) => idsByKey.get(idempotencyKey) ?? Number.NaN);
  const ids = { taskId: sql`done.task_id`, completionId: sql`done.id` };
  await sql`
    select ${publish({ kind: 'COMPLETION_RECORDED', userId, at: first.recordedAt, ids })}
    from unnest(${numbers}::bigint[], ${completions.map(({ taskId }) => taskId)}::bigint[]) as done (id, task_id)
  `.execute(query);
}

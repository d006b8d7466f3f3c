import { type Kysely, sql } from 'kysely';
import type { Day } from '../../schedules/day.js';
import { dayNumber, dayNumbered } from '../../schedules/days.queries.js';
import { sumOf } from '../../schedules/statistics.js';
import { earnsPoints, goalReached } from '../../schedules/target.queries.js';
import { COUNTED_BYTES, type CompletionTables } from '../completions/completion-list.queries.js';

/** Completions per statement. */
const CHUNK = 25_000;

/** Days as numbers since 1970, both included. */
export interface DayRange {
  /** Null for all tasks of the user. */
  taskId: number | null;
  /** What the amounts of a day must add up to, if not any completion will do. */
  target: number | null;
  /** What a completion without an amount adds. */
  ofOne: number | null;
  first: number;
  last: number;
  /** From the last day before the first one on which the goal was reached, and a month before that. */
  reachesBack?: boolean;
}

export interface ActiveDay {
  completionCount: number;
  /** As text, so that sums stay exact. */
  points: string;
  /** As text, too. */
  amount: string;
  firstCompletedAt: Date;
}

interface Part extends ActiveDay {
  range: number;
  day: number;
  lastCompletedAt: Date;
}

/** Completions of the first day count only after the instant. */
interface Span extends DayRange {
  number: number;
  after: string;
}

/** The days with completions, of each task that was asked for, or of the user. */
export type ActiveDays = Map<number | null, Map<number, ActiveDay>>;

/**
 * Reads the days with completions: of tasks, or of the user, but not of both at once. Each completion is read once,
 * even if ranges overlap.
 */
export async function activeDays(
  query: Kysely<CompletionTables>,
  userId: string,
  ranges: DayRange[],
  /** Called after each statement with the number of bytes that it read. */
  countRead: (bytes: number) => void,
): Promise<ActiveDays> {
  const found: ActiveDays = new Map(ranges.map(({ taskId }) => [taskId, new Map<number, ActiveDay>()]));
  const readers = new Map<string, number>();
  let spans = merged(ranges);
  while (spans.length > 0) {
    const limit = Math.ceil(CHUNK / spans.length);
    const parts = await selectParts(query, userId, spans, limit);
    for (const { range, day, ...part } of parts) {
      const span = spans[range - 1] as Span;
      // Spans that reach back may overlap: a day is read by the first of them.
      const reader = `${span.taskId} ${day}`;
      if ((readers.get(reader) ?? span.number) !== span.number) continue;
      readers.set(reader, span.number);
      const days = found.get(span.taskId);
      days?.set(day, joined(days.get(day), part));
    }
    countRead(parts.reduce((sum, { completionCount }) => sum + completionCount, 0) * COUNTED_BYTES);
    spans = spans.flatMap((span, index) => rest(span, parts, index + 1, limit));
  }
  return found;
}

/** For the comparison of rows that begin with the task, see `lastCompletionOf`. Limits are none of the user's days. */
const bounds = {
  ofUser: {
    span: sql`${earnsPoints} and (task_completions.day, completed_at) > (first, after) and task_completions.day <= last`,
    order: sql`task_completions.day, completed_at`,
  },
  ofTasks: {
    span: sql`(task_completions.task_id, task_completions.day, completed_at) > (span.task, first, after)
      and (task_completions.task_id, task_completions.day) <= (span.task, last)`,
    order: sql`task_completions.task_id, task_completions.day, completed_at`,
  },
};

/**
 * Reads a part of each span. Completions of the same instant are never split, so that the next part can start after
 * the last instant.
 */
async function selectParts(
  query: Kysely<CompletionTables>,
  userId: string,
  spans: Span[],
  limit: number,
): Promise<Part[]> {
  const { span, order } = spans[0]?.taskId === null ? bounds.ofUser : bounds.ofTasks;
  const each = (value: (span: Span) => string | number | boolean | null) => spans.map(value);
  const first = dayNumbered(sql`first_day`);
  // An effect depends on the last kept day or period: no period is longer than the days that are read before it.
  const lastKept =
    spans[0]?.taskId === null
      ? sql`(
        select task_completions.day from task_completions where user_id = ${userId} and task_completions.day < ${first} and ${earnsPoints}
        order by task_completions.day desc limit 1)`
      : sql`(
        select task_completions.day - 30 from task_completions
        where user_id = ${userId} and (task_completions.task_id, task_completions.day) < (task, ${first}) and task_completions.task_id >= task
        group by task_completions.task_id, task_completions.day having ${goalReached(sql`given.target`)}
        order by task_completions.task_id desc, task_completions.day desc limit 1)`;
  const { rows } = await sql<Part>`
    select number::int as range, ${dayNumber(sql`day`)} as day, "completionCount", points, amount,
      "firstCompletedAt", "lastCompletedAt"
    from (
      select task, of_one, ${dayNumbered(sql`last_day`)} as last, after, number,
        coalesce(case when reaches_back then ${lastKept} end, ${first}) as first
      from unnest(${each(({ taskId }) => taskId)}::bigint[], ${each(({ target }) => target)}::numeric[],
        ${each(({ ofOne }) => ofOne)}::numeric[],
        ${each(({ first }) => first)}::int[], ${each(({ last }) => last)}::int[],
        ${each(({ after }) => after)}::timestamptz[], ${each(({ reachesBack }) => reachesBack ?? false)}::boolean[])
        with ordinality as given (task, target, of_one, first_day, last_day, after, reaches_back, number)
    ) span
    cross join lateral (
      select day, count(*)::int as "completionCount",
        sum(points)::text as points, coalesce(sum(coalesce(amount, span.of_one)), 0)::text as amount,
        min(completed_at) as "firstCompletedAt", max(completed_at) as "lastCompletedAt"
      from (
        select task_completions.day as day, completed_at, points, amount from task_completions
        where user_id = ${userId} and ${span}
        order by ${order} fetch first ${limit} rows with ties
      ) chunk
      group by day
    ) days
  `.execute(query);
  return rows;
}

/** The rest of a span. If fewer rows were found than the limit, nothing is left. */
function rest(span: Span, parts: Part[], number: number, limit: number): Span[] {
  const found = parts.filter(({ range }) => range === number).sort((a, b) => a.day - b.day);
  const last = found.at(-1);
  if (!last || found.reduce((sum, { completionCount }) => sum + completionCount, 0) < limit) return [];
  return [{ ...span, reachesBack: false, first: last.day, after: last.lastCompletedAt.toISOString() }];
}

function merged(ranges: DayRange[]): Span[] {
  const spans: Span[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = spans.findLast(({ taskId }) => taskId === range.taskId);
    if (before && range.first <= before.last + 1) before.last = Math.max(before.last, range.last);
    else spans.push({ ...range, number: spans.length, after: '-infinity' });
  }
  return spans;
}

/** Adds up two parts of the same day; the earlier one comes first. */
function joined(
  before: ActiveDay | undefined,
  { completionCount, points, amount, firstCompletedAt }: ActiveDay,
): ActiveDay {
  if (!before) return { completionCount, points, amount, firstCompletedAt };
  return {
    completionCount: before.completionCount + completionCount,
    points: sumOf(before.points, points),
    amount: sumOf(before.amount, amount),
    firstCompletedAt: before.firstCompletedAt,
  };
}

/** A day of a task. */
export interface NotedDay {
  taskId: number;
  date: Day;
}

/** The notes on the completions of each day, in their order, and on its skip. */
export async function selectNotes(
  query: Kysely<CompletionTables>,
  userId: string,
  days: readonly NotedDay[],
): Promise<string[][]> {
  const { rows } = await sql<{ notes: string[] }>`
    select array(
      select note from task_completions
      where user_id = ${userId} and note is not null
        and (task_completions.task_id, task_completions.day) = (asked.task, asked.day)
      order by completed_at, id
    ) || array(
      select note from skips
      where user_id = ${userId} and task_id = asked.task and day = asked.day and note is not null
    ) as notes
    from unnest(${days.map(({ taskId }) => taskId)}::bigint[], ${days.map(({ date }) => date)}::date[])
      with ordinality as asked (task, day, number)
    order by number`.execute(query);
  return rows.map(({ notes }) => notes);
}

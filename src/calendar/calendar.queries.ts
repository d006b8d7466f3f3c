import { type Kysely, type RawBuilder, sql } from 'kysely';
import { COUNTED, completionDay, completionTask } from '../completions/completion-day.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';

/** Completions per statement. The embedded database serves no one else meanwhile. */
const CHUNK = 25_000;

/** Days as numbers since 1970, both included. */
export interface DayRange {
  /** Null for all tasks of the user. */
  taskId: number | null;
  first: number;
  last: number;
}

export interface ActiveDay {
  completions: number;
  /** As text, so that sums stay exact. */
  points: string;
  firstCompletedAt: Date;
}

interface Part extends ActiveDay {
  range: number;
  day: number;
  lastCompletedAt: Date;
}

/** Completions of the first day count only after the instant. */
interface Span extends DayRange {
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
  let spans = merged(ranges);
  while (spans.length > 0) {
    const limit = Math.ceil(CHUNK / spans.length);
    const parts = await selectParts(query, userId, spans, limit);
    for (const { range, day, ...part } of parts) {
      const days = found.get(spans[range - 1]?.taskId ?? null);
      days?.set(day, joined(days.get(day), part));
    }
    countRead(parts.reduce((sum, { completions }) => sum + completions, 0) * COUNTED);
    spans = spans.flatMap((span, index) => rest(span, parts, index + 1, limit));
  }
  return found;
}

/** For the comparison of rows that begin with the task, see `lastCompletionOf`. */
const bounds = {
  ofUser: {
    span: sql`(${completionDay}, completed_at) > (first, after) and ${completionDay} <= last`,
    order: sql`${completionDay}, completed_at`,
  },
  ofTasks: {
    span: sql`(${completionTask}, ${completionDay}, completed_at) > (span.task, first, after)
      and (${completionTask}, ${completionDay}) <= (span.task, last)`,
    order: sql`${completionTask}, ${completionDay}, completed_at`,
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
  const each = (value: (span: Span) => string | number | null) => spans.map(value);
  const day = (number: RawBuilder<unknown>) => sql`date '1970-01-01' + ${number}`;
  const { rows } = await sql<Part>`
    select number::int as range, day - date '1970-01-01' as day, completions, points,
      "firstCompletedAt", "lastCompletedAt"
    from (
      select task, ${day(sql`first_day`)} as first, ${day(sql`last_day`)} as last, after, number
      from unnest(${each(({ taskId }) => taskId)}::bigint[], ${each(({ first }) => first)}::int[],
        ${each(({ last }) => last)}::int[], ${each(({ after }) => after)}::timestamptz[])
        with ordinality as given (task, first_day, last_day, after, number)
    ) span
    cross join lateral (
      select day, count(*)::int as completions,
        sum(points)::text as points, min(completed_at) as "firstCompletedAt", max(completed_at) as "lastCompletedAt"
      from (
        select ${completionDay} as day, completed_at, points from task_completions
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
  if (!last || found.reduce((sum, { completions }) => sum + completions, 0) < limit) return [];
  return [{ ...span, first: last.day, after: last.lastCompletedAt.toISOString() }];
}

function merged(ranges: DayRange[]): Span[] {
  const spans: Span[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = spans.findLast(({ taskId }) => taskId === range.taskId);
    if (before && range.first <= before.last + 1) before.last = Math.max(before.last, range.last);
    else spans.push({ ...range, after: '-infinity' });
  }
  return spans;
}

/** Adds up two parts of the same day; the earlier one comes first. */
function joined(
  before: ActiveDay | undefined,
  { completions, points, firstCompletedAt }: ActiveDay,
): ActiveDay {
  if (!before) return { completions, points, firstCompletedAt };
  return {
    completions: before.completions + completions,
    points: sumOf(before.points, points),
    firstCompletedAt: before.firstCompletedAt,
  };
}

/** Exact, as in the database: JavaScript numbers would round. */
function sumOf(a: string, b: string): string {
  const decimals = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  const wholeOf = (text: string) => {
    const [integer = '', fraction = ''] = text.split('.');
    return BigInt(integer + fraction.padEnd(decimals, '0'));
  };
  const digits = `${wholeOf(a) + wholeOf(b)}`.padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

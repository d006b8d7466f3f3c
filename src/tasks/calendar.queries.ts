import { type Kysely, sql } from 'kysely';
import type { TaskTables } from './task.queries.js';

/** Completions per statement. The embedded database serves no one else meanwhile. */
const CHUNK = 25_000;

/** In bytes: the weight of a completion that is only counted. It is not sent, but it takes time all the same. */
const COUNTED = 10;

const DAY = 24 * 60 * 60 * 1_000;

/** Days as numbers since 1970, both included. */
export interface DayRange {
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

/** In milliseconds since 1970; `end` is not included. */
interface Span {
  start: number;
  end: number;
}

/** Reads the days with completions. Each completion is read once, even if ranges overlap. */
export async function activeDays(
  query: Kysely<TaskTables>,
  userId: string,
  ranges: DayRange[],
  /** Called after each statement with the number of bytes that it read. */
  countRead: (bytes: number) => void,
): Promise<Map<number, ActiveDay>> {
  const days = new Map<number, ActiveDay>();
  let spans = merged(ranges);
  while (spans.length > 0) {
    const limit = Math.ceil(CHUNK / spans.length);
    const parts = await selectParts(query, userId, spans, limit);
    for (const { range: _, day, ...part } of parts) days.set(day, joined(days.get(day), part));
    countRead(parts.reduce((sum, { completions }) => sum + completions, 0) * COUNTED);
    spans = spans.flatMap((span, index) => rest(span, parts, index + 1, limit));
  }
  return days;
}

/**
 * Reads a part of each span. Completions of the same instant are never split, so that the next part can start after
 * the last instant.
 */
async function selectParts(
  query: Kysely<TaskTables>,
  userId: string,
  spans: Span[],
  limit: number,
): Promise<Part[]> {
  const { rows } = await sql<Part>`
    select span.number::int as range, (extract(epoch from day) / 86400)::int as day, completions, points,
      "firstCompletedAt", "lastCompletedAt"
    from unnest(${spans.map(({ start }) => start)}::bigint[], ${spans.map(({ end }) => end)}::bigint[])
      with ordinality as span (first, last, number)
    cross join lateral (
      select date_bin('1 day', completed_at, 'epoch') as day, count(*)::int as completions,
        sum(points)::text as points, min(completed_at) as "firstCompletedAt", max(completed_at) as "lastCompletedAt"
      from (
        select completed_at, points from task_completions
        where user_id = ${userId}
          and completed_at >= timestamptz 'epoch' + span.first * interval '1 millisecond'
          and completed_at < timestamptz 'epoch' + span.last * interval '1 millisecond'
        order by completed_at fetch first ${limit} rows with ties
      ) chunk
      group by day
    ) days
  `.execute(query);
  return rows;
}

/** The rest of a span. If fewer rows were found than the limit, nothing is left. */
function rest({ end }: Span, parts: Part[], number: number, limit: number): Span[] {
  const found = parts.filter(({ range }) => range === number);
  if (found.reduce((sum, { completions }) => sum + completions, 0) < limit) return [];
  return [{ start: Math.max(...found.map(({ lastCompletedAt }) => lastCompletedAt.getTime())) + 1, end }];
}

function merged(ranges: DayRange[]): Span[] {
  const spans: Span[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = spans.at(-1);
    const [start, end] = [first * DAY, (last + 1) * DAY];
    if (before && start <= before.end) before.end = Math.max(before.end, end);
    else spans.push({ start, end });
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

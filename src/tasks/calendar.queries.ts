import { type Kysely, sql } from 'kysely';
import type { TaskTables } from './task.queries.js';

/** Completions that are read by one statement. The embedded database answers nobody else meanwhile. */
const CHUNK = 25_000;

/** In bytes: a completion that is counted is not sent, and takes time all the same. */
const COUNTED = 10;

const DAY = 24 * 60 * 60 * 1_000;

/** Days as whole numbers since 1970, the first and the last. */
export interface DayRange {
  first: number;
  last: number;
}

export interface ActiveDay {
  completions: number;
  /** As text, so that more can be added exactly. */
  points: string;
  firstCompletedAt: Date;
}

interface Part extends ActiveDay {
  range: number;
  day: number;
  lastCompletedAt: Date;
}

/** In milliseconds since 1970; it ends before `end`. */
interface Span {
  start: number;
  end: number;
}

/** The days that have completions. Each completion is looked at once, however the ranges overlap. */
export async function activeDays(
  query: Kysely<TaskTables>,
  userId: string,
  ranges: DayRange[],
  /** Told, after each statement, how many bytes it looked at. */
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

/** All completions of an instant are in one part, so that the next can go on after it. */
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

/** What is still to be read of a span: nothing unless as much was found as was asked for. */
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

/** Parts of a day come in their order. */
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

/** Exact, as in the database: numbers of JavaScript would round. */
function sumOf(a: string, b: string): string {
  const decimals = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0));
  const wholeOf = (text: string) => {
    const [integer = '', fraction = ''] = text.split('.');
    return BigInt(integer + fraction.padEnd(decimals, '0'));
  };
  const digits = `${wholeOf(a) + wholeOf(b)}`.padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

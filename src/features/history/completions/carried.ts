import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { carried, DayText, type Exported, InstantText, inFuture } from '../../../base/carried.js';
import type { Problem } from '../../../base/carried-file.js';
import { READ_LIMIT_BYTES } from '../../../base/request.js';
import { Clearable, Id, limits, Text } from '../../../base/validation.js';
import { insertAll, isoOf as iso } from '../../../database/columns.js';
import { AT } from '../../../rest/route.js';
import { dayOf, isDayOf } from '../../schedules/day.js';
import { Amount } from '../../schedules/habit-rules.js';
import { EarnedPoints } from '../../schedules/points.js';
import { Completion } from './completion.entity.js';
import { restoreCounters } from './recount.js';

export class ImportedCompletion {
  @Id()
  task!: number;

  @EarnedPoints()
  points!: number;

  @InstantText()
  completedAt!: string;

  @DayText()
  day!: string;

  @InstantText()
  recordedAt!: string;

  @Clearable()
  @Amount()
  amount?: number | null;

  @Clearable()
  @Text({ max: limits.note })
  note?: string | null;
}

/** More than a life has, and what one transaction brings in within the time of an import. */
const MOST = 1_000_000;

/** Rows that one statement reads. */
const CHUNK = 5_000;

/** Of their lines: with long notes it reads fewer. */
const CHUNK_BYTES = READ_LIMIT_BYTES / 2;

const isoOf = (column: string) => iso(sql.ref(column));

/** A user's own day is this one, or one of the two beside it. */
const utcDayOf = (column: string) => sql`(${sql.ref(column)} at time zone 'UTC')::date`;

/** Whatever DateStyle the database has. */
const day = sql`to_char(task_completions.day, 'YYYY-MM-DD')`;

/** A function of PostgreSQL would take three times as long. */
const asJson = sql`
  '{"task":' || task_id || ',"points":' || points || ',"completedAt":"' || ${isoOf('completed_at')} ||
  '","day":"' || ${day} || '","recordedAt":"' || ${isoOf('recorded_at')} || '"' ||
  coalesce(',"amount":' || amount, '') || coalesce(',"note":' || to_json(note)::text, '') || '}'`;

/** Where a cell may begin: some spreadsheets split at semicolons or tabs, and then know nothing of our quotes. */
const FORMULA = String.raw`(^|[;\t\r\n])([\s"\u0001-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*[=+@＝＋＠－-])`;

/** To be quoted; where a spreadsheet would take a part of it for a formula, an apostrophe keeps it from that. */
const unharmed = (text: RawBuilder<unknown>) =>
  sql`replace(regexp_replace(${text}, ${FORMULA}, E'\\\\1''\\\\2', 'g'), '"', '""')`;

const asCsv = (userId: string) => sql`
  ${isoOf('completed_at')} || ',' || ${day} || ',' || ${isoOf('recorded_at')} || ',' || points || ',' || task_id || ',"' ||
  (select ${unharmed(sql`title`)} from tasks where tasks.id = task_id and tasks.user_id = ${userId}) || '",' ||
  coalesce(amount::text, '') || ',' || coalesce('"' || ${unharmed(sql`note`)} || '"', '') || E'\\r\\n'`;

export const CSV_HEAD = 'completed_at,day,recorded_at,points,task_id,task,amount,note\r\n';

/** Oldest first, by day and then by instant, some thousands at a time. */
async function* chunks(
  query: Kysely<unknown>,
  { userId, lastTask }: Pick<Exported, 'userId' | 'lastTask'>,
  line: RawBuilder<unknown>,
  separator: string,
) {
  for (let [onDay, at, id] = ['-infinity', '-infinity', 0]; ; ) {
    const { rows } = await sql<{ text: string; count: number; day: string; at: string; id: number }>`
      select string_agg(line, ${separator} order by day, completed_at, id) as text, count(*)::int as count,
        to_char(max(day), 'YYYY-MM-DD') as day,
        (array_agg(${isoOf('completed_at')} order by day desc, completed_at desc, id desc))[1] as at,
        (array_agg(id order by day desc, completed_at desc, id desc))[1] as id
      from (
        select *, sum(octet_length(line)) over (order by day, completed_at, id) as bytes
        from (
          select day, completed_at, id, ${line} as line from task_completions
          where user_id = ${userId} and task_id <= ${lastTask}
            and (day, completed_at, id) > (${onDay}::date, ${at}::timestamptz, ${id})
          order by day, completed_at, id limit ${CHUNK}
        ) found
      ) chunk
      where bytes <= ${CHUNK_BYTES}`.execute(query);
    const [chunk] = rows;
    if (!chunk || chunk.count === 0) return;
    yield chunk.text;
    [onDay, at, id] = [chunk.day, chunk.at, chunk.id];
  }
}

export const completionsAsCsv = (query: Kysely<unknown>, exported: Pick<Exported, 'userId' | 'lastTask'>) =>
  chunks(query, exported, asCsv(exported.userId), '');

export const meaningOfTask = 'The id of one of the tasks.';

export const noTask: Problem = ['task', 'Task must be the id of one of the tasks'];

export const carriedCompletions = carried({
  name: 'completions',
  type: ImportedCompletion,
  list: { label: 'Completion', most: MOST },
  said: {
    task: meaningOfTask,
    points: 'As awarded; 0 of a limit.',
    day: 'The day of the user that it counts for.',
    amount:
      'Left out if none was given: then it counts as the whole target, and as 1 for a limit or a target of a week or month.',
    note: 'Left out if there is none.',
  },
  example: { task: 1, points: 15, completedAt: AT, day: '2026-11-21', recordedAt: AT },
  about: 'Oldest first.',
  exported: (query, exported) => chunks(query, exported, asJson, ','),
  problemIn:
    (here) =>
    ({ task, points, completedAt, day, recordedAt }) => {
      if (!here.kinds.has(task)) return noTask;
      const kind = here.kinds.get(task);
      if (kind && (kind === 'limit') !== (points === 0))
        return ['points', 'Points must be greater than zero, and 0 for a limit'];
      if (!isDayOf(new Date(completedAt), day))
        return ['day', 'Day must be that of completed at, in some time zone'];
      return inFuture(here, { completedAt, recordedAt });
    },
  /** The last part: the counters are derived from it. */
  async bringIn(items, query, { userId, ids, now, there }) {
    const added = there.size > 0 ? await newCompletions(query, userId, items, { ids, there }) : items;
    await insertCompletions(query, userId, added, ids);
    await restoreCounters(query.withTables(), userId, dayOf(now));
    return added.length;
  },
});

/** Without those of the same task and instant. */
async function newCompletions(
  query: Kysely<unknown>,
  userId: string,
  items: readonly ImportedCompletion[],
  { ids, there }: { ids: ReadonlyMap<number, number>; there: ReadonlySet<number> },
): Promise<ImportedCompletion[]> {
  const known = new Set<string>();
  const keyOf = (task: unknown, instant: string) => `${task} ${instant}`;
  const asked = items.filter(({ task }) => there.has(task));
  for (let begin = 0; begin < asked.length; begin += CHUNK) {
    const chunk = asked.slice(begin, begin + CHUNK);
    const { rows } = await sql<{ task: number; instant: string }>`
      select asked.task, ${isoOf('asked.instant')} as instant
      from unnest(
        ${chunk.map(({ task }) => ids.get(task))}::bigint[],
        ${chunk.map(({ completedAt }) => completedAt)}::timestamptz[]
      ) as asked (task, instant)
      where exists (
        select from task_completions
        where user_id = ${userId} and task_id = asked.task and completed_at = asked.instant
          and task_completions.day between ${utcDayOf('asked.instant')} - 1 and ${utcDayOf('asked.instant')} + 1
      )`.execute(query);
    for (const { task, instant } of rows) known.add(keyOf(task, instant));
  }
  return items.filter(({ task, completedAt }) => !known.has(keyOf(ids.get(task), completedAt)));
}

export const insertCompletions = (
  query: QueryExecutorProvider,
  userId: string,
  items: ImportedCompletion[],
  ids: ReadonlyMap<number, number>,
) =>
  insertAll(query, Completion, {
    ...{ into: 'task_completions', userId, items },
    rowOf: ({ task, ...each }) => ({ ...each, taskId: ids.get(task) }),
  });

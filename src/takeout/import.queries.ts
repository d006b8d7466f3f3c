import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Challenge } from '../challenges/challenge.entity.js';
import { Completion } from '../completions/completion.entity.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { insertsOf, isoOf } from '../database/columns.js';
import { Pause } from '../pauses/pause.entity.js';
import { Skip } from '../pauses/skip.entity.js';
import { withSectionsAsFirstWritten } from '../tasks/section.queries.js';
import { Task } from '../tasks/task.entity.js';
import { habitColumns } from '../tasks/task.queries.js';
import type { Imported } from './validate-import.js';

type Query = Kysely<CompletionTables>;

/** Rows that one statement inserts. */
const CHUNK = 1_000;

export async function hasTasks(query: Query, userId: string): Promise<boolean> {
  const { rows } = await sql`select from tasks where user_id = ${userId} limit 1`.execute(query);
  return rows.length > 0;
}

export async function countChallenges(query: Query, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from user_challenges where user_id = ${userId}`.execute(query);
  return rows[0]?.count ?? 0;
}

/** One that the file does not name stays. Before the counters are locked, as when a profile is changed. */
export async function setLanguage(
  query: Query,
  userId: string,
  { language }: Imported['account'],
): Promise<void> {
  if (language) await query.updateTable('users').set({ language }).where('id', '=', userId).execute();
}

export const setDays = (
  query: Query,
  userId: string,
  { account: { timeZone, dayStartsAt, weekStartsOn }, pauses }: Imported,
) => {
  // Pauses of everything concern the user's own days.
  const otherwise = pauses.some(({ task }) => typeof task !== 'number') ? 'UTC' : null;
  return sql`
    update user_progress set time_zone = coalesce(${timeZone}::text, time_zone, ${otherwise}::text),
      day_starts_at = case when ${timeZone}::text is null then day_starts_at else ${dayStartsAt}::int end,
      week_starts_on = coalesce(${weekStartsOn ?? null}::text, week_starts_on)
    where user_id = ${userId}`.execute(query);
};

/**
 * Answers the id of each task here by its id in the file. New ids go up with those of the file, so that tasks of one
 * instant stay in order; an order of the user's own is numbered as `renumberTasks` does.
 */
export async function insertTasks(
  query: Query,
  userId: string,
  tasks: Imported['tasks'],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('tasks', 'id')) as id
    from generate_series(1, ${tasks.length}::int)`.execute(query);
  const numbers = rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
  const inFile = tasks.map(({ id }) => id).sort((one, other) => one - other);
  const ids = new Map(inFile.map((id, index) => [id, numbers[index] ?? 0]));
  const isOldestFirst = tasks.every((task, index) => {
    const before = tasks[index - 1];
    if (!before || before.createdAt < task.createdAt) return true;
    return before.createdAt === task.createdAt && before.id < task.id;
  });
  const [first] = tasks.map(({ createdAt }) => createdAt).sort();
  const given = withSectionsAsFirstWritten(tasks).map((task, index) => ({
    ...task,
    ...habitColumns(task),
    id: ids.get(task.id),
    ...(!isOldestFirst && { listedAt: first, rank: index + 1 }),
  }));
  for (const insert of insertsOf(Task, { into: 'tasks', userId, rows: given })) await insert.execute(query);
  return ids;
}

type ChallengeKey = Pick<Imported['challenges'][number], 'templateId' | 'startDate' | 'createdAt'>;

const keyOf = ({ templateId, startDate, createdAt }: ChallengeKey) =>
  [templateId, Date.parse(startDate), Date.parse(createdAt)].join();

/**
 * One that is there already is not inserted again. Answers how many are new. An insert that reads a table would be
 * carried out by a node of Citus, which numbers rows by itself.
 */
export async function insertChallenges(
  query: Query,
  userId: string,
  challenges: Imported['challenges'],
): Promise<number> {
  const { rows } = await sql<ChallengeKey>`
    select template_id as "templateId", ${isoOf(sql`start_date`)} as "startDate", ${isoOf(sql`created_at`)} as "createdAt"
    from user_challenges where user_id = ${userId}`.execute(query);
  const there = new Set(rows.map(keyOf));
  const added = challenges.filter((challenge) => !there.has(keyOf(challenge)));
  for (const insert of insertsOf(Challenge, { into: 'user_challenges', userId, rows: added }))
    await insert.execute(query);
  return added.length;
}

export const insertPauses = (
  query: Query,
  userId: string,
  pauses: Imported['pauses'],
  ids: ReadonlyMap<number, number>,
) =>
  inChunks(query, pauses, (chunk) => {
    const rows = chunk.map(({ task, from, until = null, note = null }) => ({
      ...{ id: randomUUID(), taskId: typeof task === 'number' ? ids.get(task) : null },
      ...{ firstDay: from, lastDay: until, note },
    }));
    return insertsOf(Pause, { into: 'pauses', userId, rows });
  });

export const insertSkips = (
  query: Query,
  userId: string,
  skips: Imported['skips'],
  ids: ReadonlyMap<number, number>,
) =>
  inChunks(query, skips, (chunk) => {
    const rows = chunk.map(({ task, date: day, note }) => ({ taskId: ids.get(task), day, note }));
    return insertsOf(Skip, { into: 'skips', userId, rows });
  });

export const insertCompletions = (
  query: Query,
  userId: string,
  completions: Imported['completions'],
  ids: ReadonlyMap<number, number>,
) =>
  inChunks(query, completions, (chunk) => {
    const rows = chunk.map(({ task, ...each }) => ({ ...each, taskId: ids.get(task) }));
    return insertsOf(Completion, { into: 'task_completions', userId, rows });
  });

async function inChunks<T>(
  query: Query,
  parts: readonly T[],
  insertsOfChunk: (chunk: T[]) => RawBuilder<unknown>[],
): Promise<void> {
  for (let begin = 0; begin < parts.length; begin += CHUNK)
    for (const insert of insertsOfChunk(parts.slice(begin, begin + CHUNK))) await insert.execute(query);
}

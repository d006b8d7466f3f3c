import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, countUpTo, insertOf, type RowOf } from '../../../database/columns.js';
import { statement } from '../../../database/statement.js';
import type { Day } from '../../schedules/day.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { Pause } from './pause.entity.js';
import type { Skip } from './skip.entity.js';

export type RestTables = CompletionTables & {
  skips: Columns<Omit<Skip, 'task'>>;
  pauses: Columns<Omit<Pause, 'task'>>;
};

const pauseColumns = columnsOf(Pause, 'task');

export type PauseRow = RowOf<typeof pauseColumns>;

export const selectPauses = (query: Kysely<RestTables>, userId: string) =>
  query.selectFrom('pauses').where('user_id', '=', userId).select(pauseColumns.of('pauses'));

/** Of a user: of all tasks together, or of some; by their first days. */
export const pauses = {
  ofAll: statement((query: Kysely<RestTables>, { userId }: { userId: string }) =>
    selectPauses(query, userId).where('task_id', 'is', null).orderBy('first_day'),
  ),
  ofTasks: statement((query: Kysely<RestTables>, { userId, ids }: { userId: string; ids: number[] }) =>
    selectPauses(query, userId).where(sql<boolean>`task_id = any(${ids}::bigint[])`).orderBy('first_day'),
  ),
};

/** Those of the same thing that share a day with it. */
export const selectOverlapping = (
  query: Kysely<RestTables>,
  { id, userId, taskId, firstDay, lastDay }: Omit<PauseRow, 'note'>,
) =>
  selectPauses(query, userId).where(sql<boolean>`
    id <> ${id} and task_id is not distinct from ${taskId}::bigint
    and daterange(first_day, last_day, '[]') && daterange(${firstDay}::date, ${lastDay}::date, '[]')`);

/** Inserts nothing if the same thing already has `most` pauses. */
export const insertPause = (query: Kysely<RestTables>, pause: PauseRow, most: number) => {
  const { userId, taskId } = pause;
  return sql<{ id: string }>`
    ${insertOf(Pause, { into: 'pauses', userId, rows: [pause] })},
      ${countUpTo('pauses', userId, most, sql`task_id is not distinct from ${taskId}::bigint`)}
    where counted.rows < ${most}
    returning id`.execute(query);
};

interface OfPause {
  userId: string;
  id: string;
}

export const updatePause = (
  query: Kysely<RestTables>,
  { userId, id, firstDay, lastDay, note }: Omit<PauseRow, 'taskId'>,
) =>
  query
    .updateTable('pauses')
    .set({ first_day: firstDay, last_day: lastDay, note })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute();

export const deletePause = (query: Kysely<RestTables>, { userId, id }: OfPause) =>
  query.deleteFrom('pauses').where('user_id', '=', userId).where('id', '=', id).execute();

interface SkippedDay {
  userId: string;
  taskId: number;
  day: Day;
}

export const upsertSkip = (
  query: Kysely<RestTables>,
  { userId, taskId, day, note }: SkippedDay & { note: string | null | undefined },
) =>
  sql`
    insert into skips (user_id, task_id, day, note) values (${userId}, ${taskId}, ${day}, ${note ?? null})
    on conflict (user_id, task_id, day) do ${
      note === undefined ? sql`nothing` : sql`update set note = excluded.note`
    }`.execute(query);

export async function countSkips(
  query: Kysely<RestTables>,
  { userId, taskId }: Omit<SkippedDay, 'day'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from skips where user_id = ${userId} and task_id = ${taskId}`.execute(
    query,
  );
  return rows[0]?.count ?? 0;
}

export const deleteSkip = (query: Kysely<RestTables>, { userId, taskId, day }: SkippedDay) =>
  query
    .deleteFrom('skips')
    .where('user_id', '=', userId)
    .where('task_id', '=', taskId)
    .where('day', '=', day)
    .execute();

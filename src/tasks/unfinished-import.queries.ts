import { type Kysely, sql } from 'kysely';
import { type Day, dayOf } from '../streaks/day.js';
import { restoreCounters } from './recount.js';
import type { TaskTables } from './task.queries.js';

/** For the transaction that inserts the tasks, before it sets the days: what the account was is kept. */
export const noteUnfinished = (query: Kysely<unknown>, userId: string, ids: readonly number[]) =>
  sql`
    insert into unfinished_imports (user_id, first_task_id, last_task_id, time_zone, day_starts_at)
    select user_id, ${Math.min(...ids)}::bigint, ${Math.max(...ids)}::bigint, time_zone, day_starts_at
    from user_progress where user_id = ${userId}`.execute(query);

/** For the transaction that ends the import. */
export const noteFinished = (query: Kysely<unknown>, userId: string) =>
  sql`delete from unfinished_imports where user_id = ${userId}`.execute(query);

/** A condition for rows of a user, by the column that names their task. */
export const isOfImport = (userId: string, id: string) => sql`
  user_id = ${userId} and exists (
    select from unfinished_imports
    where user_id = ${userId} and ${sql.ref(id)} between first_task_id and last_task_id
  )`;

/** Leaves the account as it was before: its tasks with all their completions go, and its days are its own again. */
export async function removeImported(query: Kysely<unknown>, userId: string, today: Day): Promise<void> {
  await sql`delete from tasks where ${isOfImport(userId, 'id')}`.execute(query);
  await sql`
    update user_progress set time_zone = before.time_zone, day_starts_at = before.day_starts_at
    from unfinished_imports before
    where user_progress.user_id = ${userId} and before.user_id = ${userId}`.execute(query);
  await restoreCounters(query as Kysely<TaskTables>, userId, today);
  await noteFinished(query, userId);
}

export async function usersWithUnfinished(query: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select user_id as "userId" from unfinished_imports`.execute(query);
  return rows.map(({ userId }) => userId);
}

/** For a database that has just been restored, in the same transaction: a backup may hold a part of an import. */
export async function removeUnfinished(query: Kysely<unknown>, now: Date): Promise<void> {
  for (const userId of await usersWithUnfinished(query)) await removeImported(query, userId, dayOf(now));
}

import { type Kysely, sql } from 'kysely';
import { asRequest } from '../../base/request.js';
import { deleteLeases } from '../../database/announcements/announcements.js';
import type { Database } from '../../database/database.js';
import { deleteJobsOf } from '../../jobs/jobs.queries.js';
import { announceRevoked, isStanding, type Session } from './revocation.queries.js';

/** Called once the account is gone: also keeps the tombstone outside the database. */
export type Remember = (tombstone: Tombstone) => Promise<void>;

/** Which account was deleted, and when. */
export interface Tombstone {
  id: string;
  deletedAt: Date;
}

/** Deletions for a request take longer than its other statements, in milliseconds: a history may be long. */
export const deletionTime = (databaseTime: number) => 10 * databaseTime;

/** Completions that one statement deletes: few enough for its time limit on a slow disk. */
const CHUNK = 20_000;

/**
 * Deletes the account and all that is in it: foreign keys take every row along, through indexes. The profile is locked
 * before the counters, as by every transaction that changes both; a completion under way is waited for and deleted,
 * one that comes later finds no counters. Of a long history some thousand rows are deleted by each statement. Returns
 * false if the account was gone already, or the session that asks for it has been taken back.
 */
export async function deleteAccount(
  database: Database,
  { id, deletedAt }: Tombstone,
  session?: Session,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const query = tx.getKysely<unknown>() as Kysely<unknown>;
    const mayStill = session ? isStanding(session) : sql<boolean>`true`;
    const locked = await sql`select from users where id = ${id} and ${mayStill} for update`.execute(query);
    if (locked.rows.length === 0) return false;
    await sql`select from user_progress where user_id = ${id} for no key update`.execute(query);
    await deleteLongHistory(query, { userId: id });
    const { rows } = await sql`delete from users where id = ${id} returning id`.execute(query);
    if (rows.length === 0) return false;
    await sql`select ${announceRevoked(sql`${id}::text`)}`.execute(query);
    await deleteLeases(query, id);
    await deleteJobsOf(query, id);
    await sql`
      insert into deleted_accounts (id, deleted_at) values (${id}, ${deletedAt}::timestamptz)`.execute(query);
    return true;
  });
}

/** For a request, which has this much time for it, in milliseconds. */
export async function deleteAccountWithin(
  time: number,
  database: Database,
  account: Tombstone,
  session: Session,
): Promise<boolean> {
  const isDeleted = await asRequest(time, () => deleteAccount(database, account, session), account.id);
  if (isDeleted) database.noteChange();
  return isDeleted;
}

/** The index of a user's completions goes by days, that of a task's as well. */
interface Place {
  day: string;
  id: number;
}

/** The completions of a user, or of one task. */
interface History {
  userId: string;
  taskId?: number;
}

const among = ({ userId, taskId }: History) =>
  taskId === undefined ? sql`user_id = ${userId}` : sql`user_id = ${userId} and task_id = ${taskId}`;

/** The place of the completion that is a chunk away from another; none if there are fewer. */
async function nextPlace(
  query: Kysely<unknown>,
  history: History,
  { day, id }: Place,
): Promise<Place | undefined> {
  const { rows } = await sql<Place>`
    select to_char(place.day, 'YYYY-MM-DD') as day, place.id from (
      select day, id from task_completions
      where ${among(history)} and (day, id) > (${day}::date, ${id}::bigint)
      order by day, id offset ${CHUNK - 1} limit 1
    ) place`.execute(query);
  return rows[0];
}

/**
 * All but the last chunk, by place: those deleted before would be passed again by each statement that looks for any.
 * Lock the account first, so that completing and undoing wait, for what would otherwise be a deadlock.
 */
export async function deleteLongHistory<Tables>(tables: Kysely<Tables>, history: History): Promise<void> {
  const query = tables as Kysely<unknown>;
  // Of a table without statistics the planner would sort the whole history for each place.
  await sql`set local enable_sort = off`.execute(query);
  let from: Place = { day: '-infinity', id: 0 };
  for (;;) {
    const to = await nextPlace(query, history, from);
    if (!to) break;
    await sql`
      delete from task_completions
      where ${among(history)} and (day, id) > (${from.day}::date, ${from.id}::bigint)
        and (day, id) <= (${to.day}::date, ${to.id}::bigint)`.execute(query);
    from = to;
  }
  await sql`set local enable_sort = default`.execute(query);
}

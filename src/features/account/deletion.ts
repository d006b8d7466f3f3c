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

/** The completions of a user, or of one task. */
interface History {
  userId: string;
  taskId?: number;
}

const among = ({ userId, taskId }: History) =>
  taskId === undefined ? sql`user_id = ${userId}` : sql`user_id = ${userId} and task_id = ${taskId}`;

interface DayCount {
  day: string;
  count: number;
}

async function countsByDay(query: Kysely<unknown>, history: History): Promise<DayCount[]> {
  const { rows } = await sql<DayCount>`
    select to_char(day, 'YYYY-MM-DD') as day, count(*)::int as count
    from task_completions where ${among(history)} group by task_completions.day order by task_completions.day`.execute(
    query,
  );
  return rows;
}

/** Runs of days that one statement can take, from the first to the last of each. A day with too many is a run of its own. */
function runsOf(counts: readonly DayCount[]): { first: string; last: string; count: number }[] {
  const runs: { first: string; last: string; count: number }[] = [];
  for (const { day, count } of counts) {
    const before = runs.at(-1);
    if (before && before.count + count <= CHUNK)
      Object.assign(before, { last: day, count: before.count + count });
    else runs.push({ first: day, last: day, count });
  }
  return runs;
}

/** The indexes go by days: within one, each statement that looks for any would pass all others. */
async function deleteDay(query: Kysely<unknown>, history: History, day: string): Promise<void> {
  const ofDay = sql`${among(history)} and day = ${day}::date`;
  const { rows } = await sql<{ id: number }>`
    select id from (
      select id, row_number() over (order by id) as place from task_completions where ${ofDay}
    ) placed where place % ${CHUNK} = 0 order by id`.execute(query);
  for (const [index, { id }] of rows.entries())
    await sql`
      delete from task_completions
      where ${ofDay} and id > ${rows[index - 1]?.id ?? 0} and id <= ${id}`.execute(query);
  await sql`delete from task_completions where ${ofDay} and id > ${rows.at(-1)?.id ?? 0}`.execute(query);
}

/**
 * Nothing of a short one, which goes with its task or its account. Lock the account first, so that completing and
 * undoing wait, for what would otherwise be a deadlock.
 */
export async function deleteLongHistory<Tables>(tables: Kysely<Tables>, history: History): Promise<void> {
  const query = tables as Kysely<unknown>;
  const runs = runsOf(await countsByDay(query, history));
  if (runs.reduce((sum, { count }) => sum + count, 0) <= CHUNK) return;
  for (const { first, last, count } of runs)
    if (count > CHUNK) await deleteDay(query, history, first);
    else
      await sql`
        delete from task_completions
        where ${among(history)} and day >= ${first}::date and day <= ${last}::date`.execute(query);
}

import { type Kysely, sql } from 'kysely';
import { deleteLeases } from '../database/announcements/leases.js';
import type { Database } from '../database/database.js';
import { announceGone } from './revocation.queries.js';

/** Called once the account is gone: also keeps the tombstone outside the database. */
export type Remember = (tombstone: Tombstone) => Promise<void>;

/** Which account was deleted, and when. */
export interface Tombstone {
  id: string;
  deletedAt: Date;
}

/**
 * Deletes the account and all that is in it: foreign keys take every row along, through indexes. The profile is locked
 * before the counters, as by every transaction that changes both; a completion under way is waited for and deleted,
 * one that comes later finds no counters. Returns null if the account was gone already.
 */
export async function deleteAccount(
  database: Database,
  { id, deletedAt }: Tombstone,
): Promise<Tombstone | null> {
  return database.transaction(async (tx) => {
    const query = tx.getKysely<unknown>() as Kysely<unknown>;
    const { rows } = await sql`delete from users where id = ${id} returning id`.execute(query);
    if (rows.length === 0) return null;
    await announceGone(id).execute(query);
    await deleteLeases(query, id);
    await sql`delete from unfinished_imports where user_id = ${id}`.execute(query);
    await sql`
      insert into deleted_accounts (id, deleted_at) values (${id}, ${deletedAt}::timestamptz)`.execute(query);
    return { id, deletedAt };
  });
}

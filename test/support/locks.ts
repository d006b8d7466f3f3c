import { type Kysely, sql } from 'kysely';
import { inject } from 'vitest';
import { isOnManyNodes } from './database.js';

export const someoneWaits = async (query: Kysely<unknown>): Promise<boolean> => (await lockWaits(query)) > 0;

/** How many wait for a lock. On a distributed database, those do who are on the node of the user. */
export async function lockWaits(query: Kysely<unknown>): Promise<number> {
  const waiting = isOnManyNodes(inject('template'))
    ? sql`select from citus_lock_waits`
    : sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(query)).rows.length;
}

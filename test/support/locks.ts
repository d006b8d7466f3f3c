import { type Kysely, sql } from 'kysely';
import { inject } from 'vitest';
import { isOnManyNodes } from './database.js';

/** For a lock. On a distributed database, those wait who are on the node of the user. */
export async function someoneWaits(query: Kysely<unknown>): Promise<boolean> {
  const waiting = isOnManyNodes(inject('template'))
    ? sql`select from citus_lock_waits`
    : sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(query)).rows.length > 0;
}

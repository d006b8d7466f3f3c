import { type Kysely, type RawBuilder, sql } from 'kysely';
import { inject } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { isOnManyNodes } from './database.js';
import { eventually } from './eventually.js';

export const someoneWaits = async (query: Kysely<unknown>): Promise<boolean> => (await lockWaits(query)) > 0;

/** How many wait for a lock. On a distributed database, those do who are on the node of the user. */
export async function lockWaits(query: Kysely<unknown>): Promise<number> {
  const waiting = isOnManyNodes(inject('template'))
    ? sql`select from citus_lock_waits`
    : sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(query)).rows.length;
}

/** Executes a statement, and keeps what it locks until the returned function is called: that may execute another, and commits. */
export async function holding(database: Database, statement: RawBuilder<unknown>) {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<RawBuilder<unknown> | undefined>();
  const held = database.transaction(async (tx) => {
    await statement.execute(tx.getKysely());
    begun.resolve();
    await (await over.promise)?.execute(tx.getKysely());
  });
  await Promise.race([begun.promise, held]);
  return async (last?: RawBuilder<unknown>) => {
    over.resolve(last);
    await held;
  };
}

export const untilSomeoneWaits = (database: Database) => eventually(() => someoneWaits(database.query()));

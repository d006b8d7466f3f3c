import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { unknownZones } from '../../features/account/zones.js';
import { Verification } from '../../features/history/completions/verification.js';
import { BackupError } from './format.js';
import type { Table } from './tables.js';

/** What was found out about a database that has just been loaded. */
export interface Proof {
  /** Counters that differ from their history: they did so when the backup was made. */
  drifts: number;
}

/** Shows that the database works: that its keys hold, and whether its counters are right. */
export async function prove(tx: SqlEntityManager, tables: readonly Table[], clock: Clock): Promise<Proof> {
  const query = tx.getKysely<unknown>() as Kysely<unknown>;
  await requireKeys(query);
  await requireZones(query);
  for (const { name } of tables) await sql`analyze ${sql.table(name)}`.execute(query);
  const queryInside = <Tables>() => tx.getKysely<Tables>() as unknown as Kysely<Tables>;
  const inside = {
    query: queryInside,
    transaction: <T>(work: (tx: SqlEntityManager) => Promise<T>) => work(tx),
  };
  const verification = new Verification(inside, clock);
  let drifts = 0;
  for await (const _ of verification.run()) drifts += 1;
  return { drifts };
}

/** The rows were added under the constraints of the tables, as long as each of those is in force. */
async function requireKeys(query: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where connamespace = current_schema()::regnamespace and not convalidated`.execute(query);
  if (rows[0]) throw new BackupError(`The constraint ${rows[0].name} is not in force: nothing is kept.`);
}

/** Every request of a user whose zone is unknown would be refused. */
async function requireZones(query: Kysely<unknown>): Promise<void> {
  const unknown = await unknownZones(query);
  if (unknown.length === 0) return;
  const names = unknown.map(({ zone }) => zone).join(', ');
  const users = unknown.reduce((sum, each) => sum + each.users, 0);
  throw new BackupError(
    `The backup has ${users} ${users === 1 ? 'user' : 'users'} in time zones that this PostgreSQL does not know (${names}): nothing is kept. Restore it into a newer one.`,
  );
}

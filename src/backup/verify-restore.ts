import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { unknownZones } from '../accounts/zones.js';
import type { Clock } from '../clock.js';
import { Verification } from '../completions/verification.js';
import { BackupError } from './format.js';
import type { Table } from './tables.js';

/** What was found out about a database that has just been loaded. */
export interface Proof {
  /** Counters that differ from their history: they did so when the backup was made. */
  drifts: number;
}

/** Shows that the database works: that its keys hold, that rows can be added, and whether its counters are right. */
export async function prove(tx: SqlEntityManager, tables: readonly Table[], clock: Clock): Promise<Proof> {
  const query = tx.getKysely<unknown>() as Kysely<unknown>;
  await requireKeys(query);
  await requireZones(query);
  for (const table of tables) {
    await sql`analyze ${sql.table(table.name)}`.execute(query);
    await insertOnTrial(query, table);
  }
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

/** A row was refused because another has its unique value, or because it refers to none. */
const EXPECTED = /^(23505|23503)$/;

/**
 * Adds a copy of a row under a new key, and takes it back. Other unique columns may refuse the copy; a primary key
 * that does means that the sequence would give a number for the second time, unless the key has no number.
 */
async function insertOnTrial(query: Kysely<unknown>, { name, columns, key, keyName }: Table): Promise<void> {
  const copied = columns.filter(({ isNumbered }) => !isNumbered);
  const hasNumber = columns.some((column) => column.isNumbered && key.includes(column.name));
  const values = copied.map((column) =>
    column.type === 'uuid' && key[0] === column.name ? sql`gen_random_uuid()` : sql.ref(column.name),
  );
  await sql`savepoint trial`.execute(query);
  try {
    await sql`
      insert into ${sql.table(name)} (${sql.join(copied.map((column) => sql.ref(column.name)))})
      select ${sql.join(values)} from ${sql.table(name)} limit 1`.execute(query);
  } catch (error) {
    const {
      code = '',
      constraint = '',
      message,
    } = error as { code?: string; constraint?: string; message: string };
    if (!EXPECTED.test(code) || (constraint === keyName && hasNumber)) {
      throw new BackupError(`No row can be added to ${name} (${message}): nothing is kept.`);
    }
  }
  await sql`rollback to savepoint trial`.execute(query);
}

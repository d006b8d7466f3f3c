import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.js';

/** The id of a new row for an `insert … select`, as what its columns and its values begin with. */
export interface Numbered {
  column: RawBuilder<unknown>;
  value: RawBuilder<unknown>;
}

/**
 * Usually nothing: the table numbers its rows. On Citus the node of the user carries such an insert out, and would
 * number from a high power of two on, out of order and, with many nodes, beyond what JSON keeps exact. So there the
 * coordinator is asked for the id beforehand.
 */
export async function numbered<Tables>(
  query: Kysely<Tables>,
  table: string,
  { isDistributed }: Pick<Database, 'isDistributed'>,
): Promise<Numbered> {
  if (!isDistributed) return { column: sql``, value: sql`` };
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id`.execute(query);
  return { column: sql`id, `, value: sql`${rows[0]?.id}::bigint, ` };
}

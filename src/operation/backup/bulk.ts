import { type Kysely, sql } from 'kysely';

/** A statement that takes something off a table, and the one that brings it back. */
interface Suspension {
  drop: string;
  create: string;
}

/**
 * Adds many rows to tables without their foreign keys and their indexes but the primary key, which are made again
 * afterwards, and so checked for all rows at once: kept up row by row they would take most of the time.
 */
export async function inBulk<T>(
  query: Kysely<unknown>,
  tables: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const suspensions = [...(await foreignKeys(query, tables)), ...(await indexes(query, tables))];
  for (const { drop } of suspensions) await sql.raw(drop).execute(query);
  const result = await work();
  for (const { create } of suspensions.toReversed()) await sql.raw(create).execute(query);
  return result;
}

async function foreignKeys(query: Kysely<unknown>, tables: readonly string[]): Promise<Suspension[]> {
  const { rows } = await sql<Suspension>`
    select
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
    from pg_constraint
    where contype = 'f' and connamespace = current_schema()::regnamespace
      and exists (select from pg_class where pg_class.oid = conrelid and relname::text = any(${tables}::text[]))
    order by conname collate "C"`.execute(query);
  return rows;
}

/** Those of constraints stay: other tables may refer to them. */
async function indexes(query: Kysely<unknown>, tables: readonly string[]): Promise<Suspension[]> {
  const { rows } = await sql<Suspension>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = current_schema()::regnamespace and relname::text = any(${tables}::text[])
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by indexrelid::regclass::text collate "C"`.execute(query);
  return rows;
}

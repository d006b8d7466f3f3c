import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';

export interface Column {
  name: string;
  type: string;
  /** The database numbers it, when an insert leaves it out. */
  isNumbered: boolean;
  isText: boolean;
}

/** A table as the catalogue describes it. */
export interface Table {
  name: string;
  columns: Column[];
  /** The columns of the primary key. */
  key: string[];
  /** The tables that its foreign keys name. */
  refersTo: string[];
}

/** What an entity says, as a static property, of rows that are worth nothing in another place, or an hour later. */
interface Passing {
  isPassing?: boolean;
}

const entitiesOf = (orm: SqlMikroORM) =>
  [...orm.getMetadata().getAll().values()].filter(({ tableName }) => tableName);

export const allTables = (orm: SqlMikroORM): string[] => entitiesOf(orm).map(({ tableName }) => tableName);

/** Every table that a backup must hold. */
export const tablesToKeep = (orm: SqlMikroORM): string[] =>
  entitiesOf(orm)
    .filter((entity) => !(entity.class as Passing).isPassing)
    .map(({ tableName }) => tableName);

/** Those of the named tables that are there, each after the tables that it refers to. */
export async function tablesOf(query: Kysely<unknown>, names: readonly string[]): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select
      relname::text as name,
      (
        select json_agg(json_build_object(
          'name', attname, 'type', format_type(atttypid, atttypmod),
          'isNumbered', pg_get_serial_sequence(quote_ident(relname), attname) is not null,
          'isText', typcategory = 'S'
        ) order by attnum)
        from pg_attribute join pg_type on pg_type.oid = atttypid
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
      ) as columns,
      (
        select json_agg(attname order by place)
        from unnest(conkey) with ordinality as part (number, place)
          join pg_attribute on attrelid = pg_class.oid and attnum = number
      ) as key,
      (
        select coalesce(json_agg(distinct other.relname), '[]')
        from pg_constraint reference join pg_class other on other.oid = reference.confrelid
        where reference.conrelid = pg_class.oid and reference.contype = 'f' and other.oid <> pg_class.oid
      ) as "refersTo"
    from pg_class join pg_constraint on conrelid = pg_class.oid and contype = 'p'
    where relnamespace = current_schema()::regnamespace and relname::text = any(${names}::text[])
    order by relname collate "C"`.execute(query);
  return inOrder(rows);
}

function inOrder(tables: Table[]): Table[] {
  const left = [...tables];
  const sorted: Table[] = [];
  while (left.length > 0) {
    const isFree = ({ refersTo }: Table) =>
      refersTo.every((name) => !left.some((other) => other.name === name));
    const [next] = left.splice(Math.max(0, left.findIndex(isFree)), 1);
    if (next) sorted.push(next);
  }
  return sorted;
}

/** The number that each sequence of a table gives next. */
export async function sequencesOf(query: Kysely<unknown>, table: Table): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name } of table.columns.filter(({ isNumbered }) => isNumbered)) {
    const sequence = await sequenceOf(query, table.name, name);
    const { rows } = await sql<{ next: string }>`
      select (last_value + is_called::int)::text as next from ${sql.table(sequence)}`.execute(query);
    found[name] = rows[0]?.next ?? '1';
  }
  return found;
}

export async function sequenceOf(query: Kysely<unknown>, table: string, column: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select pg_get_serial_sequence(quote_ident(${table}), ${column})::text as name`.execute(query);
  return rows[0]?.name ?? '';
}

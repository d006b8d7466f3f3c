import { type EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import { type Generated, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

export type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

/** The columns of a table, derived from its entity. The database fills in those that are `Defaulted`. */
export type Columns<Entity, Defaulted extends keyof Entity = never> = {
  [Name in keyof Entity as SnakeCase<Name & string>]: Name extends Defaulted
    ? Generated<Entity[Name]>
    : Entity[Name];
};

/** Binds the ids as one array, so that the text of the statement does not depend on their number. */
export const isOneOf = (column: string, ids: readonly number[]) =>
  sql<boolean>`${sql.ref(column)} = any(${ids}::bigint[])`;

type Names<Row> = keyof Row & string;

/** `tasks.id`, `tasks.user_id as userId` and so on. */
type Selection<Row, Table extends string, Prefix extends string> = {
  [Name in Names<Row>]: SnakeCase<Name> extends `${Prefix}${Name}`
    ? `${Table}.${Name}`
    : `${Table}.${SnakeCase<Name>} as ${Prefix}${Name}`;
}[Names<Row>];

/** A row inside a joined row: the prefix keeps the names apart. */
export type Prefixed<Row, Prefix extends string> = {
  [Name in Names<Row> as `${Prefix}${Name}`]: Row[Name];
};

/** The columns to read for this type of row, taken from its entity, so that a new column is never forgotten. */
export interface ColumnList<Row> {
  names: Names<Row>[];
  /** For `select` of the query builder. */
  of<Table extends string, Prefix extends string = ''>(
    table: Table,
    prefix?: Prefix,
  ): Selection<Row, Table, Prefix>[];
  /** For raw SQL. */
  textOf(table: string, prefix?: string): RawBuilder<unknown>;
  /** For `json_build_object`, with instants as all of Steady shows them. */
  fieldsOf(table: string): RawBuilder<unknown>;
  /** Picks these columns from a row, and nothing else. */
  from<Prefix extends string = ''>(row: Prefixed<Row, Prefix>, prefix?: Prefix): Row;
}

export type RowOf<List> = List extends ColumnList<infer Row> ? Row : never;

/** All properties of an entity but those listed in `without`, which must include any that are not columns. */
export function columnsOf<Entity extends object, Without extends Names<Entity> = never>(
  entity: abstract new () => Entity,
  ...without: Without[]
): ColumnList<Omit<Entity, Without | symbol>> {
  type Row = Omit<Entity, Without | symbol>;
  const left: readonly string[] = without;
  const properties = declaredBy(entity);
  const names = Object.keys(properties).filter((name) => !left.includes(name));
  const selected = (table: string, prefix: string, quote: (name: string) => string) =>
    names.map((name) => {
      const column = snakeCase(name);
      const alias = `${prefix}${name}`;
      return column === alias ? `${table}.${column}` : `${table}.${column} as ${quote(alias)}`;
    });
  const aliases = new Map<string, [name: string, alias: string][]>();
  /** Put together once: a text that was just put together is slow to look up. */
  const aliasesWith = (prefix: string) => {
    const known = aliases.get(prefix) ?? names.map((name) => [name, `${prefix}${name}`]);
    aliases.set(prefix, known);
    return known;
  };
  return {
    names: names as Names<Row>[],
    of: <Table extends string, Prefix extends string>(table: Table, prefix?: Prefix) =>
      selected(table, prefix ?? '', (name) => name) as Selection<Row, Table, Prefix>[],
    textOf: (table, prefix = '') => sql.raw(selected(table, prefix, (name) => `"${name}"`).join(', ')),
    fieldsOf: (table) =>
      sql.join(
        names.map((name) => {
          const column = sql.ref(`${table}.${snakeCase(name)}`);
          const value = properties[name]?.type === 'datetime' ? isoOf(column) : column;
          return sql`${sql.lit(name)}, ${value}`;
        }),
      ),
    from: (row, prefix) => {
      const values = row as Record<string, unknown>;
      const picked: Record<string, unknown> = {};
      for (const [name, alias] of aliasesWith(prefix ?? '')) picked[name] = values[alias];
      return picked as Row;
    },
  };
}

interface Declared {
  type: string;
  nullable?: boolean;
  joinColumns?: string[];
}

/** A relation over several columns has no column of its own. */
const isNullable = ({ nullable = false, joinColumns = [] }: Declared) => nullable && joinColumns.length < 2;

/** Read from the metadata that MikroORM's decorators leave on the class, so that no open database is needed. */
function declaredBy(entity: object): Record<string, Declared> {
  const { properties } = Reflect.get(entity, MetadataStorage.META_SYMBOL) as EntityMetadata;
  return properties;
}

/** As all of Steady shows instants. */
export const isoOf = (instant: RawBuilder<unknown>) =>
  sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Inserts of rows, of which each lets the table give the columns that a row does not have. */
export const insertsOf = (
  entity: abstract new () => object,
  { rows, ...where }: { into: string; userId: string; rows: readonly object[] },
): RawBuilder<unknown>[] => {
  const required = Object.entries(declaredBy(entity)).flatMap(([name, each]) =>
    isNullable(each) ? [] : name,
  );
  const columnsIn = (row: object) => required.filter((name) => Reflect.get(row, name) !== undefined).join();
  return [...Map.groupBy(rows, columnsIn).values()].map((alike) =>
    insertOf(entity, { ...where, rows: alike }),
  );
};

/** Rows that one statement inserts. */
const CHUNK = 1_000;

/** Inserts a row for each of many items. */
export async function insertAll<Item>(
  query: QueryExecutorProvider,
  entity: abstract new () => object,
  {
    items,
    rowOf,
    ...where
  }: { into: string; userId: string; items: readonly Item[]; rowOf: (item: Item) => object },
): Promise<void> {
  for (let begin = 0; begin < items.length; begin += CHUNK) {
    const rows = items.slice(begin, begin + CHUNK).map((item) => rowOf(item));
    for (const insert of insertsOf(entity, { ...where, rows })) await insert.execute(query);
  }
}

/**
 * An insert of a user's rows: all columns of the entity that any of them has, with the types that the table gives them,
 * and those that may be null: so the text, which is prepared, does not depend on what a user leaves out.
 * The others get what the table gives them by itself. The user is named by value, so that one node is asked. On
 * Citus, an insert into a table that every node has a copy of returns columns by its alias `as` only.
 */
export function insertOf(
  entity: abstract new () => object,
  { into, as = into, userId, rows }: { into: string; as?: string; userId: string; rows: readonly object[] },
): RawBuilder<unknown> {
  const has = (name: string) => rows.some((row) => Reflect.get(row, name) !== undefined);
  const names = Object.entries(declaredBy(entity))
    .filter(([name, property]) => name !== 'userId' && (has(name) || isNullable(property)))
    .map(([name]) => name);
  const columns = sql.raw(names.map((name) => `, ${snakeCase(name)}`).join(''));
  const values = rows.map((row) =>
    Object.fromEntries(names.map((name) => [snakeCase(name), Reflect.get(row, name)])),
  );
  return sql`insert into ${sql.table(into)} as ${sql.ref(as)} (user_id${columns}) select ${userId}::uuid${columns}
    from json_populate_recordset(null::${sql.table(into)}, ${JSON.stringify(values)}::json) as given`;
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The number of rows that the user has in the table, all or `among` some, as `counted.rows`. Stops counting at `most`, and
 * uses an index. Exact only if an earlier statement of the transaction locked the account: a statement does not see rows
 * that are committed after it begins. It is selected from, and not asked in a condition, so that the server that is asked
 * numbers what is inserted (docs/scaling.md).
 */
export const countUpTo = (table: string, userId: string, most: number, among = sql`true`) =>
  sql`(select count(*) as rows from (
    select 1 from ${sql.table(table)} where user_id = ${userId} and ${among} limit ${most}
  ) as rows) as counted`;

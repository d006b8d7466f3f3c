import { type EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import { type RawBuilder, sql } from 'kysely';
import type { SnakeCase } from './tables.js';

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
  const names = declaredBy(entity).filter((name) => !left.includes(name));
  const selected = (table: string, prefix: string, quote: (name: string) => string) =>
    names.map((name) => {
      const column = snakeCase(name);
      const alias = `${prefix}${name}`;
      return column === alias ? `${table}.${column}` : `${table}.${column} as ${quote(alias)}`;
    });
  return {
    names: names as Names<Row>[],
    of: <Table extends string, Prefix extends string>(table: Table, prefix?: Prefix) =>
      selected(table, prefix ?? '', (name) => name) as Selection<Row, Table, Prefix>[],
    textOf: (table, prefix = '') => sql.raw(selected(table, prefix, (name) => `"${name}"`).join(', ')),
    from: (row, prefix) => {
      const values = row as Record<string, unknown>;
      return Object.fromEntries(names.map((name) => [name, values[`${prefix ?? ''}${name}`]])) as Row;
    },
  };
}

/** Read from the metadata that MikroORM's decorators leave on the class, so that no open database is needed. */
function declaredBy(entity: object): string[] {
  const { properties } = Reflect.get(entity, MetadataStorage.META_SYMBOL) as EntityMetadata;
  return Object.keys(properties);
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

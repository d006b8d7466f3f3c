import { type Generated, sql } from 'kysely';

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

import { type Generated, sql } from 'kysely';

export type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

/** The columns of a table as its entity defines them; `Defaulted` are those the database fills in. */
export type Columns<Entity, Defaulted extends keyof Entity = never> = {
  [Name in keyof Entity as SnakeCase<Name & string>]: Name extends Defaulted
    ? Generated<Entity[Name]>
    : Entity[Name];
};

/** The ids as one value, so that the statement is the same however many they are. */
export const isOneOf = (column: string, ids: readonly number[]) =>
  sql<boolean>`${sql.ref(column)} = any(${ids}::bigint[])`;

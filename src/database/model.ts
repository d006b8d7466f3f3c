import type { Options } from '@mikro-orm/postgresql';

/** The entities and migrations of a database. */
export type Model = Pick<
  Options,
  'entities' | 'extensions' | 'metadataProvider' | 'migrations' | 'schemaGenerator'
>;

/** Parsers for every driver, by type: timestamptz as Date; bigint and numeric as numbers. */
export const parsers = { 1184: (text: string) => new Date(text), 20: Number, 1700: Number };

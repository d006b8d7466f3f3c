import type { Options } from '@mikro-orm/postgresql';

/** What a database is to hold: entities and migrations. */
export type Model = Pick<
  Options,
  'entities' | 'extensions' | 'metadataProvider' | 'migrations' | 'schemaGenerator'
>;

/** Values as the code wants them, wherever a row is read: instants as dates, ids, counts and points as numbers. */
export const parsers = { 1184: (text: string) => new Date(text), 20: Number, 1700: Number };

import type { Options } from '@mikro-orm/postgresql';

/** The entities and migrations of a database. */
export type Model = Pick<
  Options,
  'entities' | 'extensions' | 'metadataProvider' | 'migrations' | 'schemaGenerator'
>;

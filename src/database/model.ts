import type { Options } from '@mikro-orm/postgresql';
import type { Layout } from './distributed/distribution.js';

/** The entities and migrations of a database, and how it lies on several servers. */
export type Model = OrmOptions & { layout: Layout };

type OrmOptions = Pick<
  Options,
  'entities' | 'extensions' | 'metadataProvider' | 'migrations' | 'schemaGenerator'
>;

/** What MikroORM is to know. */
export const ormOptions = ({ layout: _, ...options }: Model): OrmOptions => options;

import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Model } from './backend.js';

/** An advisory lock: one process at a time changes tables. */
export const MIGRATION_LOCK = 7_783_541;

/** Makes the tables that the migrations of earlier releases made one after the other. */
export const BASELINE = '0001_baseline';

/** The first and the last of those. */
export const BEFORE_BASELINE = { first: '0001_tables', last: '0018_creation_digest' };

/** Tables of another release, which this one cannot use. The message is one line for the operator. */
export class OtherReleaseError extends Error {
  constructor(unknown: string) {
    super(
      unknown === BEFORE_BASELINE.first
        ? 'The database was made before 1.0.0: back it up with the release that you ran (npm run backup), and bring the file into an empty database with this one (npm run restore).'
        : `The database was migrated by a newer Steady: this one does not know ${unknown}. Run that release again, or restore a backup of this one into an empty database.`,
    );
  }
}

/** The migrations that a database has, oldest first. Changes nothing, unlike MikroORM, which makes its table. */
export async function appliedTo(query: Kysely<unknown>): Promise<string[]> {
  const found = await sql<{ isThere: boolean }>`
    select to_regclass('mikro_orm_migrations') is not null as "isThere"`.execute(query);
  if (!found.rows[0]?.isThere) return [];
  const { rows } = await sql<{ name: string }>`
    select name from mikro_orm_migrations order by id`.execute(query);
  return rows.map(({ name }) => name.replace(/\.[jt]s$/, ''));
}

/** The migrations of this release, oldest first. */
export const knownTo = (migrations: Model['migrations']): string[] =>
  (migrations?.migrationsList ?? []).map((each) => ('name' in each ? each.name : ''));

/** MikroORM ignores migrations that it does not know, and would go on with tables of another shape. */
export async function requireKnown(orm: SqlMikroORM): Promise<void> {
  const known = knownTo(orm.config.get('migrations'));
  await requireAmong(known, orm.em.getConnection().getClient() as Kysely<unknown>);
}

async function requireAmong(known: readonly string[], query: Kysely<unknown>): Promise<void> {
  const unknown = (await appliedTo(query)).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new OtherReleaseError(unknown);
}

import type { MigrationObject, SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Model } from './backend.js';

/** An advisory lock: one process at a time changes tables. */
export const MIGRATION_LOCK = 7_783_541;

/** Makes all tables of the first release. */
export const BASELINE = '0001_baseline';

/** Lower numbers were used before the baseline, by states that never were a release. */
const FIRST_AFTER_BASELINE = '0008';

/** The last migrations of 1.0.0-rc.1, whose tables were those that the baseline makes, but for columns that these had not yet. */
export const LAST_OF_CANDIDATE: readonly string[] = ['0005_ended_challenges', '0007_database_id'];

/** In the order in which they are applied: the baseline, then by their days. */
export const inOrder = (migrations: readonly MigrationObject[]): MigrationObject[] =>
  migrations.toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** Tables of another release, which this one cannot use. The message is one line for the operator. */
export class OtherReleaseError extends Error {
  constructor(unknown: string) {
    super(
      unknown < FIRST_AFTER_BASELINE
        ? 'The database was made before 1.0.0-rc.2: back it up with the version that made it (npm run backup), and restore the file with this one into an empty database (steady restore).'
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

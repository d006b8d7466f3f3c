import { type Kysely, sql } from 'kysely';
import { model } from '../../mikro-orm.config.js';
import { appliedTo, knownTo, OtherReleaseError, requireAmong } from '../database/migrations.js';
import { manifest } from '../files/project.js';
import { type Finding, ok, warning, wrong } from './finding.js';

/** The oldest that is tested. */
const OLDEST_POSTGRESQL = 14;

export function versionFinding(): Finding {
  return ok('versions', `Steady ${manifest().version}, Node ${process.versions.node}`);
}

export async function postgresFinding(query: Kysely<unknown>): Promise<Finding> {
  const about = 'PostgreSQL';
  const { rows } = await sql<{ name: string; number: number }>`
    select current_setting('server_version') as name, current_setting('server_version_num')::int as number`.execute(
    query,
  );
  const { name = '', number = 0 } = rows[0] ?? {};
  if (Math.floor(number / 10_000) >= OLDEST_POSTGRESQL) return ok(about, `release ${name}`);
  return wrong(
    about,
    `release ${name} is older than ${OLDEST_POSTGRESQL}`,
    `Move to a server of release ${OLDEST_POSTGRESQL} or newer: npm run move copies the data.`,
  );
}

export async function migrationFinding(query: Kysely<unknown>): Promise<Finding> {
  const about = 'migrations';
  const known = knownTo(model.migrations);
  try {
    await requireAmong(known, query);
  } catch (error) {
    if (!(error instanceof OtherReleaseError)) throw error;
    return wrong(about, error.message, 'See docs/upgrading.md.');
  }
  const applied = await appliedTo(query);
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length === 0) return ok(about, `all ${known.length} are applied`);
  if (applied.length === 0) return ok(about, 'the database is empty: the start makes its tables');
  return warning(
    about,
    `${missing.length} of ${known.length} are missing, from ${missing[0]} on`,
    'Make a backup, then start this release or run npm run db:migrate: see docs/upgrading.md.',
  );
}

/** When the database was made: its first migration. */
export async function bornAt(query: Kysely<unknown>): Promise<Date | undefined> {
  if ((await appliedTo(query)).length === 0) return undefined;
  const { rows } = await sql<{ at: Date | null }>`
    select min(executed_at) as at from mikro_orm_migrations`.execute(query);
  return rows[0]?.at ?? undefined;
}

import { randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { MIGRATION_LOCK } from '../migrations.js';
import { ServerError } from '../outcome.js';

/** An address leads elsewhere than it must. Both texts are one line for the operator. */
export class PoolerError extends Error {
  constructor(
    readonly says: string,
    readonly mend: string,
  ) {
    super(`${says}. ${mend}`);
  }
}

/** Given with each session that is ours alone; no pooler passes it on. */
export const OWN_SESSION = '-c steady.session=own';

/** PgBouncer's words for a setting of the session that it would have to ignore. */
const REFUSED = /unsupported startup parameter/;

const NO_SESSION = 'leads to a pooler, which gives nobody a session of their own';
const WHY = 'for migrations, live updates and the streak job; see docs/poolers.md.';

/** By `isDirect`: whether the address is that of DATABASE_DIRECT_URL. */
const noSession = (isDirect: boolean): PoolerError =>
  isDirect
    ? new PoolerError(`DATABASE_DIRECT_URL ${NO_SESSION}`, `Set it to the server itself, ${WHY}`)
    : new PoolerError(`DATABASE_URL ${NO_SESSION}`, `Set DATABASE_DIRECT_URL to the server itself, ${WHY}`);

/** What an error of connecting means, if a pooler has made it. */
export const asPoolerError = (error: unknown, isDirect: boolean): unknown =>
  REFUSED.test((error as Error).message) ? noSession(isDirect) : error;

/** A condition. */
export const OWN_SESSION_ONLY = "current_setting('steady.session', true) = 'own'";

/** Settings that a pooler does not refuse it ignores: then live updates would be lost without an error. */
export async function requireOwnSession(query: Kysely<unknown>, isDirect: boolean): Promise<void> {
  const { rows } = await sql`select where ${sql.raw(OWN_SESSION_ONLY)}`.execute(query);
  if (rows.length === 0) throw noSession(isDirect);
}

/**
 * Whether requests reach the database of the transaction that `holder` is in: a lock that it takes is held there too.
 * Needs no privilege, unlike the identifier of the server.
 */
export async function requireSameDatabase(holder: Kysely<unknown>, pooled: object): Promise<void> {
  const lock = sql.join([MIGRATION_LOCK, randomInt(2 ** 31)].map((key) => sql.lit(key)));
  await sql`select pg_advisory_xact_lock(${lock})`.execute(holder);
  const { default: pg } = await import('pg');
  const client = new pg.Client(pooled);
  client.on('error', () => {}); // the answer fails with it
  try {
    await client.connect();
    const asked = sql`select pg_try_advisory_xact_lock(${lock}) as "isFree"`.compile(holder);
    const { rows } = await client.query(asked.sql);
    if (rows[0].isFree) throw ELSEWHERE();
  } catch (error) {
    throw error instanceof PoolerError ? error : new ServerError(error);
  } finally {
    client.end().catch(() => {});
  }
}

const ELSEWHERE = () =>
  new PoolerError(
    'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases',
    'Set both to the same one: through the pooler, and to the server itself.',
  );

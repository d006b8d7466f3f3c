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
const WHY = 'for migrations, live updates and the streak job; see docs/scaling.md.';

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

/** Names a lock that nobody else takes. */
export const newLock = () => `${MIGRATION_LOCK}, ${randomInt(2 ** 31)}`;

/**
 * Rejects if a lock that is held by way of DATABASE_DIRECT_URL is free where requests go: then that is another
 * database. Needs no privilege, unlike the identifier of the server.
 */
export type RequireHeld = (lock: string) => Promise<void>;

export const unlessFree =
  (isFree: (text: string) => Promise<boolean>): RequireHeld =>
  async (lock) => {
    if (await isFree(`select pg_try_advisory_xact_lock(${lock}) as answer`)) throw elsewhere();
  };

/** The same for the session of `holder`, and with a connection that `pooled` describes. */
export async function requireSameDatabase(holder: Kysely<unknown>, pooled: object): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client(pooled);
  client.on('error', () => {}); // the answer fails with it
  try {
    await client.connect();
    const isFree = async (text: string) => (await client.query(text)).rows[0].answer;
    await whileLocked(holder, unlessFree(isFree));
  } catch (error) {
    throw error instanceof PoolerError ? error : new ServerError(error);
  } finally {
    client.end().catch(() => {});
  }
}

/** Takes a lock of the session for as long as `work` lasts. */
export async function whileLocked(session: Kysely<unknown>, work: RequireHeld): Promise<void> {
  const lock = newLock();
  const call = (name: string) => sql`select ${sql.raw(`${name}(${lock})`)}`.execute(session);
  await call('pg_advisory_lock');
  await work(lock).finally(() => call('pg_advisory_unlock').catch(() => {}));
}

const elsewhere = () =>
  new PoolerError(
    'DATABASE_DIRECT_URL and DATABASE_URL lead to different databases',
    'Set both to the same one: through the pooler, and to the server itself.',
  );

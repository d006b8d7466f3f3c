import { Kysely, PostgresDialect } from 'kysely';
import { ServerError } from '../outcome.js';
import { connectionTo, pooledConnectionTo } from './connect.js';
import {
  asPoolerError,
  OWN_SESSION_ONLY,
  PoolerError,
  requireOwnSession,
  requireSameDatabase,
} from './pooler.js';

/** In milliseconds: a busy server takes long to make a session. */
const CONNECTION = 15_000;

/** In milliseconds. */
const ANSWER = 5_000;

/** In milliseconds: the server gives a statement up first, so that the connection is free for the next. */
const STATEMENT = 4_000;

/** One connection on which nothing can be changed: for looking, not for serving. */
export interface Look {
  query: Kysely<unknown>;
  close: () => Promise<void>;
}

/**
 * Rejects with a `ServerError` where the server cannot be used, and with a `PoolerError` where a pooler is in between.
 * `isDirect`: whether the address is that of DATABASE_DIRECT_URL.
 */
export async function lookAtServer(url: string, isDirect = false): Promise<Look> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    ...connectionTo(url, { connection: CONNECTION, answer: ANSWER, statement: STATEMENT }),
    application_name: 'steady doctor',
    max: 1,
  });
  pool.on('error', () => {}); // the next statement tells
  pool.on('connect', (client) => {
    client.query(READ_ONLY).catch(() => {});
  });
  const query = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await requireOwnSession(query, isDirect);
  } catch (error) {
    await query.destroy();
    const told = asPoolerError(error, isDirect);
    throw told instanceof PoolerError ? told : new ServerError(error);
  }
  return { query, close: () => query.destroy() };
}

/** On a session of our own only: through a pooler it would keep others from writing. */
const READ_ONLY = `select set_config('default_transaction_read_only', 'on', false) where ${OWN_SESSION_ONLY}`;

/** Rejects with a `PoolerError` or a `ServerError` unless the pooler at `url` leads to the database of this look. */
export const lookThroughPooler = ({ query }: Look, url: string): Promise<void> =>
  query
    .transaction()
    .execute((holder) =>
      requireSameDatabase(holder, pooledConnectionTo(url, { connection: CONNECTION, answer: ANSWER })),
    );

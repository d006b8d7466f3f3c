import { Kysely, PostgresDialect } from 'kysely';
import { ServerError } from '../outcome.js';
import { connectionTo } from './open.js';

/** In milliseconds, to connect and for each answer. */
const LIMIT = 5_000;

/** One connection on which nothing can be changed: for looking, not for serving. */
export interface Look {
  query: Kysely<unknown>;
  close: () => Promise<void>;
}

/** Rejects with a `ServerError` where the server cannot be used. */
export async function lookAtServer(url: string): Promise<Look> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    ...connectionTo(url, { connection: LIMIT, answer: LIMIT, statement: LIMIT }),
    application_name: 'steady doctor',
    max: 1,
  });
  pool.on('error', () => {}); // the next statement tells
  pool.on('connect', (client) => {
    client.query('set default_transaction_read_only = on').catch(() => {});
  });
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw new ServerError(error);
  }
  const query = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  return { query, close: () => query.destroy() };
}

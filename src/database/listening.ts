import { setTimeout as delay } from 'node:timers/promises';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import type { Client } from 'pg';

/** All announcements of the service go over one channel of the database. */
export const CHANNEL = 'steady';

export interface Ears {
  hear(text: string): void;
  /** Listening again after a while in which nothing could be heard. */
  back(): void;
}

export type StopListening = () => Promise<void>;

/** Resolves once it listens. */
export type Listen = (ears: Ears) => Promise<StopListening>;

/** In milliseconds: tried again after the first, then after twice as long each time, up to the last. */
const RETRY = { first: 100, last: 10_000 };

/** A connection that was lost without a word would stay silent for ever, so it is asked now and then. */
const PROBE_EVERY = 15_000;
const PATIENCE = 5_000;

/**
 * On a server: a connection of its own, outside the pool, which would hand it to others. It must not
 * go through a pooler that shares connections between transactions.
 */
export const listenOnServer =
  (url: string): Listen =>
  async (ears) => {
    const stopped = new AbortController();
    let connection = await connect(url, ears);
    const stayConnected = async () => {
      while (!stopped.signal.aborted) {
        await connection.lost;
        const again = await reconnect(url, ears, stopped.signal);
        if (!again) return;
        connection = again;
        ears.back();
      }
    };
    const staying = stayConnected();
    return async () => {
      stopped.abort();
      await connection.end();
      await staying;
      await connection.end();
    };
  };

/** Undefined once it is stopped. */
async function reconnect(url: string, ears: Ears, stopped: AbortSignal): Promise<Connection | undefined> {
  for (let wait = RETRY.first; !stopped.aborted; wait = Math.min(2 * wait, RETRY.last)) {
    // Processes that lost their connections at once should not all come back at once.
    await delay(wait * (0.5 + Math.random() / 2), undefined, { signal: stopped }).catch(() => {});
    if (stopped.aborted) return undefined;
    const connection = await connect(url, ears).catch(() => undefined);
    if (connection) return connection;
  }
  return undefined;
}

interface Connection {
  lost: Promise<void>;
  end: () => Promise<void>;
}

async function connect(url: string, ears: Ears): Promise<Connection> {
  const { default: pg } = await import('pg');
  const client: Client = new pg.Client({
    connectionString: url,
    application_name: 'steady announcements',
    connectionTimeoutMillis: PATIENCE,
    query_timeout: PATIENCE,
    keepAlive: true,
  });
  client.on('error', () => {}); // it is followed by 'end', and without a listener it would end the process
  client.on('notification', ({ payload = '' }) => ears.hear(payload));
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  const end = async () => {
    clearInterval(probe);
    await Promise.race([client.end().catch(() => {}), lost]);
  };
  const probe = setInterval(() => {
    client.query('select 1').catch(() => destroy(client));
  }, PROBE_EVERY);
  probe.unref();
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
  } catch (error) {
    clearInterval(probe);
    destroy(client);
    throw error;
  }
  lost.then(() => clearInterval(probe));
  return { lost, end };
}

function destroy(client: Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

interface EmbeddedClient {
  listen(channel: string, hear: (text: string) => void): Promise<StopListening>;
}

/** On the embedded database, which cannot go away. */
export const listenEmbedded =
  (orm: SqlMikroORM): Listen =>
  async ({ hear }) => {
    const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<EmbeddedClient> };
    const client = await connection.getNativeClient();
    return client.listen(CHANNEL, hear);
  };

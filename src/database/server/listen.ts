import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { CHANNEL, type Listen, type Receiver } from '../backend.js';
import { streamOf } from './wire.js';

/** In milliseconds: exponential backoff, from the first pause to the last. */
const RETRY = { first: 100, last: 10_000 };

/** No row on a connection that answers but hears nothing: something between us has replaced or reset it. */
const STILL_LISTENS = `select 1 from pg_listening_channels() as channel where channel = '${CHANNEL}'`;

/** In milliseconds. A connection can be lost without notice, and what is not announced counts: so it is probed often. */
const PROBE_INTERVAL = 1_000;
const TIMEOUT = 5_000;

/** Uses a connection of its own, since the pool would lend it to others, and a direct one. */
export const listenOnServer =
  (url: string): Listen =>
  async (receiver) => {
    const stopped = new AbortController();
    let connection = await connect(url, receiver);
    const stayConnected = async () => {
      while (!stopped.signal.aborted) {
        await connection.lost;
        receiver.lost?.();
        const again = await reconnect(url, receiver, stopped.signal);
        if (!again) return;
        connection = again;
        receiver.reconnected();
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
async function reconnect(
  url: string,
  receiver: Receiver,
  stopped: AbortSignal,
): Promise<Connection | undefined> {
  for (let wait = RETRY.first; !stopped.aborted; wait = Math.min(2 * wait, RETRY.last)) {
    // Jitter: processes that lost their connections together should not all reconnect together.
    await delay(wait * (0.5 + Math.random() / 2), undefined, { signal: stopped }).catch(() => {});
    if (stopped.aborted) return undefined;
    const connection = await connect(url, receiver).catch(() => undefined);
    if (connection) return connection;
  }
  return undefined;
}

interface Connection {
  lost: Promise<void>;
  end: () => Promise<void>;
}

async function connect(url: string, receiver: Receiver): Promise<Connection> {
  const { default: pg } = await import('pg');
  const client: Client = new pg.Client({
    connectionString: url,
    application_name: 'steady announcements',
    connectionTimeoutMillis: TIMEOUT,
    query_timeout: TIMEOUT,
    keepAlive: true,
  });
  client.on('error', () => {}); // 'end' follows; without a listener, 'error' would end the process
  client.on('notification', ({ payload = '' }) => receiver.receive(payload));
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  const end = async () => {
    clearInterval(probe);
    await Promise.race([client.end().catch(() => {}), lost]);
  };
  let isProbing = false;
  const probe = setInterval(() => {
    if (isProbing) return;
    isProbing = true;
    const heard = () => {
      isProbing = false;
      receiver.heard?.();
    };
    client.query(STILL_LISTENS).then(
      ({ rows }) => (rows.length === 1 ? heard() : streamOf(client).destroy()),
      () => streamOf(client).destroy(),
    );
  }, PROBE_INTERVAL);
  probe.unref();
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    receiver.heard?.();
  } catch (error) {
    clearInterval(probe);
    streamOf(client).destroy();
    throw error;
  }
  lost.then(() => clearInterval(probe));
  return { lost, end };
}

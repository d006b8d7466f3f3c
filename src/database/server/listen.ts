import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { BackOff } from '../../base/queues/back-off.js';
import { CHANNEL, type Listen, type Receiver } from '../backend.js';
import { streamOf } from '../pool/connection.js';
import { connectionTo } from './connect.js';

const RETRY_MS = { first: 100, last: 10_000 };

/** No row on a connection that answers but hears nothing: something between us has replaced or reset it. */
const STILL_LISTENS = `select 1 from pg_listening_channels() as channel where channel = '${CHANNEL}'`;

/** A connection can be lost without notice. */
const PROBE_INTERVAL_MS = 5_000;
const TIMEOUT_MS = 5_000;

/** Called with one line when announcements are heard no more, or for another reason, and when they are heard again. */
export type NotifyListening = (line: string, isHeard: boolean) => void;

/** Uses a connection of its own, since the pool would lend it to others, and a direct one. */
export const listenOnServer =
  (url: string, notify: NotifyListening = () => {}): Listen =>
  async (receiver) => {
    const stopped = new AbortController();
    const attempt = () => connect(url, receiver);
    let connection = await attempt();
    const stayConnected = async () => {
      for (;;) {
        const why = await connection.lost;
        if (stopped.signal.aborted) return;
        receiver.lost?.();
        const again = await reconnect(attempt, reasons(why, notify), stopped.signal);
        if (!again) return;
        connection = again;
        if (stopped.signal.aborted) return; // it is ended below
        receiver.reconnected();
        notify('Changes that other processes announce are heard again', true);
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

/** Tells why nothing is heard, at once and whenever the reason is another one. */
function reasons(first: Error, notify: NotifyListening): (error: Error) => void {
  let notified = '';
  const note = ({ message }: Error) => {
    if (message === notified) return;
    notified = message;
    notify(
      `Changes that other processes announce are not heard (${message}): what was signed out elsewhere is good for up to five seconds more, and live updates wait`,
      false,
    );
  };
  note(first);
  return note;
}

/** Undefined once it is stopped. */
async function reconnect(
  attempt: () => Promise<Connection>,
  note: (error: Error) => void,
  stopped: AbortSignal,
): Promise<Connection | undefined> {
  const backOff = new BackOff(RETRY_MS);
  for (;;) {
    await delay(backOff.nextWithJitter(), undefined, { signal: stopped }).catch(() => {});
    if (stopped.aborted) return undefined;
    const connection = await attempt().catch(note);
    if (connection) return connection;
  }
}

interface Connection {
  /** Why it was lost. */
  lost: Promise<Error>;
  end: () => Promise<void>;
}

async function connect(url: string, receiver: Receiver): Promise<Connection> {
  const { default: pg } = await import('pg');
  const client: Client = new pg.Client({
    ...connectionTo(url, { connection: TIMEOUT_MS, answer: TIMEOUT_MS }),
    application_name: 'steady announcements',
  });
  let why = new Error('the connection was lost');
  const leave = (error: Error) => {
    why = error;
    streamOf(client).destroy();
  };
  client.on('error', (error) => {
    why = error; // 'end' follows; without a listener, 'error' would end the process
  });
  client.on('notification', ({ payload = '' }) => receiver.receive(payload));
  const lost = new Promise<Error>((resolve) => client.once('end', () => resolve(why)));
  const end = async () => {
    clearInterval(probe);
    await Promise.race([client.end().catch(() => {}), lost]);
  };
  let isProbing = false;
  const probe = setInterval(() => {
    if (isProbing) return;
    isProbing = true;
    hears(client)
      .catch(leave)
      .finally(() => {
        isProbing = false;
      });
  }, PROBE_INTERVAL_MS);
  probe.unref();
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
  } catch (error) {
    clearInterval(probe);
    streamOf(client).destroy();
    throw error;
  }
  lost.then(() => clearInterval(probe));
  return { lost, end };
}

async function hears(client: Client): Promise<void> {
  const { rows } = await client.query(STILL_LISTENS);
  if (rows.length === 0) throw new Error('the connection answers, but does not listen');
}

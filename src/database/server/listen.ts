import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { BackOff } from '../../queues/back-off.js';
import { CHANNEL, type Listen, type Receiver } from '../backend.js';
import { streamOf } from '../pool/connection.js';
import { newLock, PoolerError, type RequireHeld } from './pooler.js';

/** In milliseconds. */
const RETRY = { first: 100, last: 10_000 };

/** No row on a connection that answers but hears nothing: something between us has replaced or reset it. */
const STILL_LISTENS = `select 1 from pg_listening_channels() as channel where channel = '${CHANNEL}'`;

/**
 * In milliseconds. A connection can be lost without notice, and what is not announced counts: so it is probed often, but
 * at rest seldom. Whoever asks then is told how long ago that was, and looks elsewhere.
 */
const PROBE_INTERVAL = 1_000;
const PROBE_INTERVAL_AT_REST = 10_000;
const TIMEOUT = 5_000;

/** Called with one line when announcements are heard no more, or for another reason, and when they are heard again. */
export type TellListening = (line: string, isHeard: boolean) => void;

interface ListenSettings {
  /** Needed where requests have another address: what is announced elsewhere is not heard. */
  requireHeld?: RequireHeld | undefined;
  tell?: TellListening | undefined;
}

/** Uses a connection of its own, since the pool would lend it to others, and a direct one. */
export const listenOnServer =
  (url: string, { requireHeld, tell = () => {} }: ListenSettings = {}): Listen =>
  async (receiver) => {
    const stopped = new AbortController();
    const attempt = () => connect(url, receiver, requireHeld);
    let connection = await attempt();
    const stayConnected = async () => {
      for (;;) {
        const why = await connection.lost;
        if (stopped.signal.aborted) return;
        receiver.lost?.();
        const again = await reconnect(attempt, reasons(why, tell), stopped.signal);
        if (!again) return;
        connection = again;
        if (stopped.signal.aborted) return; // it is ended below
        receiver.reconnected();
        tell('Changes that other processes announce are heard again', true);
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
function reasons(first: Error, tell: TellListening): (error: Error) => void {
  let told = '';
  const note = ({ message }: Error) => {
    if (message === told) return;
    told = message;
    tell(
      `Changes that other processes announce are not heard (${message}): the database is asked for what has been signed out, and live updates wait`,
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
  const backOff = new BackOff(RETRY);
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

async function connect(url: string, receiver: Receiver, requireHeld?: RequireHeld): Promise<Connection> {
  const { default: pg } = await import('pg');
  const client: Client = new pg.Client({
    connectionString: url,
    application_name: 'steady announcements',
    connectionTimeoutMillis: TIMEOUT,
    query_timeout: TIMEOUT,
    keepAlive: true,
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
  const lock = newLock();
  const requireHere = async () => requireHeld?.(lock);
  let isProbing = false;
  let probedAt = performance.now();
  const probe = setInterval(() => {
    const isAtRest = receiver.isReliedOn?.() === false;
    if (isProbing || (isAtRest && performance.now() - probedAt < PROBE_INTERVAL_AT_REST)) return;
    isProbing = true;
    probedAt = performance.now();
    hears(client)
      .then(() => requireHere().then(() => receiver.heard?.(), unlessElsewhere))
      .catch(leave)
      .finally(() => {
        isProbing = false;
      });
  }, PROBE_INTERVAL);
  probe.unref();
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    if (requireHeld) await client.query(`select pg_advisory_lock(${lock})`);
    await requireHere();
    receiver.heard?.();
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

/** Where requests go there is no answer at the moment: nobody knows, so nothing counts as heard. */
function unlessElsewhere(error: unknown): void {
  if (error instanceof PoolerError) throw error;
}

import type { Pool, PoolClient } from 'pg';
import { inLine, isLate, refuseTooMuch } from '../../request.js';
import { parsers } from '../model.js';
import { isWaitOver, NotSent, TIME_IS_UP } from '../outcome.js';
import type { Sendable } from '../statement.js';
import { type Ask, PoolConnection, type Query, withOutcome } from './connection.js';
import type { Shared } from './shared.js';
import { Shares } from './shares.js';

/** In milliseconds: how long a comparison of the clocks is trusted. */
const CLOCKS_TRUSTED = 10_000;

interface GuardSettings {
  /** In milliseconds. */
  startLimit: number;
  clocksTrusted?: number;
  carried?: string | undefined;
  /** Whether it is kept though it takes no writes, as the embedded database on a full disk. */
  mayBeReadOnly?: boolean | undefined;
}

/**
 * Mends three bugs of the pool and the query builder: they leak a connection that breaks inside a transaction, they
 * reuse one whose query timed out, and they reuse one that is still inside a transaction, where later writes vanish.
 * So after any error that is not a plain ERROR from the server, the connection is destroyed.
 *
 * A read of a request, outside of transactions, whose connection is lost is asked once more on another one. Work
 * outside of requests may hold a lock of its session, which another one would not have.
 *
 * A statement with `inTime` must begin within `startLimit` milliseconds. Each request is held to its share of the
 * connections, and to its read limit.
 */
export function guard(
  pool: Pool,
  { startLimit, clocksTrusted = CLOCKS_TRUSTED, mayBeReadOnly = false, carried }: GuardSettings,
): Shared {
  const connections = new WeakMap<PoolClient, PoolConnection>();
  const onAnother = <T>(work: (client: PoolClient) => Promise<T>) => lent(pool, work);
  const leave = shareOut(pool, async (client) => (await connections.get(client)?.isOfUse()) ?? true);
  const limits = { startLimit, clocksTrusted, carried };
  const shared = {
    clockSteppedAt: Number.NEGATIVE_INFINITY,
    generation: 1,
    hasNames: true,
    mayBeReadOnly,
    server: 0,
    leftAt: Number.NEGATIVE_INFINITY,
    lostAt: Number.NEGATIVE_INFINITY,
  };
  pool.on('connect', (client) => {
    releaseOnlyOnce(client, () => leave(client));
    const query = client.query.bind(client);
    const session = new PoolConnection(client, query as Ask, limits, shared);
    connections.set(client, session);
    const ask = (asked: Query) =>
      session.query(asked).catch((error: unknown) => {
        if (!session.hasLostRead) throw error;
        return onAnother((other) => (connections.get(other) as PoolConnection).query(asked));
      });
    client.query = ((...args: unknown[]) => {
      const [asked, values] = args;
      if (typeof asked === 'string') return ask({ text: asked, values: values as unknown[] });
      if (isNamed(asked)) return ask(asked);
      return (query as (...args: unknown[]) => unknown)(...args);
    }) as typeof client.query;
  });
  return shared;
}

const isNamed = (asked: unknown): asked is Query & { name: string } =>
  typeof (asked as Partial<Query>).name === 'string';

/**
 * Limits how many connections a request and a user may hold. Returns a function to call when a client is released.
 */
function shareOut(
  pool: Pool,
  isOfUse: (client: PoolClient) => Promise<boolean>,
): (client: PoolClient) => void {
  const shares = new Shares(pool.options.max);
  const leaving = new WeakMap<PoolClient, () => void>();
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  /** For a free connection a request waits as long as it has time; for a new one, as long as the pool waits. */
  const obtain = async (): Promise<PoolClient> => {
    for (;;) {
      const isInLine = pool.totalCount >= pool.options.max && pool.idleCount === 0;
      try {
        return await (isInLine ? inLine(connect) : connect());
      } catch (error) {
        if (!isInLine || !isWaitOver(error)) throw Object.assign(error as Error, { isLost: true });
        if (isLate()) throw new NotSent(TIME_IS_UP);
      }
    }
  };
  const lend = async () => {
    for (;;) {
      const client = await obtain();
      if (await isOfUse(client)) return client;
      client.release(true);
    }
  };
  pool.connect = (async () => {
    if (isLate()) throw withOutcome(new NotSent(TIME_IS_UP), false);
    refuseTooMuch();
    const leave = await shares.take();
    try {
      const client = await lend();
      leaving.set(client, leave);
      return client;
    } catch (error) {
      leave();
      throw withOutcome(error, false);
    }
  }) as typeof pool.connect;
  return (client) => {
    leaving.get(client)?.();
    leaving.delete(client); // it may be released again before it is lent: when it is of no use any more
  };
}

/**
 * The pool throws if `release` is called twice, and sets it anew each time it lends the client. So the setter is
 * intercepted.
 */
function releaseOnlyOnce(client: PoolClient, whenReleased: () => void): void {
  let release: PoolClient['release'];
  Object.defineProperty(client, 'release', {
    get: () => release,
    set: (given: PoolClient['release']) => {
      let isReleased = false;
      release = (error) => {
        if (isReleased) return;
        isReleased = true;
        given(error);
        whenReleased();
      };
    },
  });
}

/** Reads values as the whole service does, over a pool that MikroORM has made. */
export function setParsers(pool: Pool): void {
  const types = pool.options.types as unknown as { setTypeParser(oid: number, parse: unknown): void };
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
}

export const send = (pool: Pool, { text, name, parameters: values }: Sendable): Promise<unknown[]> =>
  lent(pool, async (client) => (await client.query({ text, values, name })).rows);

async function lent<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

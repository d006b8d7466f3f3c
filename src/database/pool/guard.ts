import { setImmediate as turn } from 'node:timers/promises';
import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import { answerLeft, currentRequest, isLate, refuseTooMuch } from '../../request.js';
import type { Connections } from '../backend.js';
import { NotSent, reasonNow } from '../outcome.js';
import type { Sendable } from '../statement.js';
import { type Ask, PoolConnection, type Query, withOutcome } from './connection.js';
import { parsers } from './prepared-query.js';
import { RecurringTexts } from './recurring-texts.js';
import { type Shared, Shares } from './shared.js';

/** In milliseconds: how long a comparison of the clocks is trusted. */
const CLOCKS_TRUSTED = 10_000;

export interface GuardSettings {
  /** In milliseconds. */
  startLimit: number;
  clocksTrusted?: number;
  /** Whether hot statements are prepared by name: what one prepares on the connection of a pooler, others do not find. */
  namesStatements?: boolean;
  explained?: ((error: unknown, text: string) => unknown) | undefined;
}

/** What is known of the pool, and how many wait for its connections. */
export type Guarded = Shared & { waiting: () => number };

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
  {
    startLimit,
    clocksTrusted = CLOCKS_TRUSTED,
    namesStatements = true,
    explained = (error) => error,
  }: GuardSettings,
): Guarded {
  const connections = new WeakMap<PoolClient, PoolConnection>();
  const onAnother = <T>(work: (client: PoolClient) => Promise<T>) => lent(pool, work);
  const limits = {
    startLimit,
    clocksTrusted,
    namesStatements,
    explained,
    answer: pool.options.query_timeout,
  };
  const shared = {
    clockSteppedAt: Number.NEGATIVE_INFINITY,
    generation: 1,
    recurring: new RecurringTexts(),
    server: 0,
    leftAt: Number.NEGATIVE_INFINITY,
    lostAt: Number.NEGATIVE_INFINITY,
    isAway: false,
    isFull: false,
  };
  const { shares, leave } = shareOut(pool, shared, (client) => connections.get(client)?.isOfUse() ?? true);
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
  return Object.assign(shared, { waiting: () => shares.waiting });
}

const isNamed = (asked: unknown): asked is Query & { name: string } =>
  typeof (asked as Partial<Query>).name === 'string';

/** For one user half of the connections, for one request a quarter. */
const sharesOf = (connections: number) => ({
  size: connections,
  ofUser: Math.max(1, Math.floor(connections / 2)),
  ofRequest: Math.max(1, Math.min(4, Math.floor(connections / 4))),
});

/**
 * Limits how many connections a request and a user may hold, and all together: so nobody waits in the pool itself,
 * whose line is not fair. `leave` is to be called when a client is released.
 */
function shareOut(pool: Pool, shared: Shared, isOfUse: (client: PoolClient) => boolean | Promise<boolean>) {
  const shares = new Shares(sharesOf(pool.options.max), shared);
  const leaving = new WeakMap<PoolClient, () => void>();
  const connect = onlyUntilEnd(pool);
  const lend = async () => {
    for (;;) {
      if (isLate()) throw new NotSent(reasonNow(shared));
      const client = await inTimeFor(connect()).catch((error: Error) => {
        shared.isAway = true;
        throw Object.assign(error, { isLost: true });
      });
      if (await isOfUse(client)) return client;
      client.release(true);
    }
  };
  pool.connect = (async () => {
    refuseTooMuch();
    try {
      const leave = await shares.take();
      try {
        const client = await lend();
        leaving.set(client, leave);
        return client;
      } catch (error) {
        leave();
        throw error;
      }
    } catch (error) {
      throw withOutcome(error, false);
    }
  }) as typeof pool.connect;
  const leave = (client: PoolClient) => {
    leaving.get(client)?.();
    leaving.delete(client); // it may be released again before it is lent: when it is of no use any more
  };
  return { shares, leave };
}

/** A pool never answers those who asked for a connection in the turn in which it ends, so its end waits for a turn. */
function onlyUntilEnd(pool: Pool): () => Promise<PoolClient> {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const end = pool.end.bind(pool) as () => Promise<void>;
  let hasEnded = false;
  pool.end = (async () => {
    hasEnded = true;
    await turn();
    await end();
  }) as typeof pool.end;
  return async () => {
    if (hasEnded) throw new Error('The database is closed');
    return connect();
  };
}

/** The pool waits for a new connection as long as for any; a request may have less time left. */
async function inTimeFor(connecting: Promise<PoolClient>): Promise<PoolClient> {
  const request = currentRequest();
  if (!request) return connecting;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('A connection could not be made in the time of the request'));
      connecting.then((client) => client.release()).catch(() => {});
    }, answerLeft(request));
  });
  return Promise.race([connecting, late]).finally(() => clearTimeout(timer));
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

/** MikroORM with its pool, which it would make at the first statement only. */
export async function openPool(
  { driverOptions, ...options }: Options,
  settings: GuardSettings,
): Promise<{ orm: SqlMikroORM; pool: Pool; guarded: Guarded }> {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { promise, resolve: onPoolCreated } = Promise.withResolvers<Pool>();
  const orm = await MikroORM.init({ ...options, driverOptions: { ...driverOptions, onPoolCreated } });
  orm.em.getConnection().getClient();
  const pool = await promise;
  const types = pool.options.types as unknown as { setTypeParser(oid: number, parse: unknown): void };
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  return { orm, pool, guarded: guard(pool, settings) };
}

export const stateOf = (pool: Pool, { waiting }: Guarded): Connections => ({
  open: pool.totalCount,
  idle: pool.idleCount,
  waiting: waiting(),
});

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

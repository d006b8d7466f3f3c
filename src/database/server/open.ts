import { setTimeout as delay } from 'node:timers/promises';
import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import pg, { type Pool } from 'pg';
import { BackOff } from '../../queues/back-off.js';
import { Database } from '../database.js';
import { isDistributed, ONE_AFTER_THE_OTHER } from '../distributed/distribute.js';
import { asOfOneServer } from '../distributed/errors.js';
import { MIGRATION_LOCK, OtherReleaseError, requireKnown } from '../migrations.js';
import type { Model } from '../model.js';
import { READ_ONLY, refusalByCode, ServerError } from '../outcome.js';
import { guard, openPool, send, stateOf } from '../pool/guard.js';
import { IS_READ_ONLY, leaveServer, type Shared } from '../pool/shared.js';
import { isLocked } from '../violations.js';
import {
  connectionOf,
  connectionTo,
  guardSettings,
  impatient,
  isPooled,
  type Patience,
  type PoolSettings,
  pooledConnectionTo,
} from './connect.js';
import { listenOnServer, type TellListening } from './listen.js';
import {
  asPoolerError,
  PoolerError,
  requireOwnSession,
  requireSameDatabase,
  unlessFree,
  whileLocked,
} from './pooler.js';
import { READ_TIMEOUT, Reads } from './reads.js';

export interface ServerSettings extends PoolSettings {
  /** What the log calls it; else by its address. */
  description?: string | undefined;
  /** Where requests go while a command works past the pooler. */
  requestsUrl?: string | undefined;
  poolSize: number;
  /** In milliseconds: how long the start waits for a server that cannot be reached yet. */
  startLimit?: number;
  /** Whether missing migrations are applied; true by default. */
  migrates?: boolean | undefined;
  /** Called when the start has to wait. */
  onWaiting?: (error: unknown) => void;
  /** Called when announcements are heard no more, and when they are heard again. */
  onListening?: TellListening | undefined;
  afterClose?: () => Promise<void>;
}

/** For migrations, the streak job and commands, which have no deadline. */
export const unhurried: Patience = { connection: 5_000 };

/** For the comparison of the two addresses, by a start or a command that can wait. */
const comparing: Patience = { connection: 5_000, answer: 5_000 };

/** In milliseconds. */
const RETRY = { first: 100, last: 3_000 };

/** MikroORM's options for a PostgreSQL server. */
export const serverOptions = (model: Model, settings: ServerSettings): Options => ({
  ...model,
  clientUrl: settings.url,
  pool: { max: settings.poolSize },
  driverOptions: connectionOf(settings),
});

const openPoolOf = (model: Model, settings: ServerSettings, isOnManyNodes = false) =>
  openPool(serverOptions(model, settings), {
    ...guardSettings(settings),
    ...(isOnManyNodes && { explained: asOfOneServer }),
  });

export async function openServer(model: Model, settings: ServerSettings): Promise<Database> {
  const { url, directUrl = url, requestsUrl = url, patience } = settings;
  const longWork = await openPoolOf(model, { url: directUrl, poolSize: 2, patience: unhurried });
  const maintenance = longWork.orm;
  let isOnManyNodes: boolean;
  try {
    await onceReachable(() => migrate(maintenance, settings), settings);
    isOnManyNodes = await isDistributed(maintenance.em.fork().getKysely<unknown>());
  } catch (error) {
    await maintenance.close(true);
    const isTold = TOLD.some((kind) => error instanceof kind);
    throw isTold
      ? error
      : new ServerError(error, directUrl === requestsUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL');
  }
  const { orm, pool, guarded } = await openPoolOf(model, settings, isOnManyNodes);
  const reads = isPooled(settings) ? undefined : readsOf(settings, pool, guarded);
  const probe = await probing(settings, () => {
    for (const shared of [longWork.guarded, guarded]) leaveServer(shared);
  });
  const requireHeld = isPooled(settings) ? probe.requireHeld : undefined;
  return new Database(orm, {
    description: settings.description ?? descriptionOf(settings),
    isOnManyNodes,
    listen: listenOnServer(directUrl, { requireHeld, tell: settings.onListening }),
    requireSameDatabase: requireHeld && ((session) => whileLocked(session, requireHeld)),
    send: (statement) => {
      const overPool = () => send(pool, statement);
      return reads && !statement.mayWrite ? reads.ask(statement, overPool) : overPool();
    },
    shareOfEvents: Math.max(1, Math.floor(settings.poolSize / 3)),
    maintenance: patience === unhurried ? orm : maintenance,
    probe: probe.ask,
    connections: () => stateOf(pool, guarded),
    isAway: () => guarded.isAway,
    isFull: () => guarded.isFull,
    afterClose: async () => {
      await Promise.all([maintenance.close(true), probe.end(), reads?.close()]);
      await settings.afterClose?.();
    },
  });
}

/**
 * Not behind a pooler, where a connection that is always busy would keep a session for itself, and its statements would
 * have to bring their limits along.
 */
const readsOf = ({ url, patience }: ServerSettings, { options: { types } }: Pool, shared: Shared): Reads =>
  new Reads(
    () =>
      new pg.Client({
        ...connectionTo(url, {
          connection: patience.connection,
          statement: READ_TIMEOUT,
          lock: READ_TIMEOUT,
        }),
        fallback_application_name: 'steady reads',
        pipeline: true,
        ...(types && { types }),
      }),
    shared,
  );

/** Their messages say all. A TypeError is a bug of ours. */
const TOLD = [TypeError, OtherReleaseError, PoolerError, ServerError];

function descriptionOf({ url, directUrl = url }: ServerSettings): string {
  const placeOf = (address: string) => {
    const { host, pathname } = new URL(address);
    return `${host}${pathname}`;
  };
  const behind = directUrl === url ? '' : `, a pooler in front of ${placeOf(directUrl)}`;
  return `PostgreSQL at ${placeOf(url)}${behind}`;
}

/**
 * In milliseconds: every write waits behind a migration that waits for a lock, which a backup may hold for an hour. So
 * it gives up, lets them pass, and tries again.
 */
const LOCK_PATIENCE = 500;

async function migrate(orm: SqlMikroORM, settings: ServerSettings): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateAtOnce(orm, settings);
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (attempt === 1) settings.onWaiting?.(error);
      await delay(LOCK_PATIENCE);
    }
  }
}

/** Under a lock: of several processes, the first one migrates, and the others wait and find nothing to do. */
async function migrateAtOnce(orm: SqlMikroORM, settings: ServerSettings): Promise<void> {
  const { url, directUrl = url, requestsUrl = url } = settings;
  const hasDirect = directUrl !== requestsUrl;
  const work = orm.em.fork().transactional(async (holder) => {
    const query = holder.getKysely<unknown>();
    await requireOwnSession(query, hasDirect);
    await holder.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    if (hasDirect) await requireSameDatabase(query, pooledConnectionTo(requestsUrl, comparing));
    await requireKnown(orm);
    if (!(settings.migrates ?? true)) return;
    await holder.execute(ONE_AFTER_THE_OTHER);
    await holder.execute(`set local lock_timeout = ${LOCK_PATIENCE}`);
    await orm.migrator.up({ transaction: holder.getTransactionContext() });
  });
  await work.catch((error: unknown) => {
    throw asPoolerError(error, hasDirect);
  });
}

async function onceReachable<T>(
  work: () => Promise<T>,
  { startLimit = 0, onWaiting = () => {} }: ServerSettings,
): Promise<T> {
  const giveUpAt = performance.now() + startLimit;
  const backOff = new BackOff(RETRY);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isFirst = !backOff.hasFailed;
      const pause = backOff.nextWithJitter();
      if (!refusalByCode(error) || performance.now() + pause > giveUpAt) throw error;
      if (isFirst) onWaiting(error);
      await delay(pause);
    }
  }
}

/** In seconds: where an address stands for several poolers, each of them is asked in turn. */
const PROBE_LIFETIME = 10;

/** Probes over a connection of its own: a busy pool must not make the server look dead. */
async function probing(settings: ServerSettings, leave: () => void) {
  const pool = new pg.Pool({
    ...connectionOf({ ...settings, patience: impatient }),
    ...(isPooled(settings) && { maxLifetimeSeconds: PROBE_LIFETIME }),
    max: isPooled(settings) ? 2 : 1, // whether the server is there, and whether it is the same one
    application_name: 'steady probe',
  });
  pool.on('error', () => {}); // an idle connection broke: the next probe will tell
  pool.on('connect', (client) => client.on('error', () => {}));
  guard(pool, { startLimit: 0 });
  /** True means that the connection leads to a server that we must not use: it is not kept. */
  const isWrong = async (text: string): Promise<boolean> => {
    const client = await pool.connect();
    let isToLeave = true;
    try {
      const { rows } = await client.query(text);
      isToLeave = rows[0].answer;
      return isToLeave;
    } finally {
      client.release(isToLeave);
    }
  };
  const ask = async () => {
    if (!(await isWrong(IS_READ_ONLY))) return;
    leave();
    throw Object.assign(new Error('The database is read-only'), { code: READ_ONLY });
  };
  return { ask, requireHeld: unlessFree(isWrong), end: () => pool.end() };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect, type PostgresPool, sql } from 'kysely';
import pg from 'pg';
import { BackOff } from '../../base/queues/back-off.js';
import type { Model } from '../backend.js';
import { Database } from '../database.js';
import { type Nodes, nodesOf, ONE_AFTER_THE_OTHER } from '../distributed/nodes.js';
import { MIGRATION_LOCK, OtherReleaseError, requireKnown } from '../migrations.js';
import { GIVES_NO_SESSION, isOutOfRoom, READ_ONLY, refusalByCode, ServerError } from '../outcome.js';
import { IS_READ_ONLY, leaveServer, type NotifyRoom, type PoolConnection, Room } from '../pool/connection.js';
import { GuardedPool } from '../pool/guard.js';
import { parsers } from '../pool/prepared-query.js';
import { isLocked } from '../violations.js';
import {
  connectionOf,
  connectionTo,
  guardSettings,
  impatient,
  type Patience,
  type PoolSettings,
  preferred,
} from './connect.js';
import { listenOnServer, type NotifyListening } from './listen.js';
import { READ_TIMEOUT_MS, Reads } from './reads.js';

export interface ServerSettings extends PoolSettings {
  /** The server itself: with another address than `url`, that one leads to a pooler in transaction mode. */
  directUrl?: string | undefined;
  /** The log calls it so; else by its address. */
  description?: string | undefined;
  /** The setting with the direct address. */
  directSetting?: 'DATABASE_URL' | 'DATABASE_DIRECT_URL';
  poolSize: number;
  /** The start waits so long for a server that cannot be reached yet. */
  startLimitMs?: number;
  /** Whether missing migrations are applied; true by default. */
  migrates?: boolean | undefined;
  /** Called when the start has to wait. */
  onWaiting?: (error: unknown) => void;
  /** Called when announcements are heard no more, and when they are heard again. */
  onListening?: NotifyListening | undefined;
  /** Called when the disk of the database is full, and when it has room again. */
  onRoom?: NotifyRoom | undefined;
  afterClose?: () => Promise<void>;
}

/** Migrations, the streak job and commands have no deadline. */
export const unhurried: Patience = { connection: 5_000 };

const RETRY_MS = { first: 100, last: 3_000 };

/** MikroORM's options for a PostgreSQL server. */
export const serverOptions = (model: Model, settings: ServerSettings): Options => ({
  ...model,
  clientUrl: settings.url,
  pool: { max: settings.poolSize },
  driverOptions: connectionOf(settings),
});

/** When the disk is full, no session may begin: what is open already goes on reading. */
const KEPT_OPEN = { min: 1 };

/** MikroORM over a pool of ours, instead of the one that it would make. */
async function openPool(model: Model, settings: ServerSettings, room: Room, nodes?: Nodes) {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const size = { max: settings.poolSize, ...KEPT_OPEN };
  const connections = new pg.Pool({ ...connectionOf(settings), ...size, types: parsers });
  const pool = new GuardedPool(connections, { ...guardSettings(settings), room, ...nodes });
  const driverOptions = new PostgresDialect({ pool: pool as unknown as PostgresPool });
  return {
    orm: await MikroORM.init({ ...model, clientUrl: settings.url, driverOptions, ensureDatabase: false }),
    pool,
  };
}

export async function openServer(model: Model, given: ServerSettings): Promise<Database> {
  const settings = await settled(given);
  const { url, directUrl = url, patience } = settings;
  const room = new Room(settings.onRoom);
  const longWork = await openPool(model, { url: directUrl, poolSize: 2, patience: unhurried }, room);
  const maintenance = longWork.orm;
  let nodes: Nodes | undefined;
  try {
    await onceReachable(() => migrate(maintenance, settings), settings);
    nodes = await nodesOf(maintenance.em.fork().getKysely<unknown>());
  } catch (error) {
    await maintenance.close(true);
    const isTold = TOLD.some((kind) => error instanceof kind);
    throw isTold ? error : new ServerError(error, settings.directSetting);
  }
  const { orm, pool } = await openPool(model, settings, room, nodes);
  await onceReachable(() => askAsRequests(orm, settings), settings).catch(async (error: unknown) => {
    await Promise.all([maintenance.close(true), orm.close(true)]);
    throw new ServerError(error, 'DATABASE_URL');
  });
  const reads = settings.isPooled ? undefined : readsOf(settings, pool);
  const probe = probing(settings, pool, () => {
    for (const each of [longWork.pool, pool]) leaveServer(each.shared);
  });
  return new Database(orm, {
    description: settings.description ?? descriptionOf(settings),
    isOnManyNodes: nodes !== undefined,
    listen: listenOnServer(directUrl, settings.onListening),
    pool,
    reads: reads ?? pool,
    shareOfEvents: Math.max(1, Math.floor(settings.poolSize / 3)),
    maintenance: patience === unhurried ? orm : maintenance,
    probe: probe.ask,
    connections: () => pool.state(),
    isAway: () => pool.shared.isAway,
    isFull: () => room.isFull,
    afterClose: async () => {
      await Promise.all([maintenance.close(true), probe.end(), reads?.close()]);
      await settings.afterClose?.();
    },
  });
}

async function settled(given: ServerSettings): Promise<ServerSettings> {
  const { url, directUrl } = given;
  const ask = (address: string, setting?: string) =>
    onceReachable(() => preferred(address, unhurried), given).catch((error: unknown) => {
      throw new ServerError(error, setting);
    });
  return {
    ...given,
    isPooled: directUrl !== undefined && url !== directUrl,
    url: await ask(url),
    directUrl: directUrl && (await ask(directUrl, given.directSetting)),
  };
}

/** Not behind a pooler, where a connection that is always busy would keep a session for itself. */
const readsOf = ({ url, patience }: ServerSettings, pool: GuardedPool): Reads =>
  new Reads(
    () =>
      new pg.Client({
        ...connectionTo(url, {
          connection: patience.connection,
          statement: READ_TIMEOUT_MS,
          lock: READ_TIMEOUT_MS,
        }),
        fallback_application_name: 'steady reads',
        pipeline: true,
        types: parsers,
      }),
    pool,
  );

/** Their messages say all. A TypeError is a bug of ours. */
const TOLD = [TypeError, OtherReleaseError, ServerError];

function descriptionOf({ url, directUrl = url }: ServerSettings): string {
  const placeOf = (address: string) => {
    const { host, pathname } = new URL(address);
    return `${host}${pathname}`;
  };
  const behind = directUrl === url ? '' : `, a pooler in front of ${placeOf(directUrl)}`;
  return `PostgreSQL at ${placeOf(url)}${behind}`;
}

/**
 * Every write waits behind a migration that waits for a lock, which a backup may hold for an hour. So
 * it gives up, lets them pass, and tries again.
 */
const LOCK_PATIENCE_MS = 500;

async function migrate(orm: SqlMikroORM, settings: ServerSettings): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateAtOnce(orm, settings);
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (attempt === 1) settings.onWaiting?.(error);
      await delay(LOCK_PATIENCE_MS);
    }
  }
}

/** Under a lock: of several processes, the first one migrates, and the others wait and find nothing to do. */
async function migrateAtOnce(orm: SqlMikroORM, settings: ServerSettings): Promise<void> {
  await orm.em.fork().transactional(async (holder) => {
    await holder.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    await requireKnown(orm);
    if (!(settings.migrates ?? true)) return;
    await holder.execute(ONE_AFTER_THE_OTHER);
    await holder.execute(`set local lock_timeout = ${LOCK_PATIENCE_MS}`);
    await orm.migrator.up({ transaction: holder.getTransactionContext() });
  });
}

/** Where requests go shows at the start, and not in the first of them: it must be there that was migrated. */
const askAsRequests = (orm: SqlMikroORM, { migrates = true }: ServerSettings) =>
  (migrates ? sql`select from mikro_orm_migrations limit 1` : sql`select`).execute(
    orm.em.fork().getKysely<unknown>(),
  );

async function onceReachable<T>(
  work: () => Promise<T>,
  { startLimitMs = 0, onWaiting = () => {} }: ServerSettings,
): Promise<T> {
  const giveUpAt = performance.now() + startLimitMs;
  const backOff = new BackOff(RETRY_MS);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isFirst = !backOff.hasFailed;
      const pause = backOff.nextWithJitter();
      const isWrong = !refusalByCode(error) || GIVES_NO_SESSION.test((error as Error).message);
      if (isWrong || performance.now() + pause > giveUpAt) throw error;
      if (isFirst) onWaiting(error);
      await delay(pause);
    }
  }
}

/**
 * Has PostgreSQL write some megabytes into a file of its own beside the tables, for a sort that gets no memory: nothing of
 * it stays, and it takes no rights.
 */
async function lookForRoom(connection: PoolConnection, room: Room): Promise<void> {
  if (!room.isInDoubt) return;
  try {
    await connection.query('begin');
    await connection.query("set local work_mem = '64kB'");
    await connection.query(
      'select count(*) from (select number from generate_series(1, 50000) as number order by 1 desc offset 0) as sorted',
    );
    room.noteSome();
  } catch {
    // there is none, or nobody knows: the next one asks again
  } finally {
    await connection.query('rollback');
  }
}

/**
 * Probes over a connection of its own: a busy pool must not make the server look dead. Where none can be made for want
 * of room, one of the pool's says whether there are reads.
 */
function probing(settings: ServerSettings, requests: GuardedPool, leave: () => void) {
  const connections = new pg.Pool({
    ...connectionOf({ ...settings, patience: impatient }),
    ...{ max: 1, ...KEPT_OPEN },
    application_name: 'steady probe',
  });
  const own = new GuardedPool(connections, { startLimitMs: 0, room: requests.shared.room });
  const askOver = (pool: GuardedPool) =>
    pool.lent(async (connection) => {
      const { rows } = await connection.query(IS_READ_ONLY);
      if (!rows[0]?.answer) return lookForRoom(connection, pool.shared.room);
      const error = Object.assign(new Error('The database is read-only'), { code: READ_ONLY });
      connection.release(error); // a server that must not be used is not kept
      leave();
      throw error;
    });
  const ask = () =>
    askOver(own).catch((error: unknown) => {
      if (!isOutOfRoom(error)) throw error;
      return askOver(requests);
    });
  return { ask, end: () => own.end() };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import { PostgresDialect, type PostgresPool, sql } from 'kysely';
import pg from 'pg';
import { BackOff } from '../../queues/back-off.js';
import type { Model } from '../backend.js';
import { Database } from '../database.js';
import { isDistributed, ONE_AFTER_THE_OTHER } from '../distributed/distribute.js';
import { asOfOneServer } from '../distributed/errors.js';
import { MIGRATION_LOCK, OtherReleaseError, requireKnown } from '../migrations.js';
import { GIVES_NO_SESSION, READ_ONLY, refusalByCode, ServerError } from '../outcome.js';
import { IS_READ_ONLY, leaveServer } from '../pool/connection.js';
import { GuardedPool } from '../pool/guard.js';
import { parsers } from '../pool/prepared-query.js';
import { isLocked } from '../violations.js';
import {
  connectionOf,
  connectionTo,
  guardSettings,
  impatient,
  isPooled,
  type Patience,
  type PoolSettings,
} from './connect.js';
import { listenOnServer, type TellListening } from './listen.js';
import { READ_TIMEOUT_MS, Reads } from './reads.js';

export interface ServerSettings extends PoolSettings {
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
  onListening?: TellListening | undefined;
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

/** MikroORM over a pool of ours, instead of the one that it would make. */
async function openPool(model: Model, settings: ServerSettings, isOnManyNodes = false) {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const connections = new pg.Pool({ ...connectionOf(settings), max: settings.poolSize, types: parsers });
  const pool = new GuardedPool(connections, {
    ...guardSettings(settings),
    explained: isOnManyNodes ? asOfOneServer : undefined,
  });
  const driverOptions = new PostgresDialect({ pool: pool as unknown as PostgresPool });
  return {
    orm: await MikroORM.init({ ...model, clientUrl: settings.url, driverOptions, ensureDatabase: false }),
    pool,
  };
}

export async function openServer(model: Model, settings: ServerSettings): Promise<Database> {
  const { url, directUrl = url, patience } = settings;
  const longWork = await openPool(model, { url: directUrl, poolSize: 2, patience: unhurried });
  const maintenance = longWork.orm;
  let isOnManyNodes: boolean;
  try {
    await onceReachable(() => migrate(maintenance, settings), settings);
    isOnManyNodes = await isDistributed(maintenance.em.fork().getKysely<unknown>());
  } catch (error) {
    await maintenance.close(true);
    const isTold = TOLD.some((kind) => error instanceof kind);
    throw isTold ? error : new ServerError(error, settings.directSetting);
  }
  const { orm, pool } = await openPool(model, settings, isOnManyNodes);
  if (isPooled(settings)) {
    await onceReachable(() => askThroughPooler(orm, settings), settings).catch(async (error: unknown) => {
      await Promise.all([maintenance.close(true), orm.close(true)]);
      throw new ServerError(error, 'DATABASE_URL');
    });
  }
  const reads = isPooled(settings) ? undefined : readsOf(settings, pool);
  const probe = probing(settings, () => {
    for (const each of [longWork.pool, pool]) leaveServer(each.shared);
  });
  return new Database(orm, {
    description: settings.description ?? descriptionOf(settings),
    isOnManyNodes,
    listen: listenOnServer(directUrl, settings.onListening),
    pool,
    reads: reads ?? pool,
    shareOfEvents: Math.max(1, Math.floor(settings.poolSize / 3)),
    maintenance: patience === unhurried ? orm : maintenance,
    probe: probe.ask,
    connections: () => pool.state(),
    isAway: () => pool.shared.isAway,
    isFull: () => pool.shared.isFull,
    afterClose: async () => {
      await Promise.all([maintenance.close(true), probe.end(), reads?.close()]);
      await settings.afterClose?.();
    },
  });
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
const askThroughPooler = (orm: SqlMikroORM, { migrates = true }: ServerSettings) =>
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

/** Probes over a connection of its own: a busy pool must not make the server look dead. */
function probing(settings: ServerSettings, leave: () => void) {
  const connections = new pg.Pool({
    ...connectionOf({ ...settings, patience: impatient }),
    max: 1,
    application_name: 'steady probe',
  });
  const pool = new GuardedPool(connections, { startLimitMs: 0 });
  const ask = () =>
    pool.lent(async (connection) => {
      const { rows } = await connection.query(IS_READ_ONLY);
      if (!rows[0]?.answer) return;
      const error = Object.assign(new Error('The database is read-only'), { code: READ_ONLY });
      connection.release(error); // a server that must not be used is not kept
      leave();
      throw error;
    });
  return { ask, end: () => pool.end() };
}

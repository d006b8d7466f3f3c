import { setTimeout as delay } from 'node:timers/promises';
import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { Database } from '../database.js';
import { type Model, parsers } from '../model.js';
import { refusalByCode, ServerError } from '../outcome.js';
import { listenOnServer } from './listen.js';
import { guard } from './pool-guard.js';

export interface ServerSettings {
  url: string;
  poolSize: number;
  patience: Patience;
  /** In milliseconds: how long to wait at first for a server that is not there yet. */
  startLimit?: number;
  /** Told when there is something to wait for. */
  onWaiting?: (error: unknown) => void;
}

/** In milliseconds; what is not named is waited for without end. */
export interface Patience {
  connection: number;
  answer?: number;
  statement?: number;
  lock?: number;
  idleTransaction?: number;
}

/** Requests are given up early; migrations, the job and commands may take their time. */
export const unhurried: Patience = { connection: 5_000 };

/** For the question whether it answers at all. */
const impatient: Patience = { connection: 1_000, answer: 1_000 };

const MIGRATION_LOCK = 7_783_541;

/** In seconds: now and then a connection is made afresh, and the clocks are compared again. */
const CONNECTION_LIFETIME = 600;

/** In milliseconds: tried again after the first, then after twice as long each time, up to the last. */
const RETRY = { first: 100, last: 3_000 };

/** What MikroORM needs to know to reach a PostgreSQL server. */
export function serverOptions(
  model: Model,
  { url, poolSize, patience }: ServerSettings,
  onPool: (pool: Pool) => void = () => {},
): Options {
  const onPoolCreated = (pool: Pool) => {
    prepare(pool, patience);
    onPool(pool);
  };
  return {
    ...model,
    clientUrl: url,
    pool: { max: poolSize },
    driverOptions: { ...connectionTo(url, patience), onPoolCreated },
  };
}

const connectionTo = (url: string, patience: Patience) => ({
  connectionString: url, // MikroORM takes the address apart and drops parameters like sslmode
  options: '-c timezone=UTC',
  keepAlive: true,
  maxLifetimeSeconds: CONNECTION_LIFETIME,
  connectionTimeoutMillis: patience.connection,
  query_timeout: patience.answer,
  statement_timeout: patience.statement,
  lock_timeout: patience.lock,
  idle_in_transaction_session_timeout: patience.idleTransaction,
});

function prepare(pool: Pool, { answer = Infinity, statement = 0 }: Patience): void {
  const types = pool.options.types as unknown as { setTypeParser(oid: number, parse: unknown): void };
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  // A statement that began in time has ended, one way or the other, before its answer is given up.
  guard(pool, Math.min(answer - statement, DAY));
}

const DAY = 24 * 60 * 60 * 1_000;

export async function openServer(model: Model, settings: ServerSettings): Promise<Database> {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { url, patience } = settings;
  const maintenance = await MikroORM.init(serverOptions(model, { url, poolSize: 2, patience: unhurried }));
  try {
    await onceReachable(() => migrate(maintenance), settings);
  } catch (error) {
    await maintenance.close(true);
    throw error instanceof TypeError ? error : new ServerError(error); // the first is a fault of ours
  }
  let pool: Pool | undefined;
  const orm = await MikroORM.init(
    serverOptions(model, settings, (created) => {
      pool = created;
    }),
  );
  const probe = await probing(url);
  const { host, pathname } = new URL(url);
  return new Database(orm, {
    description: `PostgreSQL at ${host}${pathname}`,
    listen: listenOnServer(url),
    shareOfEvents: Math.max(1, Math.floor(settings.poolSize / 3)),
    maintenance: patience === unhurried ? orm : maintenance,
    probe: probe.ask,
    connections: () => pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    afterClose: async () => {
      await Promise.all([maintenance.close(true), probe.end()]);
    },
  });
}

/** One process at a time: whoever comes second waits, and finds nothing left to do. */
const migrate = (orm: SqlMikroORM) =>
  orm.em.fork().transactional(async (holder) => {
    await holder.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    await orm.migrator.up();
  });

async function onceReachable<T>(
  work: () => Promise<T>,
  { startLimit = 0, onWaiting = () => {} }: ServerSettings,
): Promise<T> {
  const giveUpAt = performance.now() + startLimit;
  for (let pause = RETRY.first; ; pause = Math.min(2 * pause, RETRY.last)) {
    try {
      return await work();
    } catch (error) {
      if (!refusalByCode(error) || performance.now() + pause > giveUpAt) throw error;
      if (pause === RETRY.first) onWaiting(error);
      // Processes that are started at once should not all ask at once.
      await delay(pause * (0.5 + Math.random() / 2));
    }
  }
}

/** Asks over a connection of its own, so that no crowd in the pool makes the server look dead. */
async function probing(url: string) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ ...connectionTo(url, impatient), max: 1, application_name: 'steady probe' });
  pool.on('error', () => {}); // of an idle connection: the next question tells
  pool.on('connect', (client) => client.on('error', () => {}));
  guard(pool, 0);
  const ask = async () => {
    const client = await pool.connect();
    try {
      await client.query('select 1');
    } finally {
      client.release();
    }
  };
  return { ask, end: () => pool.end() };
}

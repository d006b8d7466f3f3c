import { setTimeout as delay } from 'node:timers/promises';
import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { Database } from '../database.js';
import { MIGRATION_LOCK, NewerDatabaseError, requireKnown } from '../migrations.js';
import { type Model, parsers } from '../model.js';
import { READ_ONLY, refusalByCode, ServerError } from '../outcome.js';
import type { Sendable } from '../statement.js';
import { listenOnServer } from './listen.js';
import { IS_READ_ONLY, type Prepared } from './pool-connection.js';
import { guard, type LeaveServer } from './pool-guard.js';

export interface ServerSettings {
  url: string;
  poolSize: number;
  patience: Patience;
  /** Whether the statements of hot paths have names; `auto`: until a pooler turns out not to know them. */
  prepared?: Prepared;
  /** Whether the statements of requests carry their ids as comments. */
  comments?: boolean;
  /** In milliseconds: how long the start waits for a server that cannot be reached yet. */
  startLimit?: number;
  /** Whether missing migrations are applied; true by default. */
  migrates?: boolean | undefined;
  /** Called when the start has to wait. */
  onWaiting?: (error: unknown) => void;
}

/** In milliseconds. A timeout that is not set means no limit. */
export interface Patience {
  connection: number;
  answer?: number;
  statement?: number;
  lock?: number;
  idleTransaction?: number;
}

/** For migrations, the streak job and commands, which have no deadline. */
export const unhurried: Patience = { connection: 5_000 };

/** For the probe. */
const impatient: Patience = { connection: 1_000, answer: 1_000 };

/** In seconds: connections are replaced after this time, and then the clocks are compared again. */
const CONNECTION_LIFETIME = 600;

/** In milliseconds: exponential backoff, from the first pause to the last. */
const RETRY = { first: 100, last: 3_000 };

/** MikroORM's options for a PostgreSQL server. */
export function serverOptions(
  model: Model,
  { url, poolSize, patience, prepared, comments }: ServerSettings,
  onPool: (pool: Pool, leave: LeaveServer) => void = () => {},
): Options {
  const onPoolCreated = (pool: Pool) => {
    const leave = prepare(pool, patience, { prepared, comments });
    onPool(pool, leave);
  };
  return {
    ...model,
    clientUrl: url,
    pool: { max: poolSize },
    driverOptions: { ...connectionTo(url, patience), onPoolCreated },
  };
}

export const connectionTo = (url: string, patience: Patience) => ({
  connectionString: url, // MikroORM parses the URL itself and drops parameters like sslmode
  options: '-c timezone=UTC',
  keepAlive: true,
  maxLifetimeSeconds: CONNECTION_LIFETIME,
  connectionTimeoutMillis: patience.connection,
  query_timeout: patience.answer,
  statement_timeout: patience.statement,
  lock_timeout: patience.lock,
  idle_in_transaction_session_timeout: patience.idleTransaction,
});

function prepare(
  pool: Pool,
  { answer = Infinity, statement = 0 }: Patience,
  how: Pick<ServerSettings, 'prepared' | 'comments'>,
): LeaveServer {
  const types = pool.options.types as unknown as { setTypeParser(oid: number, parse: unknown): void };
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  // A statement that begins in time has ended on the server before the service stops waiting for its answer.
  return guard(pool, { startLimit: Math.min(answer - statement, DAY), ...how });
}

const DAY = 24 * 60 * 60 * 1_000;

export async function openServer(model: Model, settings: ServerSettings): Promise<Database> {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { url, patience } = settings;
  const leaves: LeaveServer[] = [];
  const longWork = { url, poolSize: 2, patience: unhurried };
  const maintenance = await MikroORM.init(
    serverOptions(model, longWork, (_pool, leave) => void leaves.push(leave)),
  );
  try {
    await onceReachable(() => migrate(maintenance, settings), settings);
  } catch (error) {
    await maintenance.close(true);
    const isTold = error instanceof TypeError || error instanceof NewerDatabaseError; // a TypeError is a bug of ours
    throw isTold ? error : new ServerError(error);
  }
  let pool: Pool | undefined;
  const orm = await MikroORM.init(
    serverOptions(model, settings, (created, leave) => {
      pool = created;
      leaves.push(leave);
    }),
  );
  const probe = await probing(url, () => {
    for (const leave of leaves) leave();
  });
  const { host, pathname } = new URL(url);
  return new Database(orm, {
    description: `PostgreSQL at ${host}${pathname}`,
    listen: listenOnServer(url),
    send: (statement) => pool && send(pool, statement),
    shareOfEvents: Math.max(1, Math.floor(settings.poolSize / 3)),
    maintenance: patience === unhurried ? orm : maintenance,
    probe: probe.ask,
    connections: () => pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    afterClose: async () => {
      await Promise.all([maintenance.close(true), probe.end()]);
    },
  });
}

async function send(pool: Pool, { text, name, parameters: values }: Sendable): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    return (await client.query({ text, values, name })).rows;
  } finally {
    client.release();
  }
}

/** Under a lock: of several processes, the first one migrates, and the others wait and find nothing to do. */
const migrate = (orm: SqlMikroORM, { migrates = true }: ServerSettings) =>
  orm.em.fork().transactional(async (holder) => {
    await holder.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    await requireKnown(orm);
    if (migrates) await orm.migrator.up();
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
      // Jitter: processes that start together should not all try together.
      await delay(pause * (0.5 + Math.random() / 2));
    }
  }
}

/** Probes over a connection of its own: a busy pool must not make the server look dead. */
async function probing(url: string, leave: LeaveServer) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ ...connectionTo(url, impatient), max: 1, application_name: 'steady probe' });
  pool.on('error', () => {}); // an idle connection broke: the next probe will tell
  pool.on('connect', (client) => client.on('error', () => {}));
  guard(pool, { startLimit: 0 });
  const ask = async () => {
    const client = await pool.connect();
    let isReadOnly = true;
    try {
      const { rows } = await client.query(IS_READ_ONLY);
      isReadOnly = rows[0].answer;
    } finally {
      client.release(isReadOnly);
    }
    if (!isReadOnly) return;
    leave();
    throw Object.assign(new Error('The database is read-only'), { code: READ_ONLY });
  };
  return { ask, end: () => pool.end() };
}

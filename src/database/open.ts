import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { DataDirectory } from '../data-directory.js';
import { Database } from './database.js';
import { createIfMissing, holdAlone } from './embedded.js';
import { guardEmbedded } from './embedded-guard.js';
import { listenEmbedded, listenOnServer } from './listening.js';
import { guard } from './pool-guard.js';

/** What the database is to hold: entities and migrations. */
export type Model = Pick<Options, 'entities' | 'extensions' | 'metadataProvider' | 'migrations'>;

export interface ServerSettings {
  url: string;
  poolSize: number;
  /** Requests are given up early; migrations and commands may take their time. */
  patience?: Patience;
}

/** Values as the code wants them, wherever a row is read: instants as dates, ids, counts and points as numbers. */
export const parsers = { 1184: (text: string) => new Date(text), 20: Number, 1700: Number };

/** In milliseconds; what is not named is waited for without end. */
interface Patience {
  connection: number;
  answer?: number;
  statement?: number;
  lock?: number;
  idleTransaction?: number;
}

/** A request may take 5 s: longer than waiting for a connection and for an answer together. */
const hurried = { connection: 1_500, answer: 2_500, statement: 2_000, lock: 1_000, idleTransaction: 5_000 };
export const unhurried: Patience = { connection: 5_000 };

const MIGRATION_LOCK = 7_783_541;

/** What MikroORM needs to know to reach a PostgreSQL server. */
export function serverOptions(model: Model, { url, poolSize, patience = hurried }: ServerSettings): Options {
  return {
    ...model,
    clientUrl: url,
    pool: { max: poolSize },
    driverOptions: {
      connectionString: url, // MikroORM takes the address apart and drops parameters like sslmode
      options: '-c timezone=UTC',
      connectionTimeoutMillis: patience.connection,
      query_timeout: patience.answer,
      statement_timeout: patience.statement,
      lock_timeout: patience.lock,
      idle_in_transaction_session_timeout: patience.idleTransaction,
      onPoolCreated: (pool: Pool) => {
        parseValues(pool);
        guard(pool);
      },
    },
  };
}

function parseValues(pool: Pool): void {
  const types = pool.options.types as unknown as { setTypeParser(oid: number, parse: unknown): void };
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
}

export async function openServer(model: Model, settings: ServerSettings): Promise<Database> {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  await migrate(await MikroORM.init(serverOptions(model, { ...settings, poolSize: 2, patience: unhurried })));
  const orm = await MikroORM.init(serverOptions(model, settings));
  const { host, pathname } = new URL(settings.url);
  const database = new Database(orm, `PostgreSQL at ${host}${pathname}`, listenOnServer(settings.url));
  await database.ping();
  return database;
}

/** One process at a time: whoever comes second waits, and finds nothing left to do. */
async function migrate(orm: SqlMikroORM): Promise<void> {
  try {
    await orm.em.fork().transactional(async (holder) => {
      await holder.execute('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
      await orm.migrator.up();
    });
  } finally {
    await orm.close(true);
  }
}

export async function openEmbedded(model: Model, directory: DataDirectory): Promise<Database> {
  const { MikroORM } = await import('@mikro-orm/pglite');
  const open = (folder: string) => MikroORM.init({ ...model, dbName: folder, driverOptions: { parsers } });
  const { folder, release } = await holdAlone(directory);
  try {
    await createIfMissing(folder, async (draft) => {
      const orm = await open(draft);
      await orm.migrator.up();
      await orm.close(true);
    });
    const orm = (await open(folder)) as unknown as SqlMikroORM;
    await guardSession(orm);
    await orm.migrator.up();
    return new Database(orm, `the embedded database in ${directory.path}`, listenEmbedded(orm), release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Before anything is asked of it. */
export async function guardSession(orm: SqlMikroORM): Promise<void> {
  const connection = orm.em.getConnection() as unknown as {
    getNativeClient(): Promise<Parameters<typeof guardEmbedded>[0]>;
  };
  guardEmbedded(await connection.getNativeClient());
}

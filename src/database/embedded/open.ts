import { rmSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { type DataDirectory, DataDirectoryError } from '../../files/data-directory.js';
import { type Backend, CHANNEL, type CopyOptions, type Listen } from '../backend.js';
import { Database } from '../database.js';
import { NewerDatabaseError, requireKnown } from '../migrations.js';
import { type Model, ormOptions } from '../model.js';
import { openPool, send, stateOf } from '../pool/guard.js';
import type { Sendable } from '../statement.js';
import { copyFiles } from './copy.js';
import { createIfMissing, requireSameVersion, unusable } from './create.js';
import { requireRoom } from './disk-room.js';
import { type Engine, LastError, type Supervision, supervised } from './engine.js';
import { lockExclusively } from './lock.js';
import { Session } from './session.js';
import { Upkeep } from './upkeep.js';

export interface EmbeddedOptions {
  /** Whether every write waits for the disk (fsync); true by default. */
  fsync?: boolean;
  /**
   * Called with false when the disk is nearly full and writes are refused, and with true when there is room again.
   */
  onRoom?: (hasRoom: boolean) => void;
  /** Called before a new database is made, which takes seconds. */
  onCreate?: (folder: string) => void;
  /** Called with a line for the operator. */
  onWarning?: (line: string) => void;
  /** Called when the database has stopped for good. */
  onEnd?: (error: Error) => void;
  /** Whether missing migrations are applied; true by default. */
  migrates?: boolean;
}

export async function openEmbedded(
  model: Model,
  directory: DataDirectory,
  { fsync = true, ...hooks }: EmbeddedOptions = {},
): Promise<Database> {
  await requireRoom(directory);
  directory.claim();
  const lock = await lockExclusively(directory);
  const folder = directory.file('postgres');
  try {
    const isDurable = fsync && canSync(directory, hooks);
    await createIfMissing(folder, isDurable, () => hooks.onCreate?.(directory.path));
    const { orm, upkeep, backend } = await openFolder(model, folder, { ...hooks, isDurable });
    const warning = directory.makePrivate(); // only now: a start that is refused changes no permissions
    if (warning) hooks.onWarning?.(warning);
    const description = `the embedded database in ${directory.path}`;
    const copyTo = (target: string, options?: CopyOptions) =>
      upkeep.withoutCheckpoints(() => copyFiles(queryOf(orm), folder, target, options));
    const afterClose = async () => {
      await upkeep.stop();
      await backend.afterClose();
      await lock.release();
    };
    return new Database(orm, { ...backend, description, copyTo, afterClose });
  } catch (error) {
    lock.withdraw();
    throw error;
  }
}

export function canSync(directory: DataDirectory, { onWarning = () => {} }: EmbeddedOptions = {}): boolean {
  const obstacle = directory.obstacleToSync();
  if (!obstacle) return true;
  const loss = obstacle.to === 'files' ? 'acknowledged writes' : 'new files of the embedded database';
  onWarning(
    `The file system of DATA_DIR ${directory.path} cannot sync ${obstacle.to} (${obstacle.reason}): a loss of power may take ${loss} with it.`,
  );
  return obstacle.to !== 'files';
}

/** PostgreSQL's own lock, which we do not need. It refuses to start on one that a loss of power has left empty. */
const PROCESS_FILE = 'postmaster.pid';

export async function openFolder(
  model: Model,
  folder: string,
  {
    isDurable,
    onRoom = () => {},
    onEnd = () => {},
    migrates = true,
  }: EmbeddedOptions & { isDurable: boolean },
): Promise<Opened & { upkeep: Upkeep }> {
  const lastError = new LastError();
  let upkeep: Upkeep | undefined;
  let opened: Opened | undefined;
  try {
    rmSync(path.join(folder, PROCESS_FILE), { force: true });
    opened = await openEngine(model, folder, {
      isDurable,
      lastError,
      onEnd: (error) => upkeep && onEnd(error), // until then, the error rejects the opening
    });
    await requireKnown(opened.orm);
    if (migrates) await opened.orm.migrator.up();
    upkeep = new Upkeep(queryOf(opened.orm), folder, onRoom);
    await upkeep.start();
    return { ...opened, upkeep };
  } catch (error) {
    if (error instanceof NewerDatabaseError) {
      await opened?.orm.close(true);
      await opened?.engine.close();
      throw error;
    }
    throw new DataDirectoryError(unusable(folder, `${lastError}`), { cause: error });
  }
}

/** A copy that `Database.copyTo` has made. It needs no lock: it is the caller's own. */
export async function openCopy(model: Model, folder: string): Promise<Database> {
  requireSameVersion(folder);
  const { orm, backend, upkeep } = await openFolder(model, folder, { isDurable: false, migrates: false });
  const afterClose = async () => {
    await upkeep.stop();
    await backend.afterClose();
  };
  return new Database(orm, { ...backend, description: 'a copy of the embedded database', afterClose });
}

interface Opened {
  orm: SqlMikroORM;
  engine: Engine;
  backend: Omit<Backend, 'description'> & { afterClose: () => Promise<void> };
}

interface EngineOptions extends Partial<Supervision> {
  /** An archive to create the database from. */
  loadDataDir?: Blob;
}

/**
 * V8 optimizes a WebAssembly function after a hundred times the usual work. Optimizing what only the start runs would
 * take a quarter of the start's CPU time and 350 MB.
 */
const OPTIMIZE_LATE = '--wasm-tiering-budget=1300000000';

const FSYNC_OFF = '-F';

/** `fdatasync`, the usual method, does nothing in PGlite's files. */
const FSYNC_ON = ['-c', 'wal_sync_method=fsync'];

/** The cache of table pages. The system has one of the same files; more than this is memory without a gain. */
const SMALL_CACHE = ['-c', 'shared_buffers=16MB'];

const startParamsOf = (defaults: readonly string[], isDurable = false): string[] => [
  ...(isDurable ? defaults.filter((each) => each !== FSYNC_OFF) : defaults),
  ...(isDurable ? FSYNC_ON : []),
  ...SMALL_CACHE,
];

/** In milliseconds: no network delays a statement. */
const DAY = 24 * 60 * 60 * 1_000;

const queryOf = (orm: SqlMikroORM) => orm.em.getConnection().getClient() as Kysely<unknown>;

/** PGlite in a folder, or in memory (`memory://`), behind a pool of one connection. */
export async function openEngine(
  model: Model,
  dataDir: string,
  { loadDataDir, ...supervision }: EngineOptions = {},
): Promise<Opened> {
  setFlagsFromString(OPTIMIZE_LATE);
  const { PGlite } = await import('@electric-sql/pglite');
  const engine = (await PGlite.create(dataDir, {
    extensions: { supervised: supervised(supervision) as never },
    startParams: startParamsOf(PGlite.defaultStartParams, supervision.isDurable),
    ...(loadDataDir && { loadDataDir }),
  })) as unknown as Engine;
  const session = new Session(engine);
  const receivers = new Set<(text: string) => void>();
  const options = {
    ...ormOptions(model),
    dbName: 'postgres',
    user: 'postgres',
    pool: { max: 1, idleTimeoutMillis: 0 },
    driverOptions: { stream: () => session.open(), ssl: false },
  };
  const { orm, pool, guarded } = await openPool(options, { startLimit: DAY, mayBeReadOnly: true });
  pool.on('connect', (client) => {
    client.on('notification', ({ payload = '' }) => {
      for (const receive of receivers) receive(payload);
    });
  });
  const listen: Listen = async ({ receive, heard }) => {
    await sql`listen ${sql.id(CHANNEL)}`.execute(queryOf(orm));
    receivers.add(receive);
    heard?.(true); // the connection cannot be lost
    return async () => {
      receivers.delete(receive);
      if (receivers.size === 0) await sql`unlisten ${sql.id(CHANNEL)}`.execute(queryOf(orm));
    };
  };
  const backend = {
    hasOneConnection: true,
    listen,
    send: (statement: Sendable) => send(pool, statement),
    connections: () => stateOf(pool, guarded),
    isAway: () => guarded.isAway,
    isFull: () => guarded.isFull,
    afterClose: () => engine.close(),
  };
  return { orm, engine, backend };
}

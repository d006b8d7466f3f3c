import { setFlagsFromString } from 'node:v8';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type DataDirectory, DataDirectoryError } from '../../data-directory.js';
import type { Backend } from '../backend.js';
import { Database } from '../database.js';
import { NewerDatabaseError, requireKnown } from '../migrations.js';
import { type Model, parsers } from '../model.js';
import { copyFiles } from './copy.js';
import { requireRoom } from './disk-room.js';
import { type Engine, engineOf, LastError, type Supervision, supervised } from './engine.js';
import { listenEmbedded } from './listen.js';
import { createIfMissing, lockExclusively, requireSameVersion, unusable } from './lock.js';
import { PreparedStatements } from './prepared.js';
import { shareOut } from './turns.js';
import { preallocateLog, Upkeep } from './upkeep.js';

export interface Hooks {
  /**
   * Called with false when the disk is nearly full and writes are refused, and with true when there is room again.
   */
  onRoom?: (hasRoom: boolean) => void;
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
  hooks: Hooks = {},
): Promise<Database> {
  await requireRoom(directory);
  directory.claim();
  const lock = await lockExclusively(directory);
  const folder = directory.file('postgres');
  try {
    await createIfMissing(folder, (draft) => create(model, draft));
    const { orm, engine, backend } = await openFolder(model, folder, hooks);
    const warning = directory.makePrivate(); // only now: a start that is refused changes no permissions
    if (warning) hooks.onWarning?.(warning);
    const description = `the embedded database in ${directory.path}`;
    const copyTo = (target: string) => copyFiles(orm, engine, folder, target);
    return new Database(orm, { ...backend, description, copyTo, afterClose: lock.release });
  } catch (error) {
    lock.withdraw();
    throw error;
  }
}

export async function openFolder(
  model: Model,
  folder: string,
  { onRoom = () => {}, onEnd = () => {}, migrates = true }: Hooks,
): Promise<Opened> {
  const lastError = new LastError();
  let upkeep: Upkeep | undefined;
  let opened: Opened | undefined;
  try {
    opened = await openEngine(model, folder, {
      lastError,
      onEnd: (error) => upkeep && onEnd(error), // until then, the error rejects the opening
      onClose: async () => upkeep?.stop(),
    });
    await requireKnown(opened.orm);
    if (migrates) await opened.orm.migrator.up();
    upkeep = new Upkeep(opened.engine, folder, onRoom);
    await upkeep.start();
    return opened;
  } catch (error) {
    if (error instanceof NewerDatabaseError) {
      await opened?.orm.close(true);
      throw error;
    }
    throw new DataDirectoryError(unusable(folder, `${lastError}`), { cause: error });
  }
}

/** A copy that `Database.copyTo` has made. It needs no lock: it is the caller's own. */
export async function openCopy(model: Model, folder: string): Promise<Database> {
  requireSameVersion(folder);
  const { orm, backend } = await openFolder(model, folder, { migrates: false });
  return new Database(orm, { ...backend, description: 'a copy of the embedded database' });
}

async function create(model: Model, draft: string): Promise<void> {
  const { orm, engine } = await openEngine(model, draft);
  await orm.migrator.up();
  await preallocateLog(engine);
  await orm.close(true);
}

interface Opened {
  orm: SqlMikroORM;
  engine: Engine;
  backend: Pick<Backend, 'listen' | 'send'>;
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

/** PGlite in a folder, or in memory (`memory://`): supervised, and shared fairly among requests. */
export async function openEngine(
  model: Model,
  dbName: string,
  { loadDataDir, ...supervision }: EngineOptions = {},
): Promise<Opened> {
  setFlagsFromString(OPTIMIZE_LATE);
  const { MikroORM } = await import('@mikro-orm/pglite');
  const extensions = { supervised: supervised(supervision) };
  const driverOptions = () => ({ parsers, extensions, ...(loadDataDir && { loadDataDir }) }); // a function, because MikroORM would deep-copy an object
  const orm = (await MikroORM.init({ ...model, dbName, driverOptions })) as unknown as SqlMikroORM;
  const engine = await engineOf(orm);
  const statements = new PreparedStatements(engine);
  const backend = { listen: listenEmbedded(engine, statements), send: shareOut(orm, statements) };
  return { orm, engine, backend };
}

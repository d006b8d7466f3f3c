import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type DataDirectory, DataDirectoryError } from '../data-directory.js';
import { Database } from './database.js';
import { createIfMissing, holdAlone, unusable } from './embedded.js';
import { careful, type Engine, guardEngine, LastWords } from './embedded-guard.js';
import { Journal } from './embedded-journal.js';
import { requireRoom } from './embedded-room.js';
import { shareOut } from './embedded-shares.js';
import { type Session, spareLog, Upkeep } from './embedded-upkeep.js';
import { listenEmbedded } from './listening.js';
import { type Model, parsers } from './model.js';

export interface Hooks {
  /** Told when the disk is nearly full, so that nothing is written any more, and when there is room again. */
  onRoom?: (hasRoom: boolean) => void;
  /** Told what the operator should know. */
  onWarning?: (line: string) => void;
  /** Told when the database has stopped for good. */
  onEnd?: (error: Error) => void;
}

export async function openEmbedded(
  model: Model,
  directory: DataDirectory,
  hooks: Hooks = {},
): Promise<Database> {
  await requireRoom(directory);
  directory.claim();
  const hold = await holdAlone(directory);
  const folder = directory.file('postgres');
  try {
    await createIfMissing(folder, (draft) => create(model, draft));
    const orm = await openFolder(model, folder, hooks);
    const warning = directory.makePrivate(); // what cannot be opened is left as it was
    if (warning) hooks.onWarning?.(warning);
    const description = `the embedded database in ${directory.path}`;
    return new Database(orm, { description, listen: listenEmbedded(orm), afterClose: hold.release });
  } catch (error) {
    hold.withdraw();
    throw error;
  }
}

/** Leaves the folder as it was unless it can be opened. */
async function openFolder(
  model: Model,
  folder: string,
  { onRoom = () => {}, onEnd = () => {} }: Hooks,
): Promise<SqlMikroORM> {
  const journal = new Journal();
  const lastWords = new LastWords();
  let upkeep: Upkeep | undefined;
  try {
    const care = careful({
      journal,
      lastWords,
      onEnd: (error) => upkeep && onEnd(error), // before, it is this that fails
      onClose: async () => upkeep?.stop(),
    });
    const orm = await connect(model, folder, { care });
    await orm.migrator.up();
    journal.close();
    upkeep = new Upkeep(await engineOf(orm), folder, onRoom);
    await upkeep.start();
    shareOut(orm);
    return orm;
  } catch (error) {
    journal.takeBack();
    throw new DataDirectoryError(unusable(folder, `${lastWords}`), { cause: error });
  }
}

async function create(model: Model, draft: string): Promise<void> {
  const orm = await connect(model, draft);
  await orm.migrator.up();
  await spareLog(await engineOf(orm));
  await orm.close(true);
}

async function connect(model: Model, folder: string, extensions = {}): Promise<SqlMikroORM> {
  const { MikroORM } = await import('@mikro-orm/pglite');
  const driverOptions = () => ({ parsers, extensions }); // a plain object would be copied deeply
  return (await MikroORM.init({ ...model, dbName: folder, driverOptions })) as unknown as SqlMikroORM;
}

/** Before anything is asked of it. */
export async function guardSession(orm: SqlMikroORM): Promise<void> {
  guardEngine(await engineOf(orm), () => {});
  shareOut(orm);
}

function engineOf(orm: SqlMikroORM): Promise<Engine & Session> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<Engine & Session> };
  return connection.getNativeClient();
}

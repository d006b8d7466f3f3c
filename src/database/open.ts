import type { SqlMikroORM } from '@mikro-orm/postgresql';
import type { DataDirectory } from '../data-directory.js';
import { Database } from './database.js';
import { createIfMissing, holdAlone } from './embedded.js';
import { guardEmbedded } from './embedded-guard.js';
import { listenEmbedded } from './listening.js';
import { type Model, parsers } from './model.js';

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
    return new Database(orm, {
      description: `the embedded database in ${directory.path}`,
      listen: listenEmbedded(orm),
      afterClose: release,
    });
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

import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { requireRoomForCopy } from './disk-room.js';

/**
 * Files that are handed to Node's threads at a time. Under load a turn of the event loop is long, so that one file a
 * turn would take minutes; more at once would take all four, and whoever watches the disk would wait.
 */
const AT_ONCE = 3;

const CONTROL = path.join('global', 'pg_control');
const LOG = 'pg_wal';

/**
 * Copies the files while statements go on. No checkpoint may run meanwhile but the one that this begins with.
 *
 * The copy is what a crash at its end could have left on a disk, and opened, it recovers as after a crash: the
 * control file names that checkpoint, whatever was written to tables since is of any age and perhaps torn, and the
 * write-ahead log, which is copied last, has all of it.
 */
export async function copyFiles(orm: SqlMikroORM, folder: string, target: string): Promise<void> {
  const query = orm.em.getConnection().getClient() as Kysely<unknown>;
  await requireRoomForCopy(folder, path.dirname(target));
  await sql`checkpoint`.execute(query);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = entries.map((entry) => ({
    isFolder: entry.isDirectory(),
    name: path.relative(folder, path.join(entry.parentPath, entry.name)),
  }));
  await mkdir(target);
  const folders = named.filter(({ isFolder }) => isFolder);
  await Promise.all(folders.map(({ name }) => mkdir(path.join(target, name), { recursive: true })));
  const isOfTables = (name: string) => name !== CONTROL && path.dirname(name) !== LOG;
  const tables = named.filter(({ name, isFolder }) => !isFolder && isOfTables(name));
  const copy = (names: string[]) => copyAll(folder, target, names);
  await copy([CONTROL]);
  await copy(tables.map(({ name }) => name));
  await copy(await logOf(query, folder));
}

/** The files of the log from the checkpoint on. Older ones hold nothing that is needed, newer ones nothing yet. */
async function logOf(query: Kysely<unknown>, folder: string): Promise<string[]> {
  const { rows } = await sql<{ oldest: string; current: string }>`
    select redo_wal_file as oldest, pg_walfile_name(pg_current_wal_insert_lsn()) as current
    from pg_control_checkpoint()`.execute(query);
  const { oldest = '', current = '' } = rows[0] ?? {};
  const names = (await readdir(path.join(folder, LOG))).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort();
  const next = names.find((name) => name > current) ?? current; // a checkpoint may have begun it
  return names.filter((name) => name >= oldest && name <= next).map((name) => path.join(LOG, name));
}

async function copyAll(folder: string, target: string, names: string[]): Promise<void> {
  const left = [...names];
  const copyOn = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await copyFile(path.join(folder, name), path.join(target, name), constants.COPYFILE_FICLONE).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error; // of a table that has just been dropped
        },
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyOn));
}

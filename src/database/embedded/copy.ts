import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { type Engine, exclusively } from './engine.js';

/** Files that are copied at a time: as many as Node has threads for. */
const AT_ONCE = 4;

/** Where the write-ahead log needs to be read from after a checkpoint, and where it is written. */
interface Log {
  oldest: string;
  current: string;
}

/**
 * Copies the files as they are at one moment, while nothing else is under way; opened, the copy is the database of
 * that moment. After a checkpoint little of the log is needed, so the copy is small and opens fast.
 */
export const copyFiles = (orm: SqlMikroORM, engine: Engine, folder: string, target: string): Promise<void> =>
  (orm.em.getConnection().getClient() as Kysely<unknown>).connection().execute(async (connection) => {
    await sql`checkpoint`.execute(connection);
    const { rows } = await sql<Log>`
      select redo_wal_file as oldest, pg_walfile_name(pg_current_wal_insert_lsn()) as current
      from pg_control_checkpoint()`.execute(connection);
    await exclusively(engine, () => copyAll(folder, target, rows[0]));
  });

async function copyAll(folder: string, target: string, log: Log | undefined): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const within = (parent: string, name: string) => path.relative(folder, path.join(parent, name));
  await mkdir(target);
  for (const entry of entries) {
    if (entry.isDirectory())
      await mkdir(path.join(target, within(entry.parentPath, entry.name)), { recursive: true });
  }
  const isSpare = spareIn(
    entries.map(({ name }) => name),
    log,
  );
  const files = entries.filter((entry) => entry.isFile() && !isSpare(entry.name));
  const copyOn = async () => {
    for (let entry = files.pop(); entry; entry = files.pop()) {
      const name = within(entry.parentPath, entry.name);
      await copyFile(path.join(folder, name), path.join(target, name), constants.COPYFILE_FICLONE);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyOn));
}

/** Files of the log that hold nothing, or nothing any more. One more is kept: a checkpoint may have begun it. */
function spareIn(names: string[], log: Log | undefined): (name: string) => boolean {
  const files = names.filter((name) => /^[0-9A-F]{24}$/.test(name)).sort();
  if (!log) return () => false;
  const last = files.find((name) => name > log.current) ?? log.current;
  const spare = new Set(files.filter((name) => name < log.oldest || name > last));
  return (name) => spare.has(name);
}

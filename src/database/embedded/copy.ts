import { constants, createReadStream, createWriteStream, statSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Kysely, sql } from 'kysely';
import type { CopyOptions } from '../backend.js';
import { requireRoomForCopy } from './disk-room.js';

/**
 * Files that are handed to Node's threads at a time. Under load a turn of the event loop is long, so that one file a
 * turn would take minutes; more at once would take all four, and whoever watches the disk would wait.
 */
const AT_ONCE = 3;

/** In bytes: larger files are copied in pieces, so that a copy can be given up in the middle of one. */
const LARGE = 32 * 2 ** 20;
const PIECE = 8 * 2 ** 20;

const CONTROL = path.join('global', 'pg_control');
const LOG = 'pg_wal';

/**
 * Copies the files while statements go on. No checkpoint may run meanwhile but the one that this begins with.
 *
 * The copy is what a crash at its end could have left on a disk, and opened, it recovers as after a crash: the
 * control file names that checkpoint, whatever was written to tables since is of any age and perhaps torn, and the
 * write-ahead log, which is copied last, has all of it.
 */
export async function copyFiles(
  query: Kysely<unknown>,
  folder: string,
  target: string,
  { signal, beside }: CopyOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  await requireRoomForCopy(folder, path.dirname(target), beside);
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
  const copy = (names: string[], mayBeGone = false) => copyAll({ folder, target, names, mayBeGone, signal });
  await copy([CONTROL]);
  const names = tables.map(({ name }) => name);
  await copy(names, true); // a table may just have been dropped
  await copy(await logOf(query, folder));
}

/** The files of the log from the checkpoint on. Older ones hold nothing that is needed, newer ones nothing yet. */
async function logOf(query: Kysely<unknown>, folder: string): Promise<string[]> {
  const { rows } = await sql<{ oldest: string; current: string }>`
    select redo_wal_file as oldest, pg_walfile_name(pg_current_wal_insert_lsn()) as current
    from pg_control_checkpoint()`.execute(query);
  const { oldest = '', current = '' } = rows[0] ?? {};
  const names = (await readdir(path.join(folder, LOG))).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort();
  const needed = names.filter((name) => name >= oldest && name <= current);
  if (needed.length !== numberOf(current) - numberOf(oldest) + 1) {
    throw new Error(`Files of the log are missing, from ${oldest} to ${current}`);
  }
  const next = names.find((name) => name > current) ?? current; // a checkpoint may have begun it
  return [...new Set([...needed, next])].map((name) => path.join(LOG, name));
}

/** The names of files of the log are hexadecimal: eight digits of the timeline, and two numbers of which the last has 256 values. */
const numberOf = (name: string): number =>
  Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16);

interface Copying {
  folder: string;
  target: string;
  names: string[];
  mayBeGone: boolean;
  signal: AbortSignal | undefined;
}

async function copyAll({ folder, target, names, mayBeGone, signal }: Copying): Promise<void> {
  const left = [...names];
  const copyOn = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      signal?.throwIfAborted();
      await copyOne(path.join(folder, name), path.join(target, name), signal).catch(
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT' || !mayBeGone) throw error;
        },
      );
    }
  };
  const done = await Promise.allSettled(Array.from({ length: AT_ONCE }, copyOn)); // the caller removes what is there
  for (const each of done) if (each.status === 'rejected') throw each.reason;
}

async function copyOne(from: string, to: string, signal: AbortSignal | undefined): Promise<void> {
  const { size } = statSync(from); // at once: under load another turn for each file would double the time
  if (size < LARGE) return copyFile(from, to, constants.COPYFILE_FICLONE);
  const isCloned = await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false, // the file system cannot, or the file is gone, which follows
  );
  if (isCloned) return;
  const reading = createReadStream(from, { highWaterMark: PIECE });
  await pipeline(reading, createWriteStream(to, { highWaterMark: PIECE, mode: 0o600 }), { signal });
}

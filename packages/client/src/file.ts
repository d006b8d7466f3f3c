import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ClientStorage } from './storage.js';

/** A file name may have 255 bytes. */
const LONGEST = 200;

/** In milliseconds: what a process has left that was ended while it wrote. */
const LEFT_BEHIND = 3_600_000;

const nameOf = (key: string) => {
  const name = encodeURIComponent(key).replaceAll('*', '%2A').replaceAll('.', '%2E');
  return name.length <= LONGEST
    ? name
    : `${name.slice(0, 100)}~${createHash('sha256').update(key).digest('hex')}`;
};

/**
 * A folder with a file for each entry, closed to other users of the machine. Several processes may use it: a file is
 * written beside its place, and takes it once it is on the disk.
 */
export function fileStorage(folder: string): ClientStorage {
  let made: Promise<void> | undefined;
  const ready = () => {
    made ??= make(folder).catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  const read = async (name: string): Promise<[key: string, value: string] | undefined> => {
    try {
      return JSON.parse(await readFile(path.join(folder, name), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
  return {
    get: async (key) => (await read(nameOf(key)))?.[1],
    set: async (key, value) => {
      await ready();
      const draft = path.join(folder, `.${randomUUID()}`);
      await write(draft, JSON.stringify([key, value]));
      await rename(draft, path.join(folder, nameOf(key)));
      await sync(folder);
    },
    delete: (key) => rm(path.join(folder, nameOf(key)), { force: true }),
    keys: async (prefix) => {
      await ready();
      const keys: string[] = [];
      for (const name of await readdir(folder)) {
        if (name.startsWith('.')) continue;
        const key = name.includes('~') ? (await read(name))?.[0] : decodeURIComponent(name);
        if (key?.startsWith(prefix)) keys.push(key);
      }
      return keys;
    },
  };
}

async function make(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (!name.startsWith('.')) continue;
    const { mtimeMs } = await stat(path.join(folder, name)).catch(() => ({ mtimeMs: Number.NaN }));
    if (Date.now() - mtimeMs > LEFT_BEHIND) await rm(path.join(folder, name), { force: true });
  }
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** So that a name survives a power cut, too, where the system can do that. */
async function sync(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // Windows has no such thing
  }
}

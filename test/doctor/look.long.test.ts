import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { DirectoryInUseError, lockExclusively } from '../../src/database/embedded/lock.js';
import { lookAtEmbedded } from '../../src/database/embedded/look.js';
import { DataDirectory } from '../../src/files/data-directory.js';
import { dataDirectory, temporaryFolder } from '../support/process.js';

/** A database that nobody has open, and the folder in which the copies of it are made. */
async function stopped() {
  const directory = new DataDirectory(dataDirectory());
  (await lockExclusively(directory)).release();
  const place = path.dirname(temporaryFolder());
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => void vi.unstubAllEnvs());
  const copy = () =>
    readdirSync(place)
      .map((name) => path.join(place, name, 'postgres'))
      .find((folder) => existsSync(path.join(folder, 'global')));
  return { directory, copy };
}

/** Until it is so, or the work has ended without. */
async function during(work: Promise<unknown>, isSo: () => boolean): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  while (!isSo() && !isOver) await turn();
}

it('Whoever looks at a database does not keep a service from starting', async () => {
  const { directory } = await stopped();
  let isDone = false;
  const looking = lookAtEmbedded(model, directory).finally(() => {
    isDone = true;
  });
  let times = 0;
  for (; !isDone; times += 1) {
    const lock = await lockExclusively(directory);
    lock.release();
    await turn();
  }
  expect(times).toBeGreaterThan(3);
  await (await looking).close();
});

it('Whoever looks at a database learns that a service has started while it was copied', async () => {
  const { directory, copy } = await stopped();
  const looking = lookAtEmbedded(model, directory);
  looking.catch(() => {});
  await during(looking, () => copy() !== undefined);
  const lock = await lockExclusively(directory);
  await expect(looking).rejects.toThrow(DirectoryInUseError);
  lock.release();
});

it('A copy is made anew if the database was opened and closed meanwhile', async () => {
  const { directory, copy } = await stopped();
  const looking = lookAtEmbedded(model, directory);
  await during(looking, () => copy() !== undefined);
  writeFileSync(path.join(copy() ?? '', 'of-the-first-copy'), '');
  utimesSync(directory.file('postgres/global/pg_control'), 1, 1);
  const { close } = await looking;
  expect(readdirSync(copy() ?? '')).not.toContain('of-the-first-copy');
  await close();
  expect(copy()).toBeUndefined();
});

it('A start waits for the lock for a moment, and no longer', async () => {
  const { directory } = await stopped();
  const first = await lockExclusively(directory);
  const second = lockExclusively(directory);
  await turn();
  first.release();
  const lock = await second;
  await expect(lockExclusively(directory)).rejects.toThrow(`is open in another process (${process.pid})`);
  lock.release();
});

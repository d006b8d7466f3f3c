import { rename } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { model } from '../../mikro-orm.config.js';
import { readConfig } from '../config.js';
import { knownTo } from '../database/migrations.js';
import { syncDirectory } from '../files/fsync.js';
import { explainStartError } from '../startup/start-errors.js';
import { readFile, writeFile } from './file.js';
import { draftOf } from './folder.js';
import { BackupError, type Contents, type Trailer, UnusableFileError } from './format.js';
import { fromDatabase } from './from-database.js';
import { type Found, UNUSABLE } from './run-worker.js';

/**
 * A process that makes one backup, or reads one again, and ends: the service has its memory and its event loop for
 * itself, and whatever happens here does not happen there.
 */
const [, , task, file = '', madeAt = ''] = process.argv;

process.once('disconnect', () => process.exit(1)); // the service has died
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // some reach every process: the service decides
setPriority(constants.priority.PRIORITY_LOW);

const known = knownTo(model.migrations);

const source = {
  isForCommand: true,
  embedded: 'joined' as const, // by the service that has started this process
  rests: true,
};

/** Under its name there is only what has been read again. */
async function make(): Promise<Found> {
  const draft = draftOf(file);
  const write = ({ header, rows }: Contents) => writeFile(draft, { header: { ...header, madeAt }, rows });
  const written = await fromDatabase(readConfig(), source, write);
  const { trailer } = await readFile(draft, known);
  if (trailer.sha256 !== written.sha256) throw new BackupError(`${draft} is not what was written.`);
  await rename(draft, file);
  syncDirectory(path.dirname(file));
  return { file, users: usersIn(trailer) };
}

const usersIn = ({ counts }: Trailer): number => counts.users ?? 0;

async function check(): Promise<Found> {
  const { trailer } = await readFile(file, known);
  return { file, users: usersIn(trailer) };
}

try {
  const found = await (task === 'make' ? make() : check());
  process.send?.(found, () => process.exit(0));
} catch (error) {
  console.error(error instanceof BackupError ? error.message : explainStartError(error));
  process.exit(task === 'check' && error instanceof UnusableFileError ? UNUSABLE : 1);
}

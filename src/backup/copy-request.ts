import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataDirectory } from '../files/data-directory.js';
import { requestFiles } from './copy-requests.js';
import { BackupError } from './format.js';
import { Heartbeat, keepHeartbeat } from './heartbeat-file.js';

/** In milliseconds. */
const PAUSE = 50;

/**
 * Asks the service that has the data directory open for a copy of its database, which is there for as long as the work
 * takes.
 */
export async function withCopyFromService<T>(
  directory: DataDirectory,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  mkdirSync(directory.file('copies'), { recursive: true, mode: 0o700 });
  const { request, taken, done, copy } = requestFiles(directory, randomUUID());
  const endHeartbeat = await keepHeartbeat(request);
  try {
    const heartbeat = new Heartbeat();
    while (!existsSync(done)) {
      if (heartbeat.hasStopped(statSync(taken, { throwIfNoEntry: false })?.mtimeMs)) {
        throw new BackupError(
          `The Steady that has DATA_DIR ${directory.path} open does not answer. It may be a command, or an older release: stop it, and try again.`,
        );
      }
      await delay(PAUSE);
    }
    const problem = readFileSync(done, 'utf8');
    if (problem) throw new BackupError(`The running Steady could not copy its database: ${problem}`);
    return await work(copy);
  } finally {
    endHeartbeat();
    for (const file of [copy, taken, done, request]) await rm(file, { recursive: true, force: true });
  }
}

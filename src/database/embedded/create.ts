import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { closeToOthers, DataDirectoryError } from '../../files/data-directory.js';
import { syncDirectory, syncTree } from '../../files/fsync.js';
import { entryFile } from '../../files/project.js';
import { requireSameVersion } from './version.js';

/**
 * Creates a new database as a draft and renames it when it is complete and on the disk: a killed process or a loss of
 * power then leaves nothing that looks like a database.
 */
export async function createIfMissing(
  folder: string,
  isDurable: boolean,
  onCreate = () => {},
): Promise<void> {
  if (existsSync(folder)) return requireSameVersion(folder);
  onCreate();
  discardDrafts(folder);
  const draft = mkdtempSync(draftsOf(folder)); // new each time, because the maker may outlive its service for a moment
  try {
    await make(draft);
    for (const name of readdirSync(draft, { recursive: true })) closeToOthers(path.join(draft, `${name}`));
    if (isDurable) syncTree(draft);
    renameSync(draft, folder);
    if (isDurable) syncDirectory(path.dirname(folder));
  } catch (error) {
    discardDrafts(folder);
    throw error;
  }
}

/** What their names begin with. */
const draftsOf = (folder: string) => `${folder}.new-`;

function discardDrafts(folder: string): void {
  const parent = path.dirname(folder);
  const drafts = readdirSync(parent).filter((name) => path.join(parent, name).startsWith(draftsOf(folder)));
  for (const name of drafts) {
    try {
      rmSync(path.join(parent, name), { recursive: true, force: true });
    } catch {
      // still being written by a maker whose service has died; the next new database discards it
    }
  }
}

function make(draft: string): Promise<void> {
  const maker = fork(entryFile('database/embedded/make'), [draft], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  maker.stderr?.on('data', (text: Buffer) => {
    complaint += text;
  });
  return new Promise((resolve, reject) => {
    maker.once('error', reject);
    maker.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new DataDirectoryError(notMade(draft, complaint.trim().split('\n')[0] || `${signal}`)));
    });
  });
}

const notMade = (draft: string, reason: string) =>
  `The embedded database cannot be made in ${path.dirname(draft)}: ${reason}. Is the disk full?`;

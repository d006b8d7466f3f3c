import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { closeToOthers, DataDirectoryError } from '../../files/data-directory.js';
import { syncDirectory, syncTree } from '../../files/fsync.js';
import { entryFile } from '../../files/project.js';

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

/** The major version of PGlite's PostgreSQL, which opens no files of any other. */
export const POSTGRES = '18';

/** Without its file PG_VERSION, PGlite would create a new database over the data. */
export function requireSameVersion(folder: string): void {
  const file = path.join(folder, 'PG_VERSION');
  if (!existsSync(file)) throw new DataDirectoryError(unusable(folder, 'it has no PG_VERSION'));
  const version = readFileSync(file, 'utf8').trim();
  if (version === POSTGRES) return;
  if (!/^\d+$/.test(version)) throw new DataDirectoryError(unusable(folder, 'its PG_VERSION is damaged'));
  throw new DataDirectoryError(
    `The database in ${folder} was made by PostgreSQL ${version}, and this Steady has PostgreSQL ${POSTGRES}, which cannot open it. Make a backup with the Steady that made it, and restore that with this one into an empty DATA_DIR.`,
  );
}

/** The path of the folder as PGlite sees it. */
const MOUNTED_AT = '/pglite/data';

export const unusable = (folder: string, reason: string) =>
  `The database in ${folder} cannot be opened: ${reason.replaceAll(MOUNTED_AT, folder)}. Restore it from a backup, or move it away.`;

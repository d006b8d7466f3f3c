import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type DataDirectory, DataDirectoryError } from '../../base/files/data-directory.js';
import { syncDirectory } from '../../base/files/fsync.js';
import { type Account, namedAccount } from './account.js';
import { doesNotRunHere } from './binaries.js';
import { environmentFor, IS_WINDOWS, type Programs, passwordFile, startIn } from './platform.js';

/** The major version, which opens no files of any other. */
export const POSTGRES = '18';

const FOLDER = 'postgresql';

export const folderIn = (directory: DataDirectory): string => directory.file(FOLDER);

/** Where Steady kept its database before 1.0.0-rc.1. */
const FORMER_FOLDER = 'postgres';

/** Whether there is one, of whatever kind. */
export const hasDatabase = (directory: DataDirectory): boolean =>
  [FOLDER, FORMER_FOLDER].some((name) => existsSync(directory.file(name)));

const WAY_OUT =
  'Make a backup with the Steady that made it (steady backup), and restore that with this one into an empty DATA_DIR (steady restore).';

/** Throws where what is there cannot be opened, and before anything is changed. */
export function requireKnownFiles(directory: DataDirectory): void {
  const folder = folderIn(directory);
  if (directory.isEarlier && hasDatabase(directory))
    throw new DataDirectoryError(
      `The database in DATA_DIR ${directory.path} was made before 1.0.0-rc.2: back it up with the version that made it (npm run backup), and restore the file with this one into an empty DATA_DIR (steady restore).`,
    );
  if (!existsSync(folder)) return;
  const file = path.join(folder, 'PG_VERSION');
  const version = directory.attempt(() => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined));
  if (version === POSTGRES) return;
  if (version === undefined) throw new DataDirectoryError(unusable(folder, 'it has no PG_VERSION'));
  if (!/^\d+$/.test(version)) throw new DataDirectoryError(unusable(folder, 'its PG_VERSION is damaged'));
  throw new DataDirectoryError(
    `The database in ${folder} was made by PostgreSQL ${version}, and this Steady has PostgreSQL ${POSTGRES}, which cannot open it. ${WAY_OUT}`,
  );
}

/** Makes it as a draft and renames it when it is complete and on the disk: a killed process leaves no half of one. */
export async function makeIfMissing(
  directory: DataDirectory,
  programs: Programs,
  onMaking: (line: string) => void = () => {},
): Promise<void> {
  const folder = folderIn(directory);
  if (existsSync(folder)) return;
  onMaking(`Making a new database in ${directory.path}: this takes some seconds`);
  discardDrafts(directory);
  const draft = directory.attempt(() => mkdtempSync(`${folder}${DRAFT}`));
  try {
    const account = namedAccount();
    if (account) chownSync(draft, account.uid, account.gid);
    await initialize(directory, draft, programs, account);
    if (directory.isEarlier) directory.mark(); // it had no database
    renameSync(draft, folder);
    syncDirectory(directory.path);
  } catch (error) {
    discardDrafts(directory);
    throw error;
  }
}

const DRAFT = '.new-';

function discardDrafts(directory: DataDirectory): void {
  const drafts = readdirSync(directory.path).filter((name) => name.startsWith(`${FOLDER}${DRAFT}`));
  for (const name of drafts) {
    try {
      rmSync(directory.file(name), { recursive: true, force: true });
    } catch {
      // still being written by a process whose service has died; the next new database discards it
    }
  }
}

async function initialize(
  directory: DataDirectory,
  draft: string,
  programs: Programs,
  account: Account | undefined,
): Promise<void> {
  const { cwd, data } = startIn(draft);
  const entry = IS_WINDOWS ? ['-A', 'scram-sha-256', `--pwfile=${passwordFile(directory)}`] : ['-A', 'trust'];
  const options = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-instructions', ...entry];
  const made = spawn(path.join(programs.folder, 'initdb'), options, {
    ...account,
    cwd,
    env: environmentFor(programs),
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    made.once('error', reject);
    made.once('exit', resolve);
  });
  const complaints = made.stderr ? text(made.stderr) : '';
  const code = await ended.catch((error: Error) => {
    throw doesNotRunHere(error.message);
  });
  if (code !== 0)
    throw new DataDirectoryError(notMade(directory, reasonIn(await complaints) ?? `code ${code}`));
}

const notMade = ({ path }: DataDirectory, reason: string) =>
  `The embedded database cannot be made in ${path}: ${reason}. Is there room on the disk, and may Steady write there?`;

/** The last complaint of a program of PostgreSQL. */
export function reasonIn(complaints: string): string | undefined {
  const lines = complaints
    .split('\n')
    .filter((line) => line.trim() && !/^\s*(HINT|DETAIL|CONTEXT):|^child process|removing/.test(line));
  const worst = lines.findLast((line) => /(FATAL|PANIC|error):/.test(line)) ?? lines[0];
  return worst
    ?.replace(/^.*?(FATAL|PANIC|error):\s*/, '')
    .trim()
    .replace(/\.$/, '');
}

export const unusable = (folder: string, reason: string) =>
  `The database in ${folder} cannot be opened: ${reason}. Restore it from a backup, or move it away.`;

/** For what only looks at a database. */
export function requireDatabase(directory: DataDirectory): void {
  requireKnownFiles(directory);
  if (!existsSync(folderIn(directory)))
    throw new DataDirectoryError(
      `There is no database in DATA_DIR ${directory.path}: the start of the service makes one`,
    );
}

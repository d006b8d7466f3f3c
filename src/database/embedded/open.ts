import { chmodSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataDirectory, DataDirectoryError } from '../../base/files/data-directory.js';
import { type Account, isOwn, ownAccount } from './account.js';
import { ownLibraries, programsFor } from './binaries.js';
import { folderIn, makeIfMissing, requireKnownFiles } from './cluster.js';
import { DirectoryInUseError, lockExclusively } from './lock.js';
import { forgetForeignPassword } from './platform.js';
import { addressOf, endEarlier, type Running, startPostgres } from './process.js';

export interface EmbeddedOptions {
  /** How many connections there may be. */
  connections: number;
  /** Whether root takes a directory of another account over; only a service does, which goes on to run on it. */
  takesOver?: boolean;
  /** Called with a line for the operator. */
  onWarning?: ((line: string) => void) | undefined;
  /** Called with a line when a new database is made. */
  onMaking?: ((line: string) => void) | undefined;
  /** Called when the database has ended and cannot be started again. */
  onEnd?: ((error: Error) => void) | undefined;
}

/** The PostgreSQL of a data directory: started by this process, or found at work. */
export interface Embedded {
  address: string;
  /** Ends it, if this process has started it. */
  stop: () => Promise<void>;
}

/** Starts the database of the directory, and makes it before if there is none. Refused while another process has it. */
export async function startEmbedded(
  directory: DataDirectory,
  { connections, takesOver = true, onWarning = () => {}, onMaking, onEnd = () => {} }: EmbeddedOptions,
): Promise<Embedded> {
  requireKnownFiles(directory);
  const found = programsFor(ownAccount());
  directory.claim();
  const libraries = directory.attempt(() => ownLibraries(found, directory.file('libraries')));
  const programs = { folder: found, libraries };
  const lock = await lockExclusively(directory);
  let account: Account | undefined;
  const start = () => startPostgres({ directory, programs, account, connections });
  let running: Running;
  try {
    if (!takesOver) directory.requireOwn();
    const taken = directory.takeOver();
    if (taken) onWarning(taken);
    forgetForeignPassword(directory);
    const folder = folderIn(directory);
    await endEarlier(folder); // its account would be taken for that of somebody else
    await makeIfMissing(directory, programs, onMaking);
    account = await accountFor(folder);
    directory.attempt(() => restoreRights(folder, account));
    running = await start();
    const warning = directory.makePrivate(); // only now: a start that is refused changes no permissions
    if (warning) onWarning(warning);
  } catch (error) {
    lock.undo();
    throw error;
  }
  let isStopping = false;
  const keepRunning = async () => {
    for (;;) {
      const end = await running.ended;
      if (isStopping) return;
      onWarning(`The embedded database has ended (${end}): it is started again`);
      running = await start();
      onWarning('The embedded database is back');
      if (isStopping) await running.stop();
    }
  };
  const kept = keepRunning().catch(onEnd);
  const stop = async () => {
    isStopping = true;
    await running.stop();
    await kept;
    lock.release();
  };
  return { address: addressNow(directory), stop };
}

const PAUSE_MS = 20;
const JOIN_PATIENCE_MS = 5_000;
const ENDING_MS = 5_000;

/** Joins the database that another process has started, which a worker knows to be there: it is waited for. */
export async function joinEmbedded(directory: DataDirectory): Promise<Embedded> {
  const until = performance.now() + JOIN_PATIENCE_MS;
  let address = addressOf(directory);
  while (address === undefined && performance.now() < until) {
    await delay(PAUSE_MS);
    address = addressOf(directory);
  }
  return { address: address ?? addressNow(directory), stop: async () => {} };
}

/** For a command: beside a service it joins the database of that. */
export async function startOrJoinEmbedded(
  directory: DataDirectory,
  options: EmbeddedOptions,
): Promise<Embedded> {
  try {
    return await startEmbedded(directory, options);
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw error;
    const joined = await joinEmbedded(directory).catch(() => undefined);
    if (!joined) throw error;
    return joined;
  }
}

function addressNow(directory: DataDirectory): string {
  const address = addressOf(directory);
  if (address === undefined)
    throw new DataDirectoryError(`The database in DATA_DIR ${directory.path} does not run.`);
  return address;
}

/** That of whom the folder is. What an earlier PostgreSQL has left may take a moment to end. */
async function accountFor(folder: string): Promise<Account | undefined> {
  const { uid } = statSync(folder);
  const until = performance.now() + ENDING_MS;
  for (;;) {
    const account = ownAccount(uid);
    if (!account || account.uid === uid || !isOwn(uid) || performance.now() > until) return account;
    await delay(PAUSE_MS);
  }
}

/** PostgreSQL insists on them, and whoever has copied the files may have lost them. */
function restoreRights(folder: string, account: Account | undefined): void {
  chmodSync(folder, 0o700);
  if (account && statSync(folder).uid !== account.uid) give(folder, account);
}

/**
 * A folder is root's until all in it is given: its former owner cannot change that meanwhile, and a start that was
 * broken off begins again.
 */
function give(file: string, account: Account): void {
  const found = lstatSync(file);
  if (found.isFile() && found.nlink > 1) return; // the other name may be that of a file of root's
  if (found.isDirectory()) {
    lchownSync(file, 0, 0);
    for (const name of readdirSync(file)) give(path.join(file, name), account);
  }
  lchownSync(file, account.uid, account.gid);
}

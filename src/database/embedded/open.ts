import { chmodSync, existsSync, lchownSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataDirectory, DataDirectoryError } from '../../files/data-directory.js';
import { type Account, binariesFor, NOBODY } from './binaries.js';
import { folderIn, makeIfMissing, requireKnownFiles } from './cluster.js';
import { DirectoryInUseError, lockExclusively } from './lock.js';
import { addressOf, type Running, startPostgres } from './process.js';

export interface EmbeddedOptions {
  /** How many connections there may be. */
  connections: number;
  /** Called with a line for the operator. */
  onWarning?: ((line: string) => void) | undefined;
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
  { connections, onWarning = () => {}, onEnd = () => {} }: EmbeddedOptions,
): Promise<Embedded> {
  requireKnownFiles(directory);
  const binaries = binariesFor(accountFor(directory));
  directory.claim();
  const lock = await lockExclusively(directory);
  const start = () => startPostgres({ directory, binaries, connections });
  let running: Running;
  try {
    await makeIfMissing(directory, binaries);
    directory.attempt(() => restoreRights(folderIn(directory), binaries.account));
    running = await start();
    const warning = directory.makePrivate(); // only now: a start that is refused changes no permissions
    if (warning) onWarning(warning);
  } catch (error) {
    lock.withdraw();
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

/** PostgreSQL does not run as root, which gives it the account of whom the files are. */
function accountFor(directory: DataDirectory): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const place = [folderIn(directory), directory.path].find((each) => existsSync(each));
  const { uid, gid } = place ? statSync(place) : NOBODY;
  return uid === 0 ? NOBODY : { uid, gid };
}

/** PostgreSQL insists on them, and whoever has copied the files may have lost them. */
function restoreRights(folder: string, account: Account | undefined): void {
  chmodSync(folder, 0o700);
  if (!account || statSync(folder).uid === account.uid) return;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of [...names, '']) lchownSync(path.join(folder, name), account.uid, account.gid);
}

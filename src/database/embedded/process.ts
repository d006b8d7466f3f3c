import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DataDirectory, DataDirectoryError } from '../../base/files/data-directory.js';
import type { Account } from './account.js';
import { doesNotRunHere } from './binaries.js';
import { folderIn, reasonIn, unusable } from './cluster.js';
import { Entry } from './entry.js';
import {
  environmentFor,
  fitsSocket,
  HERE,
  IS_WINDOWS,
  knownPasswordIn,
  PORT,
  type Programs,
  passwordIn,
  SOCKET,
  startIn,
  wayToSocket,
} from './platform.js';

const PAUSE_MS = 10;

/** How long what an earlier process has left may hold on to the folder. */
const PATIENCE_MS = 60_000;

/** A setting of nobody's, by which the command line names the folder. */
const NAME = 'steady.folder';

/** Few and small: a database for some people, beside the service on a small machine. */
const SETTINGS = {
  shared_buffers: '32MB',
  min_wal_size: '64MB',
  max_wal_size: '256MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  io_method: 'sync',
  max_worker_processes: 2,
  max_logical_replication_workers: 0,
  max_parallel_workers_per_gather: 0,
  autovacuum_worker_slots: 2,
  autovacuum_max_workers: 2,
  jit: 'off',
  huge_pages: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'fatal', // at its start and in its crashes; what statements meet, the service tells
  log_min_error_statement: 'panic',
  scram_iterations: 1, // they slow down guessing, and nobody guesses this password
  unix_socket_permissions: '0700',
};

/**
 * PostgreSQL takes the place of this shell. What stays waits for the end of the pipe, which comes with the end of the
 * service, however that ends; a line says that there is nothing left to end.
 */
const UNTIL_PARENT_ENDS = `exec 3<&0
(read line <&3 || kill -INT $$) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null`;

/** Stops the program when this process ends. For Windows, where a child outlives its parent and knows no signals. */
const KEEPER = `const { spawn, spawnSync } = require('node:child_process');
const [stop, data, program, ...options] = process.argv.slice(1);
const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'inherit'], windowsHide: true });
child.on('exit', (code) => process.exit(code ?? 1));
process.stdin.on('data', () => process.exit(1)).on('close', () => spawnSync(stop, ['stop', '-m', 'fast', '-D', data]));`;

/** A running PostgreSQL. */
export interface Running {
  ended: Promise<string>;
  stop: () => Promise<void>;
}

interface Starting {
  directory: DataDirectory;
  programs: Programs;
  account: Account | undefined;
  /** How many there may be. */
  connections: number;
}

/** Starts it, and waits until it takes connections. The caller holds the lock of the directory. */
export async function startPostgres(starting: Starting): Promise<Running> {
  const folder = folderIn(starting.directory);
  await endEarlier(folder);
  const entry = IS_WINDOWS ? undefined : new Entry(folder, passwordIn(starting.directory));
  entry?.prepare();
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const place = placeForSocket(folder);
    const { child, complaints } = launch(starting, place);
    const ended = endOf(child).finally(place.remove);
    const isEnded = Symbol('ended');
    let result: unknown;
    do {
      result = await Promise.race([ended.then(() => isEnded), delay(PAUSE_MS)]);
    } while (result !== isEnded && !stateIn(folder)?.isReady);
    if (result !== isEnded) {
      const running = { ended, stop: () => stop(child, ended) };
      await entry?.close(addressOf(starting.directory) ?? '').catch(async (error: unknown) => {
        await running.stop();
        throw error;
      });
      return running;
    }
    const end = await ended;
    if (/^(ENOENT|code 12[67])/.test(end)) throw doesNotRunHere(end);
    const reason = reasonIn(complaints()) ?? end;
    // Processes of one that was killed notice it within moments.
    if (!/shared memory block|lock file/.test(reason) || performance.now() > until)
      throw new DataDirectoryError(unusable(folder, reason));
    await delay(10 * PAUSE_MS);
  }
}

/** The address of the one that runs on the folder; undefined without any. */
export function addressOf(directory: DataDirectory): string | undefined {
  const folder = folderIn(directory);
  const state = stateIn(folder);
  if (!state?.isReady) return undefined;
  const { port, socketFolder } = state;
  const address = `postgres://postgres:${knownPasswordIn(directory)}@127.0.0.1:${port}/postgres?sslmode=disable`;
  if (IS_WINDOWS) return address;
  const socket = wayToSocket(socketFolder === HERE ? folder : socketFolder);
  return `${address}&host=${encodeURIComponent(socket)}`;
}

function launch({ directory, programs, account, connections }: Starting, { settings }: Place) {
  const folder = folderIn(directory);
  const options = Object.entries({
    ...SETTINGS,
    max_connections: connections,
    [NAME]: folder,
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { cwd, data } = startIn(folder);
  const command = [path.join(programs.folder, 'postgres'), '-D', data, ...options];
  const [program, kept] = IS_WINDOWS
    ? [process.execPath, ['--eval', KEEPER, '--', path.join(programs.folder, 'pg_ctl'), folder]]
    : ['sh', ['-c', UNTIL_PARENT_ENDS, 'sh']];
  const child = spawn(program, [...kept, ...command], {
    ...account,
    cwd,
    env: environmentFor(programs),
    detached: !IS_WINDOWS, // a terminal signals all of a group, and the service decides
    stdio: ['pipe', 'ignore', 'pipe'],
    windowsHide: true,
  });
  child.stdin.on('error', () => {}); // its end tells
  let complaints = '';
  child.stderr.on('data', (text: Buffer) => {
    complaints = `${complaints}${text}`.slice(-4_000);
  });
  return { child, complaints: () => complaints };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', (code, signal) => {
      child.stdin?.end('\n');
      resolve(signal ?? `code ${code}`);
    });
  });
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.stdin?.end();
  await ended;
}

interface Place {
  settings: Record<string, string | number>;
  remove: () => void;
}

/** In the folder of the database, which is closed; where a socket may not have its path, in one of its own. */
function placeForSocket(folder: string): Place {
  const listening = (place: string) => ({
    listen_addresses: IS_WINDOWS ? '127.0.0.1' : '',
    unix_socket_directories: IS_WINDOWS ? '' : place,
    port: PORT,
  });
  const { data } = startIn(folder);
  if (fitsSocket(data) && !/[,"]/.test(data)) return { settings: listening(data), remove: () => {} };
  const place = mkdtempSync(path.join(tmpdir(), 'steady-'));
  return { settings: listening(place), remove: () => removePlace(place) };
}

const STATE = 'postmaster.pid';

/** The running one says of itself, one thing in a line. */
function stateIn(folder: string) {
  try {
    const [pid, , , port, socketFolder = '', , , status = ''] = readFileSync(
      path.join(folder, STATE),
      'utf8',
    ).split('\n');
    return { pid: Number(pid), port: Number(port), socketFolder, isReady: status.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/** One whose service was killed may still be about to end; then its number may be that of another process. */
export async function endEarlier(folder: string): Promise<void> {
  const state = stateIn(folder);
  if (!state) return;
  const { pid, socketFolder } = state;
  const until = performance.now() + PATIENCE_MS;
  if (isPostgres(pid, folder)) tryTo(() => process.kill(pid, 'SIGINT'));
  while (isPostgres(pid, folder)) {
    if (performance.now() > until)
      throw new DataDirectoryError(
        unusable(folder, `an earlier PostgreSQL (${pid}) has it open, and does not end`),
      );
    await delay(PAUSE_MS);
  }
  rmSync(path.join(folder, STATE), { force: true });
  if (socketFolder !== folder && socketFolder !== HERE) removePlace(socketFolder);
}

/** Nothing but the socket and its lock may be in it. */
function removePlace(place: string): void {
  for (const name of [SOCKET, `${SOCKET}.lock`]) tryTo(() => rmSync(path.join(place, name), { force: true }));
  tryTo(() => rmdirSync(place));
}

function isPostgres(pid: number, folder: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  return commandLineOf(pid).includes(folder);
}

function commandLineOf(pid: number): string {
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // another account's
  }
}

import { fork } from 'node:child_process';
import { entryFile } from '../files/project.js';
import { BackupError, UnusableFileError } from './format.js';

/**
 * In MB. Rows only pass through, so the garbage of a small young generation is collected at once, at no cost in time:
 * 100 MB instead of 220. A small limit of the whole heap would cost four times the CPU.
 */
const HEAP = ['--max-semi-space-size=2', '--max-old-space-size=128'];

/** With this exit code the process says that it has read the file, and that it is of no use. All else is a failure of its own. */
export const UNUSABLE = 3;

type Task = ['make', file: string, madeAt: string] | ['check', file: string];

/** What was made or checked. */
export interface Found {
  file: string;
  users: number;
}

/** Carries out the task in a process of its own, which is killed at the signal. Rejects with one line. */
export function inOwnProcess(task: Task, signal: AbortSignal): Promise<Found> {
  const child = fork(entryFile('backup/backup-worker'), task, {
    execArgv: HEAP,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => {
    complaint += text;
  });
  let found: Found | undefined;
  child.on('message', (message) => {
    found = message as Found;
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      if (child.pid === undefined) reject(error); // else it has been killed, and its end follows
    });
    child.once('close', (code, killedBy) => {
      if (code === 0 && found) return resolve(found);
      // Node's own warnings come before it.
      const reason = code === 1 || code === UNUSABLE ? complaint.trim().split('\n').at(-1) : '';
      if (code === UNUSABLE && reason) return reject(new UnusableFileError(reason));
      reject(new BackupError(reason || `its process ended with ${killedBy ?? `code ${code}`}`));
    });
  });
}

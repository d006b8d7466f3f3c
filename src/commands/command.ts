import '../startup/node-version.js';
import { BackupError } from '../backup/format.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { Refusal } from '../errors.js';
import { openDatabase } from '../startup/instance.js';
import { explainStartError } from '../startup/start-errors.js';
import { UsageError } from './arguments.js';

/** How commands open a database. */
export const hooks = {
  isForCommand: true,
  onWaiting: (error: unknown) => console.error(`Waiting for the database: ${(error as Error).message}`),
  onWarning: console.error,
  onEnd: fail,
};

/** Checks the arguments, opens the configured database, and runs the command, which returns the exit code. */
export const onDatabase = <Arguments>(
  read: () => Arguments,
  work: (database: Database, given: Arguments) => Promise<number>,
): Promise<void> =>
  carryOut(read, async (given) => {
    const database = await openDatabase(readConfig(), hooks);
    return work(database, given).finally(() => database.close());
  });

/** Checks the arguments and runs the command, which opens what it needs. */
export async function carryOut<Arguments>(
  read: () => Arguments,
  work: (given: Arguments) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await work(read());
  } catch (error) {
    fail(error);
  }
}

/** Reads the arguments of a command that needs no database. */
export function understood<Arguments>(read: () => Arguments): Arguments {
  try {
    return read();
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  const isTold = error instanceof UsageError || error instanceof BackupError || error instanceof Refusal;
  console.error(isTold ? error.message : explainStartError(error));
  process.exit(1);
}

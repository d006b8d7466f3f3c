import '../startup/node-version.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { openDatabase } from '../startup/instance.js';
import { explainStartError } from '../startup/start-errors.js';
import { UsageError } from './arguments.js';

/** Checks the arguments, opens the configured database, and runs the command, which returns the exit code. */
export async function onDatabase<Arguments>(
  read: () => Arguments,
  work: (database: Database, given: Arguments) => Promise<number>,
): Promise<void> {
  try {
    const given = read();
    const onWaiting = (error: unknown) =>
      console.error(`Waiting for the database: ${(error as Error).message}`);
    const hooks = { isForCommand: true, onWaiting, onWarning: console.error, onEnd: fail };
    const database = await openDatabase(readConfig(), hooks);
    process.exitCode = await work(database, given).finally(() => database.close());
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
  console.error(error instanceof UsageError ? error.message : explainStartError(error));
  process.exit(1);
}

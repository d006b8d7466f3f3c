import '../startup/node-version.js';
import { printedHelp, UsageError } from '../../base/commands/arguments.js';
import { Refusal } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import { readConfig } from '../../features/settings.js';
import { BackupError } from '../backup/format.js';
import { type OpenOptions, openDatabase } from '../startup/instance.js';
import { explainStartError } from '../startup/start-errors.js';

/** How commands open a database. */
export const hooks = {
  isForCommand: true,
  embedded: 'shared' as const,
  onWaiting: (error: unknown) => console.error(`Waiting for the database: ${(error as Error).message}`),
  onWarning: console.error,
  onMaking: console.error,
  onEnd: fail,
};

/** For commands that look at a database. */
export const looking = { ...hooks, creates: false };

/** Reads the arguments, opens the configured database, and runs the command, which returns the exit code. */
export const onDatabase = <Request>(
  help: string,
  readArguments: () => Request,
  work: (database: Database, request: Request) => Promise<number>,
  options: OpenOptions = hooks,
): Promise<void> =>
  carryOut(help, readArguments, async (request) => {
    const database = await openDatabase(readConfig(), options);
    return work(database, request).finally(() => database.close());
  });

/** Reads the arguments and runs the command, which opens what it needs. With --help it only explains itself. */
export async function carryOut<Request>(
  help: string,
  readArguments: () => Request,
  work: (request: Request) => Promise<number>,
): Promise<void> {
  if (printedHelp(help)) return;
  try {
    process.exitCode = await work(readArguments());
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  const isTold = error instanceof UsageError || error instanceof BackupError || error instanceof Refusal;
  console.error(isTold ? error.message : explainStartError(error));
  process.exit(1);
}

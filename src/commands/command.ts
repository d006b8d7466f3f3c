import '../runtime.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { explainFault } from '../fault.js';
import { openDatabase } from '../ground.js';

/** What a command was told wrongly. */
export class UsageError extends Error {}

/** The values of `--name=value` arguments; anything but the known ones is refused. */
export function options<Name extends string>(known: readonly Name[]): Partial<Record<Name, string>> {
  return Object.fromEntries(
    process.argv.slice(2).map((argument) => {
      const [, name, value] = /^--([\w-]+)=(.*)$/.exec(argument) ?? [];
      if (!known.some((each) => each === name)) {
        throw new UsageError(
          `Unknown argument ${argument}. Allowed: ${known.map((each) => `--${each}=…`).join(' ')}`,
        );
      }
      return [name, value];
    }),
  ) as Partial<Record<Name, string>>;
}

/** Runs a command on the configured database, once its arguments are understood. Answers with the exit code. */
export async function onDatabase<Arguments>(
  read: () => Arguments,
  work: (database: Database, given: Arguments) => Promise<number>,
): Promise<void> {
  try {
    const given = read();
    const database = await openDatabase(readConfig());
    process.exitCode = await work(database, given).finally(() => database.close());
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : explainFault(error));
    process.exitCode = 1;
  }
}

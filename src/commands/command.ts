import '../runtime.js';
import { readConfig } from '../config.js';
import type { Database } from '../database/database.js';
import { explainFault } from '../fault.js';
import { openDatabase } from '../ground.js';

/** What a command was told wrongly. */
export class UsageError extends Error {}

const unknown = (argument: string, allowed: string[]) =>
  new UsageError(`Unknown argument ${argument}. Allowed: ${allowed.join(' ') || 'none'}`);

/** The values of `--name=value` arguments; anything but the known ones is refused. */
export function options<Name extends string>(known: readonly Name[]): Partial<Record<Name, string>> {
  return Object.fromEntries(
    process.argv.slice(2).map((argument) => {
      const [, name, value] = /^--([\w-]+)=(.*)$/.exec(argument) ?? [];
      if (!known.some((each) => each === name)) {
        throw unknown(
          argument,
          known.map((each) => `--${each}=…`),
        );
      }
      return [name, value];
    }),
  ) as Partial<Record<Name, string>>;
}

/** Which of the `--name` arguments are given; anything else is refused. */
export function flags<Name extends string>(known: readonly Name[]): Record<Name, boolean> {
  const given = process.argv.slice(2);
  const allowed = known.map((name) => `--${name}`);
  for (const argument of given) if (!allowed.includes(argument)) throw unknown(argument, allowed);
  return Object.fromEntries(known.map((name) => [name, given.includes(`--${name}`)])) as Record<
    Name,
    boolean
  >;
}

/** Runs a command on the configured database, once its arguments are understood. Answers with the exit code. */
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

function fail(error: unknown): never {
  console.error(error instanceof UsageError ? error.message : explainFault(error));
  process.exit(1);
}

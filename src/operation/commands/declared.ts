import '../startup/node-version.js';
import { systemClock } from '../../base/clock.js';
import { readConfig } from '../../features/settings.js';
import { features } from '../../features.js';
import { rememberIn } from '../backup/tombstones.js';
import { hooks, looking, onDatabase } from './command.js';

/** Runs a command that a feature declares. The build makes a file of it here, as of any other command. */
export async function carryOutDeclared(name: string): Promise<void> {
  const [load] = features.flatMap(({ commands }) => commands?.[name] ?? []);
  if (!load) throw new Error(`No feature declares a command ${name}`);
  const { help, read, looks } = (await load()).command;
  await onDatabase(
    help,
    read,
    (database, work) => {
      const config = readConfig();
      return work({ config, clock: systemClock, database, remember: rememberIn(config, console.error) });
    },
    looks ? looking : hooks,
  );
}

import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import { type OpenOptions, openDatabase } from '../startup/instance.js';
import type { Contents } from './format.js';
import { type LoadOptions, load, type Restored } from './load.js';

/** Brings the contents into the configured database, which must be empty. */
export async function intoDatabase(
  config: Config,
  contents: Contents,
  options: OpenOptions,
  more: Pick<LoadOptions, 'tombstones' | 'holdsReminders'> = {},
): Promise<Restored> {
  const database = await openDatabase(config, { ...options, migrates: false });
  return load(database, contents, { clock: systemClock, ...more }).finally(() => database.close());
}

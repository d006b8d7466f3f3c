import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';
import { type Config, ConfigError } from '../../base/config.js';
import { DataDirectory } from '../../base/files/data-directory.js';
import { manifest } from '../../base/files/project.js';
import { type Finding, ok, warning, wrong } from '../../base/finding.js';
import { hasDatabase } from '../../database/embedded/cluster.js';
import { readConfig } from '../../features/settings.js';
import { openDatabase } from '../startup/instance.js';
import {
  checksOfDatabase,
  checksOfOthers,
  checksOfProcess,
  failed,
  findingsOf,
  type Told,
} from './checks.js';
import { settingsFinding } from './settings.js';

const named = (about: string, ...found: Finding[]): Told[] => found.map((each) => ({ about, ...each }));

const CONFIGURATION = 'configuration';
const SEE_CONFIGURATION = 'Correct the variable: docs/operate.md has them all.';

/** Makes the checks of a start, without starting anything but an embedded database that does not run. */
export async function examine(
  clock: Clock,
  environment?: NodeJS.ProcessEnv,
  openingMs = 10_000,
): Promise<Told[]> {
  const versions = named('versions', ok(`Steady ${manifest().version}, Node ${process.versions.node}`));
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((each) => wrong(each, SEE_CONFIGURATION));
    return [...versions, ...named(CONFIGURATION, ...problems)];
  }
  return [
    ...versions,
    ...named(CONFIGURATION, ok(`every setting is allowed${config.production ? ', for production too' : ''}`)),
    ...named(CONFIGURATION, ...config.warnings.map((line) => warning(line, 'See docs/operate.md.'))),
    ...(await databaseFindings(config, clock, openingMs)),
    ...(await findingsOf(checksOfProcess, config)),
    ...(await findingsOf(checksOfOthers, config)),
  ];
}

async function databaseFindings(config: Config, clock: Clock, openingMs: number): Promise<Told[]> {
  const about = 'database';
  try {
    const directory = config.databaseUrl ? undefined : new DataDirectory(config.dataDir);
    if (directory && !hasDatabase(directory))
      return named(about, ok(`there is none in DATA_DIR ${directory.path} yet: the first start makes it`));
    const opening = openDatabase(
      { ...config, databaseStartTimeout: 0 },
      { embedded: 'shared', migrates: false },
    );
    const database = await Promise.race([opening, tooLate(openingMs)]).catch((error: unknown) => {
      opening.then((late) => late.close()).catch(() => {});
      throw error;
    });
    const checks = [{ about: 'settings', look: settingsFinding }, ...checksOfDatabase];
    const place = { config, clock, query: database.query<unknown>() };
    const found = await findingsOf(checks, place).finally(() => database.close());
    return [...named(about, ok(`${database.description} answers`)), ...found];
  } catch (error) {
    return [failed(about, error)];
  }
}

/** A table that is locked, for one, would be waited for without end. */
async function tooLate(openingMs: number): Promise<never> {
  await delay(openingMs, undefined, { ref: false });
  throw Object.assign(new Error(`${openingMs / 1_000} s`), { code: '57014' });
}

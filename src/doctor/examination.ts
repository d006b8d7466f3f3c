import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import { type Config, ConfigError, readConfig } from '../config.js';
import { hasDatabase } from '../database/embedded/cluster.js';
import { DataDirectory } from '../files/data-directory.js';
import { manifest } from '../files/project.js';
import { openDatabase } from '../startup/instance.js';
import { checksOfDatabase, checksOfOthers, checksOfProcess, failed, resultsOf } from './checks.js';
import { type Finding, ok, warning, wrong } from './finding.js';

const CONFIGURATION = 'configuration';
const SEE_CONFIGURATION = 'Correct the variable: docs/configuration.md has them all.';

/** Makes the checks of a start, without starting anything but an embedded database that does not run. */
export async function examine(
  clock: Clock,
  environment?: NodeJS.ProcessEnv,
  openingMs = 10_000,
): Promise<Finding[]> {
  const versions = ok('versions', `Steady ${manifest().version}, Node ${process.versions.node}`);
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [versions, ...error.problems.map((each) => wrong(CONFIGURATION, each, SEE_CONFIGURATION))];
  }
  return [
    versions,
    ok(CONFIGURATION, `every setting is allowed${config.production ? ', for production too' : ''}`),
    ...config.warnings.map((line) => warning(CONFIGURATION, line, 'See docs/configuration.md.')),
    ok('sign-up', `it is ${config.signUp}`),
    ...(await databaseFindings(config, clock, openingMs)),
    ...(await resultsOf(checksOfProcess(config))),
    ...(await resultsOf(checksOfOthers(config))),
  ];
}

async function databaseFindings(config: Config, clock: Clock, openingMs: number): Promise<Finding[]> {
  const about = 'database';
  try {
    const directory = config.databaseUrl ? undefined : new DataDirectory(config.dataDir);
    if (directory && !hasDatabase(directory))
      return [ok(about, `there is none in DATA_DIR ${directory.path} yet: the first start makes it`)];
    const opening = openDatabase(
      { ...config, databaseStartTimeout: 0 },
      { embedded: 'shared', migrates: false },
    );
    const database = await Promise.race([opening, tooLate(openingMs)]).catch((error: unknown) => {
      opening.then((late) => late.close()).catch(() => {});
      throw error;
    });
    const checks = checksOfDatabase(database.query(), config, clock);
    return await resultsOf([
      { about, look: () => ok(about, `${database.description} answers`) },
      ...checks,
    ]).finally(() => database.close());
  } catch (error) {
    return [failed(about, error)];
  }
}

/** A table that is locked, for one, would be waited for without end. */
async function tooLate(openingMs: number): Promise<never> {
  await delay(openingMs, undefined, { ref: false });
  throw Object.assign(new Error('it did not answer in time'), { code: '57014' });
}

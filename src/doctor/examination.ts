import type { Clock } from '../clock.js';
import { type Config, ConfigError, readConfig } from '../config.js';
import { explainStartError } from '../startup/start-errors.js';
import { ABOUT_BACKUPS, backupFindings } from './backups.js';
import { checksOfProcess, resultsOf } from './checks.js';
import { configurationFindings, faultFindings } from './configuration.js';
import { databaseFindings } from './database.js';
import { examined } from './examined.js';
import { type Finding, wrong } from './finding.js';
import { serviceFindings } from './service.js';
import { versionFinding } from './versions.js';

/** Looks at all that the service stands on, and changes nothing. */
export async function examine(clock: Clock, environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return [versionFinding(), ...faultFindings(error)];
    const message = `the examination failed: ${explainStartError(error)}`;
    return [wrong('doctor', message, 'If the reason does not tell, report it as a bug.')];
  }
  let birth: Date | undefined;
  const ofDatabase = async () => {
    const { findings, bornAt } = await databaseFindings(config, clock);
    birth = bornAt;
    return findings;
  };
  const settings = [versionFinding(), ...configurationFindings(config)];
  const database = await examined('database', ofDatabase);
  const backups = await examined('backups', () => backupFindings(config, clock.now(), birth));
  const service = await examined('service', () => serviceFindings(config, clock.now()));
  return [
    ...settings,
    ...database,
    ...withoutRepeated(backups, service),
    ...(await resultsOf(checksOfProcess(config))),
  ];
}

/** The folder and the service may both tell of one missing backup: it is said once, as wrong if either says so. */
function withoutRepeated(backups: Finding[], service: Finding[]): Finding[] {
  const isOfAge = ({ about }: Finding) => about === ABOUT_BACKUPS;
  const isWrong = (found: Finding) => isOfAge(found) && found.state === 'wrong';
  if (backups.some(isWrong)) return [...backups, ...service.filter((found) => !isOfAge(found))];
  if (service.some(isWrong))
    return [...backups.filter((found) => !isOfAge(found) || found.state !== 'ok'), ...service];
  return [...backups, ...service];
}

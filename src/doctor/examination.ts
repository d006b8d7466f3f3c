import type { Clock } from '../clock.js';
import { ConfigError, readConfig } from '../config.js';
import { explainStartError } from '../startup/start-errors.js';
import { backupFindings } from './backups.js';
import { configurationFindings, faultFindings } from './configuration.js';
import { databaseFindings } from './database.js';
import { type Finding, wrong } from './finding.js';
import { openFilesFinding } from './limits.js';
import { proxyFinding } from './proxies.js';
import { serviceFindings } from './service.js';
import { versionFinding } from './versions.js';

/** Looks at all that the service stands on, and changes nothing. */
export async function examine(clock: Clock, environment?: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const config = readConfig(environment);
    const settings = [versionFinding(), ...configurationFindings(config)];
    const { findings, bornAt } = await databaseFindings(config, clock);
    return [
      ...settings,
      ...findings,
      ...(await backupFindings(config, clock.now(), bornAt)),
      proxyFinding(config),
      ...openFilesFinding(config),
      ...(await serviceFindings(config)),
    ];
  } catch (error) {
    if (error instanceof ConfigError) return [versionFinding(), ...faultFindings(error)];
    const says = `the examination failed: ${explainStartError(error)}`;
    return [wrong('doctor', says, 'If the reason does not tell, report it as a bug.')];
  }
}

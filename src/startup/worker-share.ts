import { AT_WORK_OF_ONE } from '../config/fixed.js';
import type { Config } from '../config.js';

/** A connection for transactions and the events of subscriptions beside one for everything else. */
const LEAST_CONNECTIONS = 2;

/** What one worker may take of what the settings allow the service as a whole. Limits of one user stay as they are. */
export function shareOf(config: Config): Config {
  const { workers, limits, bodyLimit, importLimit } = config;
  const share = (whole: number, least = 1) => Math.max(least, Math.ceil(whole / workers));
  return {
    ...config,
    databasePoolSize: share(config.databasePoolSize, LEAST_CONNECTIONS),
    maxConnections: share(config.maxConnections),
    atWork: share(config.atWork, AT_WORK_OF_ONE),
    // Two of the maximum size always fit, and beside them a file that is imported.
    unfinishedLimit: share(config.unfinishedLimit, 2 * bodyLimit + importLimit),
    unreadLimit: share(config.unreadLimit, 2 * limits.answer),
    liveMaxPerProcess: share(config.liveMaxPerProcess),
  };
}

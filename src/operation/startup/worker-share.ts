import { AT_WORK_OF_ONE } from '../../base/config/fixed.js';
import type { Config } from '../../base/config.js';

/** A connection for transactions and the events of subscriptions beside one for everything else. */
const LEAST_CONNECTIONS = 2;

/** What one worker may take of what the settings allow the service as a whole. Limits of one user stay as they are. */
export function shareOf(config: Config): Config {
  const { workers } = config;
  const share = (whole: number, least = 1) => Math.max(least, Math.ceil(whole / workers));
  return {
    ...config,
    databasePoolSize: share(config.databasePoolSize, LEAST_CONNECTIONS),
    maxConnections: share(config.maxConnections),
    atWork: share(config.atWork, AT_WORK_OF_ONE),
    liveMaxPerProcess: share(config.liveMaxPerProcess),
  };
}

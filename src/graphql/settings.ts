import type { Logger } from 'pino';
import type { Clock } from '../base/clock.js';
import type { Config } from '../base/config.js';
import type { FairSemaphore } from '../base/queues/fair-semaphore.js';
import type { Database } from '../database/database.js';
import type { Trust } from '../http/address.js';
import type { Seen } from '../telemetry/trail.js';
import type { Callers } from './context.js';

/** What the GraphQL API needs of the service. */
export interface GraphqlSettings {
  config: Pick<
    Config,
    | 'bodyLimit'
    | 'corsOrigins'
    | 'fastPath'
    | 'limits'
    | 'liveHeartbeat'
    | 'liveMaxCost'
    | 'liveMaxPerProcess'
    | 'liveMaxOfStrangers'
    | 'liveMaxPerUser'
    | 'timeouts'
  >;
  clock: Clock;
  database: Pick<Database, 'asEvent'>;
  callers: Callers;
  /** Of admission. */
  semaphore: FairSemaphore;
  trusts: Trust;
  /** Called when an operation on a WebSocket is over. */
  seen: (seen: Seen) => void;
  log: Logger;
}

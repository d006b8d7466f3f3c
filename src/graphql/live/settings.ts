import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import type { GraphqlLimits } from '../../config.js';
import type { Caller } from '../../request.js';
import type { Seen } from '../../telemetry/observe.js';
import type { Identify } from '../context.js';
import type { TrustedDocuments } from '../trusted-documents.js';
import type { QuotaLimits } from './quota.js';

export interface LiveSettings {
  /** The caller whom an Authorization header authenticates; null if it is not valid. */
  identify: Identify;
  /** Calls `end` when the caller's token is taken back. Returns a function that cancels it. */
  watch: (caller: Caller, end: () => void) => () => void;
  /** The IP address of the client. */
  addressOf: (request: IncomingMessage) => string;
  /** Whether a page of that origin may open a WebSocket. */
  isWelcome: (request: IncomingMessage) => boolean;
  /** If set, only these documents are executed. */
  trustedDocuments?: TrustedDocuments | undefined;
  clock: Clock;
  bodyLimit: number;
  /** In bytes: how much of their messages all clients together may have sent before they are complete. */
  unfinishedLimit: number;
  /** The quota of open WebSockets. */
  sockets: QuotaLimits;
  limits: GraphqlLimits;
  /** The maximum number of operations under way on all WebSockets, without subscriptions. */
  maxRequests: number;
  /** In milliseconds: the interval between heartbeats. */
  heartbeat: number;
  /** Called when an operation on a WebSocket is over. */
  seen: (seen: Seen) => void;
  log: Logger;
}

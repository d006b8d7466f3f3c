import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import type { GraphqlLimits } from '../../config.js';
import type { TrustedDocuments } from '../trusted-documents.js';
import type { Most } from './places.js';

export interface Caller {
  userId: string;
  expiresAt: Date;
}

export interface LiveSettings {
  /** Whom an Authorization header speaks for; null when it is no good. */
  identify: (authorization: unknown) => Caller | null;
  /** Where a request comes from. */
  addressOf: (request: IncomingMessage) => string;
  /** Whether a page of that origin may open a WebSocket. */
  isWelcome: (request: IncomingMessage) => boolean;
  /** The only ones that are carried out; without it, any document is. */
  trustedDocuments?: TrustedDocuments | undefined;
  clock: Clock;
  bodyLimit: number;
  /** How many WebSockets may be open at a time. */
  sockets: Most;
  limits: GraphqlLimits;
  /** How many operations are carried out at a time on all WebSockets, save subscriptions. */
  maxRequests: number;
  /** In milliseconds, between signs of life on a connection on which nothing else happens. */
  heartbeat: number;
  log: Logger;
}

import type { Options, SqlMikroORM } from '@mikro-orm/postgresql';
import type { Sendable } from './statement.js';

/** The one channel that carries all announcements. */
export const CHANNEL = 'steady';

export interface Receiver {
  receive(text: string): void;
  /** The connection is lost: announcements are missed from now on. */
  lost?(): void;
  /** Listening again after an interruption; announcements may have been missed. */
  reconnected(): void;
}

export type StopListening = () => Promise<void>;

/** Resolves once it listens. */
export type Listen = (receiver: Receiver) => Promise<StopListening>;

/** The state of the connection pool. */
export interface Connections {
  open: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}

export interface Sender {
  /** Returns the rows. */
  send(statement: Sendable): Promise<unknown[]>;
}

/** The parts of a `Database`. */
export interface Backend {
  /** For the log line at the start; contains no secret. */
  description: string;
  listen: Listen;
  /** Sends statements past the query builder, with the same guard. */
  pool: Sender;
  /** Sends statements that only read. */
  reads: Sender;
  /** Whether the rows of users are on several servers: no statement changes several of their tables there. */
  isOnManyNodes: boolean;
  /** How many statements at a time may read for events. */
  shareOfEvents: number;
  /** The same database without the timeouts of requests, for long work. */
  maintenance: SqlMikroORM;
  /** Rejects unless the database answers soon. Must work even when the pool is busy. */
  probe: () => Promise<void>;
  /** Whether its last answer was lost or late. */
  isAway: () => boolean;
  /** Whether the last write, or the last new connection, found no room on its disk. */
  isFull: () => boolean;
  connections: () => Connections;
  afterClose: () => Promise<void>;
}

/** The entities and migrations of a database. */
export type Model = Pick<
  Options,
  'entities' | 'extensions' | 'metadataProvider' | 'migrations' | 'schemaGenerator'
>;

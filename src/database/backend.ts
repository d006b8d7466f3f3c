import type { SqlMikroORM } from '@mikro-orm/postgresql';

/** All announcements of the service go over one channel of the database. */
export const CHANNEL = 'steady';

export interface Receiver {
  receive(text: string): void;
  /** Listening again after a while in which announcements may have been missed. */
  reconnected(): void;
}

export type StopListening = () => Promise<void>;

/** Resolves once it listens. */
export type Listen = (receiver: Receiver) => Promise<StopListening>;

/** Connections of the pool. */
export interface Connections {
  open: number;
  idle: number;
  /** Statements that wait for one. */
  waiting: number;
}

/** What depends on where a database lives. */
export interface Backend {
  /** For the line at start: what it runs on, without any secret. */
  description: string;
  listen: Listen;
  /** How many statements at a time may read for events; one, unless it says more. */
  shareOfEvents?: number;
  /** The same database without the time limits of requests, for work that takes long. */
  maintenance?: SqlMikroORM;
  /** Rejects unless the database answers soon, however busy it is. */
  probe?: () => Promise<void>;
  /** Undefined where there is no pool. */
  connections?: () => Connections | undefined;
  afterClose?: () => void | Promise<void>;
}

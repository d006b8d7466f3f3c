import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Reason } from '../errors.js';

/** What is noted about a request on its way, for its line in the log and its metrics. */
export interface Trail {
  /** The request id: taken from `X-Request-Id` when well formed, else made. */
  id: string;
  /** In milliseconds, on the steady clock. */
  startedAt: number;
  /** The template from the route table, such as `/api/tasks/:taskId`; undefined where nothing is found. */
  route?: string;
  /** By its token, or the account that a log-in was for; null if neither is there. */
  userId?: string | null;
  address?: string;
  operation?: OperationTrail;
  /** Why it was refused. */
  reason?: Reason;
  /** Of a GraphQL error. */
  code?: string;
  /** Of an answer that bypasses Node's response: on a refused upgrade. */
  status?: number;
  /** Whether the answer goes on until the client leaves. */
  isStream?: boolean;
}

/** A GraphQL operation whose document is valid. */
export interface OperationTrail {
  type: 'query' | 'mutation' | 'subscription';
  /** Chosen by the client: for the log only. */
  name: string | undefined;
  rootFields: readonly string[];
  /** Whether it took the fast path. */
  isFast: boolean;
}

declare module 'node:http' {
  interface IncomingMessage {
    trail?: Trail;
  }
}

declare module 'node:stream' {
  interface Duplex {
    /** Of what has no answer of Node's: an upgrade, a tunnel, or bytes that are no request. */
    trail?: Trail;
  }
}

const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** A client's own id would otherwise forge log lines, or fill them. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID();
}

/** `userId` null: without a valid token. */
export function noteCaller(trail: Trail | undefined, userId: string | null, address?: string): void {
  if (!trail) return;
  trail.userId = userId;
  if (address !== undefined) trail.address = address;
}

export function noteRoute({ trail }: IncomingMessage, template: string): void {
  if (trail) trail.route = template;
}

import { Line } from '../../queues/line.js';
import { currentRequest } from '../../request.js';
import { NotSent, reasonNow } from '../outcome.js';
import type { RecurringTexts } from './recurring-texts.js';

/** The connections of a pool share this: what one has noticed holds for all. */
export interface Shared {
  /** When the server's clock was found to have stepped. */
  clockSteppedAt: number;
  /** Part of the names of statements. A new one is begun when a migration has made prepared statements stale. */
  generation: number;
  recurring: RecurringTexts;
  /** Counts the servers that have been left because they were read-only. */
  server: number;
  leftAt: number;
  /** When a connection was lost. Older ones may be lost too, so they are asked before they are lent. */
  lostAt: number;
  /** Whether the last answer was lost or late, or the last connection could not be made. */
  isAway: boolean;
  /** Whether the last write found no room on the disk of the database. */
  isFull: boolean;
}

/** A standby, or a server that is kept from writing. */
export const IS_READ_ONLY =
  "select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as answer";

/** Connections are made anew so often while the server stays read-only. */
const LEAVE_AFTER_MS = 1_000;

/** The server has become read-only, so it is not the primary any more: new connections may find the new one. */
export function leaveServer(shared: Shared): void {
  const now = performance.now();
  if (now - shared.leftAt < LEAVE_AFTER_MS) return;
  shared.leftAt = now;
  shared.server += 1;
}

export const preparedName = (name: string | undefined, { generation }: Shared): string | undefined =>
  name === undefined ? undefined : `${name}_${generation}`;

/** Where connections or reads are shared: users take turns. Work outside of requests has a turn like one more user. */
export const lineOf = (limits: { size?: number; ofOne: number }, shared: Shared): Line =>
  new Line({ ...limits, keepsSlot: true }, () => new NotSent(reasonNow(shared)));

export const ownerNow = (): string => currentRequest()?.asker ?? '';

import { Line } from '../../queues/line.js';
import { currentRequest, type Request } from '../../request.js';
import { NotSent, reasonNow } from '../outcome.js';
import type { RecurringTexts } from './recurring-texts.js';

/** What the connections of a pool share: what one has noticed holds for all. */
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

/** In milliseconds: how often connections are made anew while the server stays read-only. */
const LEAVE_AFTER = 1_000;

/** The server has become read-only, so it is not the primary any more: new connections may find the new one. */
export function leaveServer(shared: Shared): void {
  const now = performance.now();
  if (now - shared.leftAt < LEAVE_AFTER) return;
  shared.leftAt = now;
  shared.server += 1;
}

export const preparedName = (name: string | undefined, { generation }: Shared): string | undefined =>
  name === undefined ? undefined : `${name}_${generation}`;

interface Limits {
  /** How many connections, or reads, there are; no limit without it. */
  size?: number;
  /** How many requests of one user may have together, and how many one request. */
  ofUser: number;
  ofRequest: number;
}

/**
 * Shares connections fairly: a request waits behind its own statements, and then users take turns. Work outside of
 * requests has a turn like one more user, and no other limit.
 */
export class Shares {
  private readonly requests: Line<Request>;
  private readonly users: Line;

  constructor({ size = Infinity, ofUser, ofRequest }: Limits, shared: Shared) {
    const tooLate = () => new NotSent(reasonNow(shared));
    this.requests = new Line({ ofOne: ofRequest, keepsSlot: true }, tooLate);
    this.users = new Line({ size, ofOne: ofUser, keepsSlot: true }, tooLate);
  }

  /** How many wait. */
  get waiting(): number {
    return this.requests.waiting + this.users.waiting;
  }

  /** Waits for a share. `weight` is what it counts for its user. Returns a function that gives it back. */
  async take(weight = 1): Promise<() => void> {
    const request = currentRequest();
    if (!request) return this.users.enter('');
    const leaveRequest = await this.requests.enter(request);
    try {
      const leave = await this.users.enter(request.asker ?? '', weight);
      return () => {
        leave();
        leaveRequest();
      };
    } catch (error) {
      leaveRequest();
      throw error;
    }
  }
}

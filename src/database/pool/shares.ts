import { Line } from '../../queues/line.js';
import { currentRequest, type Request } from '../../request.js';
import { NotSent, reasonNow } from '../outcome.js';
import type { Shared } from './shared.js';

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

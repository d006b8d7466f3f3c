import { currentRequest, inLine, timeLeft } from '../../request.js';
import { NotSent, TIME_IS_UP } from '../outcome.js';

/** The shares of the connections: for one request, and for all requests of one user together. */
const sharesOf = (connections: number) => ({
  request: Math.max(1, Math.min(4, Math.floor(connections / 4))),
  asker: Math.max(1, Math.floor(connections / 2)),
});

/** Lets a few in at a time; the others queue. */
export class ShareQueue {
  private inside = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly limit: number) {}

  get isEmpty(): boolean {
    return this.inside === 0;
  }

  async enter(): Promise<void> {
    if (this.inside >= this.limit) return inLine(() => this.wait());
    this.inside += 1;
  }

  leave(): void {
    const [next] = this.waiting;
    if (next) next();
    else this.inside -= 1;
  }

  /** Waits for somebody to leave. */
  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        end();
        resolve();
      };
      let timer: NodeJS.Timeout | undefined;
      const look = () => {
        const left = timeLeft();
        if (left > 0 && left < Infinity) timer = setTimeout(look, left);
        if (left > 0) return;
        end();
        reject(new NotSent(TIME_IS_UP));
      };
      const end = () => {
        clearTimeout(timer);
        this.waiting.delete(enter);
      };
      this.waiting.add(enter);
      look();
    });
  }
}

/**
 * Shares connections fairly: a request waits behind its own statements, then behind other requests of its user, and
 * only then competes with other users. Work outside of requests is not limited.
 */
export class Shares {
  private readonly queues = new Map<unknown, ShareQueue>();
  private readonly limits: ReturnType<typeof sharesOf>;

  constructor(connections: number) {
    this.limits = sharesOf(connections);
  }

  /** Waits for a share. Returns a function that gives it back. */
  async take(): Promise<() => void> {
    const request = currentRequest();
    if (!request) return () => {};
    const leaveRequest = await this.enter(request, this.limits.request);
    if (request.asker === undefined) return leaveRequest;
    try {
      const leaveAsker = await this.enter(request.asker, this.limits.asker);
      return () => {
        leaveAsker();
        leaveRequest();
      };
    } catch (error) {
      leaveRequest();
      throw error;
    }
  }

  private async enter(name: unknown, limit: number): Promise<() => void> {
    const queue = this.queues.get(name) ?? new ShareQueue(limit);
    this.queues.set(name, queue);
    await queue.enter();
    return () => {
      queue.leave();
      if (queue.isEmpty) this.queues.delete(name);
    };
  }
}

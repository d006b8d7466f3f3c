import { overloaded } from './errors.js';
import { FairQueue } from './fair-queue.js';
import { inLine } from './request.js';

interface Waiting {
  begin: () => void;
  isGone: boolean;
}

/**
 * A line of our own, in which owners take turns: a few work at a time. Waiting does not count against the time of a
 * request for statements, and whoever has waited for too long is refused.
 */
export class Line {
  private readonly waiting = new FairQueue<Waiting>();
  private working = 0;

  constructor(
    private readonly size: number,
    /** In milliseconds. */
    private readonly longestWait: number,
  ) {}

  async hold<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.working < this.size) this.working += 1;
    else await inLine(() => this.turnOf(owner));
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  private turnOf(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { begin: resolve, isGone: false };
      const timer = setTimeout(() => {
        waiting.isGone = true;
        reject(overloaded());
      }, this.longestWait);
      waiting.begin = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.add(owner, waiting);
    });
  }

  private pass(): void {
    let next = this.waiting.take();
    while (next?.isGone) next = this.waiting.take();
    if (next) next.begin();
    else this.working -= 1;
  }
}

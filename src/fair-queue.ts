import { overloaded } from './errors.js';
import { inLine } from './request.js';

/** A queue in which owners take turns, however many items each of them has waiting. */
export class FairQueue<Item> {
  /** The first entry is the owner whose turn is next. */
  private readonly queues = new Map<string, Item[]>();

  add(owner: string, item: Item): void {
    const queue = this.queues.get(owner);
    if (queue) queue.push(item);
    else this.queues.set(owner, [item]);
  }

  get size(): number {
    let size = 0;
    for (const queue of this.queues.values()) size += queue.length;
    return size;
  }

  /**
   * Removes the last item that may go of the owner with the most items, if that is more than `owner` has with its new
   * one. Owners without such an item are passed over.
   */
  makeRoomFor(owner: string, mayGo: (item: Item) => boolean = () => true): Item | undefined {
    let longest: Item[] = this.queues.get(owner) ?? [];
    let place = -1;
    for (const queue of this.queues.values()) {
      if (queue.length <= longest.length + 1) continue;
      const last = queue.findLastIndex(mayGo);
      if (last >= 0) [longest, place] = [queue, last];
    }
    return place < 0 ? undefined : longest.splice(place, 1)[0];
  }

  /** The first item of the next owner whose first item may go. */
  take(mayGo: (item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, queue] of this.queues) {
      const [item] = queue;
      if (item === undefined || !mayGo(item)) continue;
      queue.shift();
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      return item;
    }
    return undefined;
  }
}

/** A semaphore with a fair queue. Waiting has no deadline. */
export class FairSemaphore {
  private readonly queue = new FairQueue<() => void>();
  private taken = 0;

  constructor(private readonly size: number) {}

  async hold<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.taken < this.size) this.taken += 1;
    else await new Promise<void>((begin) => this.queue.add(owner, begin));
    try {
      return await work();
    } finally {
      const next = this.queue.take();
      if (next) next();
      else this.taken -= 1;
    }
  }
}

interface Waiting {
  owner: string;
  begin: () => void;
  isGone: boolean;
}

/**
 * A line of our own, in which owners take turns: a few work at a time, and of each owner one, who may have to wait for
 * a lock of his own. Waiting does not count against the time of a request for statements, and whoever has waited for
 * too long is refused.
 */
export class Line {
  private readonly waiting = new FairQueue<Waiting>();
  private readonly atWork = new Set<string>();

  constructor(
    private readonly size: number,
    /** In milliseconds. */
    private readonly longestWait: number,
  ) {}

  async hold<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.mayBegin(owner)) this.atWork.add(owner);
    else await inLine(() => this.turnOf(owner));
    try {
      return await work();
    } finally {
      this.atWork.delete(owner);
      this.callNext();
    }
  }

  private mayBegin(owner: string): boolean {
    return this.atWork.size < this.size && !this.atWork.has(owner);
  }

  private turnOf(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { owner, begin: resolve, isGone: false };
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

  private callNext(): void {
    for (;;) {
      const next = this.waiting.take(({ owner, isGone }) => isGone || this.mayBegin(owner));
      if (!next) return;
      if (next.isGone) continue;
      this.atWork.add(next.owner);
      next.begin();
    }
  }
}

import { FairQueue } from '../fair-queue.js';

/** In milliseconds: how long a turn goes on to begin requests. A turn for each would cost as much as a small request. */
const TURN = 1;

interface Waiting {
  owner: string;
  work: () => void;
  turnAway: (() => void) | undefined;
}

/**
 * Begins requests, a few in each turn of the event loop. To begin one takes much longer than to refuse one, to answer
 * a health check or to accept a connection, and many in a turn would delay those.
 */
export class Turns {
  private readonly waiting = new FairQueue<Waiting>();
  private isDue = false;

  constructor(private readonly mayBegin: (owner: string) => boolean) {}

  /** Without `turnAway`, it keeps its place. */
  take(owner: string, work: () => void, turnAway?: () => void): void {
    this.waiting.add(owner, { owner, work, turnAway });
    this.goOn();
  }

  /**
   * Turns away the last in line of the owner with the most, if that is more than the newcomer's owner has. So nobody
   * shuts others out by asking often. The unnamed owner is many, and loses nothing.
   */
  makeRoomFor(owner: string): void {
    const last = this.waiting.makeRoomFor(owner, (item) => item.owner !== '' && item.turnAway !== undefined);
    last?.turnAway?.();
  }

  goOn(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      const until = performance.now() + TURN;
      do {
        const next = this.waiting.take(({ owner }) => this.mayBegin(owner));
        if (!next) return; // until a request at work has ended
        next.work();
      } while (performance.now() < until);
      this.goOn();
    });
  }
}

import { AT_WORK, AT_WORK_OF_ONE } from '../config/fixed.js';
import type { Slot } from '../request.js';
import { Counts, FairQueue } from './line.js';

export interface SlotSettings {
  /** The number of slots: requests that are at work or wait for it. */
  limit: number;
  /** The maximum number of requests at work. */
  atWork?: number;
  /** In milliseconds: a request that has waited longer is refused, since its answer would come too late. */
  longestWait: number;
}

type State = 'away' | 'waiting' | 'atWork' | 'done';

interface Entry {
  owner: string;
  begin: () => void;
  refuse: () => void;
}

/** In milliseconds: how long a turn goes on to begin requests. A turn for each would cost as much as a small request. */
const TURN = 1;

/**
 * The slots of requests, or of operations on WebSockets. Begins a few in each turn of the event loop, owners in turn:
 * to begin one takes much longer than to refuse one, to answer a health check or to accept a connection, and many in a
 * turn would delay those.
 */
export class Slots {
  private readonly waiting = new FairQueue<Entry>();
  private readonly atWork = new Counts();
  private inside = 0;
  private isDue = false;

  constructor(readonly settings: SlotSettings) {}

  /**
   * Without room, it refuses the last in line of the owner with the most, if that is more than the newcomer's
   * owner has. So nobody shuts others out by asking often.
   */
  makeRoomFor(owner: string): boolean {
    const { limit } = this.settings;
    if (this.inside >= limit) this.waiting.makeRoomFor(owner)?.refuse();
    return this.inside < limit;
  }

  schedule(entry: Entry): void {
    this.waiting.add(entry.owner, entry);
    this.goOn();
  }

  count(owner: string, state: State, by: 1 | -1): void {
    if (state === 'waiting' || state === 'atWork') this.inside += by;
    if (state !== 'atWork') return;
    this.atWork.add(owner, by);
    if (by < 0) this.goOn();
  }

  private goOn(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      const until = performance.now() + TURN;
      do {
        const next = this.waiting.take(({ owner }) => this.mayBegin(owner));
        if (!next) return; // until one at work has ended
        next.begin();
      } while (performance.now() < until);
      this.goOn();
    });
  }

  private mayBegin(owner: string): boolean {
    const { atWork = AT_WORK } = this.settings;
    return this.atWork.total < atWork && this.atWork.of(owner) < AT_WORK_OF_ONE;
  }
}

/** The slot of a request or of an operation: it is held while that waits or is at work. */
export abstract class HeldSlot implements Slot {
  protected state: State = 'away';
  /** How often it has left: parts of one work may wait in lines side by side. */
  private left = 0;

  constructor(
    private readonly slots: Slots,
    private readonly owner: string,
  ) {}

  /** Whether nobody waits for the answer any more. */
  protected abstract readonly isOver: boolean;

  abstract hold(bytes: number): void;

  /** There is no room for it, or it has waited for too long. */
  protected abstract refuse(): void;

  leave(): void {
    this.left += 1;
    if (this.state === 'atWork') this.move('away');
  }

  takeBack(): void {
    this.left -= 1;
    if (this.left === 0 && this.state === 'away') this.move('atWork');
  }

  comeBack(goOn: () => void): void {
    this.left -= 1;
    if (this.isOver || this.state === 'done') return;
    if (this.slots.makeRoomFor(this.owner)) this.wait(goOn);
    else this.refuse();
  }

  endsWith(work: Promise<unknown>): void {
    const end = () => this.move('done');
    work.then(end, end);
  }

  /** Waits for a turn at work. */
  protected wait(work: () => void, refuse = () => this.refuse()): void {
    const { owner, slots } = this;
    const cameAt = performance.now();
    this.move('waiting');
    const begin = () => {
      if (this.isOver || performance.now() - cameAt > slots.settings.longestWait) return refuse();
      this.move('atWork');
      work();
    };
    slots.schedule({ owner, begin, refuse });
  }

  protected move(to: State): void {
    if (this.state === 'done' || this.state === to) return;
    this.slots.count(this.owner, this.state, -1);
    this.state = to;
    this.slots.count(this.owner, to, 1);
  }
}

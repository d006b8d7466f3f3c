import { unavailable } from '../errors.js';
import {
  currentRequest,
  currentVisit,
  inLine,
  isPointless,
  outcomeSoFar,
  type Request,
  untimed,
  waitLeft,
} from '../request.js';

interface Limits {
  /** How many are inside at a time. */
  size?: number;
  /** How many of one owner. */
  ofOne?: number;
  /** How much may begin in one turn of the event loop, so that a crowd does not hold up everything else. */
  perTurn?: number;
  /** How many may be inside or wait. With more, the last one of the owner with the most waiting is refused. */
  room?: number;
  /** How long somebody may wait whose work has not begun, so that no deadline is known yet. */
  longestWaitMs?: number;
  /** Whether a request keeps its slot while it waits: where slots are what bounds this line. */
  keepsSlot?: boolean;
}

interface Waiting<Owner> {
  owner: Owner;
  weight: number;
  /** Whether it has waited for too long, or its client has gone. */
  isTooLate: () => boolean;
  begin: () => void;
  giveUp: () => void;
}

/** The error of a request that has waited for too long, or whose client has gone. */
type TooLate = (request: Request | null) => Error;

const overloaded: TooLate = (request) => unavailable(outcomeSoFar(request), 'OVERLOADED');

/**
 * The one kind of line in which work waits for its turn: a few are inside at a time, owners take turns, and of each
 * owner there may be fewer. The empty owner is many, and has no limit of its own. What is heavy counts as several; an
 * owner with nothing inside may begin with any weight.
 *
 * A request waits as long as its time for waiting lasts, which does not count against its statements. With `tooLate`
 * null, and outside of requests, everybody waits for as long as it takes, unless the line has a limit of its own.
 */
export class Line<Owner = string> {
  private readonly queue = new FairQueue<Waiting<Owner>, Owner>();
  private readonly inside = new Counts<Owner>();
  private begunInTurn = 0;

  constructor(
    private readonly limits: Limits,
    private readonly tooLate: TooLate | null = overloaded,
  ) {}

  /** How many wait. */
  get waiting(): number {
    return this.queue.size;
  }

  async hold<T>(owner: Owner, work: () => T | Promise<T>, weight?: number): Promise<T> {
    const leave = await this.enter(owner, weight);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Waits for a place. Returns a function that gives it back, to be called once. */
  async enter(owner: Owner, weight = 1): Promise<() => void> {
    const request = this.tooLate && currentRequest();
    if (this.tooLate && isPointless(request)) throw this.tooLate(request);
    this.makeRoomFor(owner, request);
    // Not before others of its owner: small ones would keep a heavy one from ever beginning.
    if (!this.queue.has(owner) && this.mayBegin(owner, weight)) this.begin(owner, weight);
    else await (this.limits.keepsSlot ? untimed : inLine)(() => this.turnOf(owner, weight, request));
    return this.leaving(owner, weight);
  }

  /** Takes a place whether there is one or not, for whoever has waited elsewhere. */
  enterAtOnce(owner: Owner, weight = 1): () => void {
    this.inside.add(owner, weight);
    return this.leaving(owner, weight);
  }

  private leaving(owner: Owner, weight: number): () => void {
    return () => {
      this.inside.add(owner, -weight);
      this.callNext();
    };
  }

  /** So nobody shuts others out by asking often. */
  private makeRoomFor(owner: Owner, request: Request | null): void {
    const { room = Infinity } = this.limits;
    if (room === Infinity || this.inside.total + this.queue.size < room) return;
    const last = this.queue.makeRoomFor(owner);
    if (!last) throw (this.tooLate ?? overloaded)(request);
    last.giveUp();
  }

  private mayBegin(owner: Owner, weight: number): boolean {
    const { size = Infinity, ofOne = Infinity, perTurn = Infinity } = this.limits;
    const own = this.inside.of(owner);
    return (
      this.inside.total < size &&
      this.begunInTurn < perTurn &&
      (owner === '' || own === 0 || own + weight <= ofOne)
    );
  }

  private begin(owner: Owner, weight: number): void {
    this.inside.add(owner, weight);
    if (!this.limits.perTurn) return;
    if (this.begunInTurn === 0) setImmediate(() => this.nextTurn());
    this.begunInTurn += weight;
  }

  private nextTurn(): void {
    this.begunInTurn = 0;
    this.callNext();
  }

  private turnOf(owner: Owner, weight: number, request: Request | null): Promise<void> {
    const visit = this.tooLate && currentVisit();
    const waitMs = request ? waitLeft(request) : (this.limits.longestWaitMs ?? Infinity);
    const until = performance.now() + waitMs;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiting: Waiting<Owner> = {
        owner,
        weight,
        isTooLate: () =>
          performance.now() > until || (request ? isPointless(request) : visit?.isAbandoned()) === true,
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        giveUp: () => {
          clearTimeout(timer);
          reject(this.tooLate?.(request));
        },
      };
      const leave = () => {
        this.queue.remove(owner, waiting);
        waiting.giveUp();
        this.callNext(); // what was behind it may be lighter
      };
      if (waitMs < Infinity) timer = setTimeout(leave, Math.max(0, waitMs));
      this.queue.add(owner, waiting);
    });
  }

  private callNext(): void {
    for (;;) {
      const next = this.queue.take((each) => this.mayBegin(each.owner, each.weight));
      if (!next) return;
      if (next.isTooLate()) {
        next.giveUp();
        continue;
      }
      this.begin(next.owner, next.weight);
      next.begin();
    }
  }
}

/** A queue in which owners take turns, however many items each of them has waiting. */
class FairQueue<Item, Owner = string> {
  /** The first entry is the owner whose turn is next. */
  private readonly queues = new Map<Owner, Item[]>();

  add(owner: Owner, item: Item): void {
    const queue = this.queues.get(owner);
    if (queue) queue.push(item);
    else this.queues.set(owner, [item]);
  }

  has(owner: Owner): boolean {
    return this.queues.has(owner);
  }

  remove(owner: Owner, item: Item): void {
    const queue = this.queues.get(owner);
    const place = queue?.indexOf(item) ?? -1;
    if (place >= 0) queue?.splice(place, 1);
    if (queue?.length === 0) this.queues.delete(owner);
  }

  get size(): number {
    let size = 0;
    for (const queue of this.queues.values()) size += queue.length;
    return size;
  }

  /** Removes the last item of the owner with the most, if that is more than `owner` has with its new one. */
  makeRoomFor(owner: Owner): Item | undefined {
    const own = (this.queues.get(owner)?.length ?? 0) + 1;
    let longest: Item[] = [];
    for (const queue of this.queues.values()) {
      if (queue.length > Math.max(own, longest.length)) longest = queue;
    }
    return longest.pop();
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

/** How much each owner has of something. An owner without any takes no memory. */
export class Counts<Owner = string> {
  private readonly counts = new Map<Owner, number>();
  /** What all of them have together. */
  total = 0;

  of(owner: Owner): number {
    return this.counts.get(owner) ?? 0;
  }

  add(owner: Owner, by: number): void {
    this.total += by;
    const sum = this.of(owner) + by;
    if (sum > 0) this.counts.set(owner, sum);
    else this.counts.delete(owner);
  }
}

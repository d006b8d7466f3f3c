import { tooManyAtOnce, unavailable } from '../errors.js';
import {
  currentRequest,
  currentVisit,
  isPointless,
  outcomeSoFar,
  type Request,
  suspended,
  untimed,
  waitLeft,
} from '../request.js';

interface Limits {
  /** How many are inside at a time. */
  size?: number;
  /** How many of one owner. */
  ofOne?: number;
  /** How much may begin in one turn of the event loop, so that a crowd does not hold up everything else. */
  perTick?: number;
  /** For how long one turn goes on to begin more: the first of a turn always begins. */
  tickMs?: number;
  /** How many may be inside or wait. With more, the last one of the owner with the most waiting is refused. */
  room?: number;
  /** How long somebody may wait whose work has not begun, so that no deadline is known yet. */
  longestWaitMs?: number;
  /** Whether a request keeps its permit while it waits: where permits are what bounds this queue. */
  keepsPermit?: boolean;
}

/** Gives a permit back, to be called once. */
export type Release = () => void;

/** Exactly one of the two is called, as soon as the queue has decided. */
interface Waiter {
  begin: (release: Release) => void;
  refuse: (error: Error) => void;
}

interface Waiting<Owner> {
  owner: Owner;
  weight: number;
  /** Whether it has waited for too long, or its client has gone. */
  isTooLate: () => boolean;
  begin: Waiter['begin'];
  giveUp: () => void;
}

/** The error of a request that has waited for too long, or whose client has gone. */
type TooLate = (request: Request | null) => Error;

const overloaded: TooLate = (request) => unavailable(outcomeSoFar(request), 'OVERLOADED');

/**
 * The one kind of queue in which work waits for its turn: a few are inside at a time, owners take turns, and of each
 * owner there may be fewer. The empty owner is many, and has no limit of its own. What is heavy counts as several; an
 * owner with nothing inside may begin with any weight.
 *
 * A request waits as long as its time for waiting lasts, which does not count against its statements. With `tooLate`
 * null, and outside of requests, everybody waits for as long as it takes, unless the queue has a limit of its own.
 */
export class FairSemaphore<Owner = string> {
  private readonly queue = new FairQueue<Waiting<Owner>, Owner>();
  private readonly inside = new Counts<Owner>();
  private begunInTick = 0;
  private tickBegunAt = 0;

  constructor(
    private readonly limits: Limits,
    private readonly tooLate: TooLate | null = overloaded,
  ) {}

  /** How many wait. */
  get waiting(): number {
    return this.queue.size;
  }

  async withPermit<T>(owner: Owner, work: () => T | Promise<T>, weight?: number): Promise<T> {
    const release = await this.acquire(owner, weight);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Takes a permit if nobody has to wait for it; undefined otherwise. */
  tryAcquire(owner: Owner, weight = 1): Release | undefined {
    if (this.tooLate && isPointless(currentRequest())) return undefined;
    // Not before others of its owner: small ones would keep a heavy one from ever beginning.
    const mayBegin = !this.queue.has(owner) && this.isOpen && this.mayBegin(owner, weight);
    return mayBegin && this.hasRoom ? this.begin(owner, weight) : undefined;
  }

  /** Waits for a permit. */
  async acquire(owner: Owner, weight = 1): Promise<Release> {
    const wait = () => new Promise<Release>((begin, refuse) => this.wait(owner, { begin, refuse }, weight));
    return this.tryAcquire(owner, weight) ?? (this.limits.keepsPermit ? untimed : suspended)(wait);
  }

  /**
   * Waits without a promise: begins as soon as a permit is free, in the middle of what gives it back. Answers with how
   * to leave the queue, after which nothing is called.
   */
  wait(owner: Owner, waiter: Waiter, weight = 1): () => void {
    const request = this.tooLate && currentRequest();
    const error = () => (this.tooLate ?? overloaded)(request);
    const isLate = this.tooLate !== null && isPointless(request);
    if (isLate || !this.makeRoomFor(owner)) {
      waiter.refuse(error());
      return () => {};
    }
    const visit = this.tooLate && currentVisit();
    const waitMs = request ? waitLeft(request) : (this.limits.longestWaitMs ?? Infinity);
    const until = performance.now() + waitMs;
    let timer: NodeJS.Timeout | undefined;
    const waiting: Waiting<Owner> = {
      owner,
      weight,
      isTooLate: () =>
        performance.now() > until || (request ? isPointless(request) : visit?.isAbandoned()) === true,
      begin: (release) => {
        clearTimeout(timer);
        waiter.begin(release);
      },
      giveUp: () => {
        clearTimeout(timer);
        waiter.refuse(error());
      },
    };
    const leave = () => {
      clearTimeout(timer);
      this.queue.remove(owner, waiting);
      this.callNext();
    };
    const stop = () => {
      this.queue.remove(owner, waiting);
      waiting.giveUp();
      this.callNext(); // what was behind it may be lighter
    };
    if (waitMs < Infinity) timer = setTimeout(stop, Math.max(0, waitMs));
    this.queue.add(owner, waiting);
    this.callNext(); // somebody else may just have been refused for it
    return leave;
  }

  /** So nobody shuts others out by asking often. */
  private makeRoomFor(owner: Owner): boolean {
    if (this.hasRoom) return true;
    const last = this.queue.makeRoomFor(owner);
    last?.giveUp();
    return last !== undefined;
  }

  /** Takes a permit whether there is one or not, for whoever has waited elsewhere. */
  acquireAnyway(owner: Owner, weight = 1): Release {
    this.inside.add(owner, weight);
    return this.leaving(owner, weight);
  }

  private leaving(owner: Owner, weight: number): Release {
    return () => {
      this.inside.add(owner, -weight);
      this.callNext();
    };
  }

  private get hasRoom(): boolean {
    const { room = Infinity } = this.limits;
    return this.inside.total + this.queue.size < room;
  }

  /** Whether anybody may begin in this turn. */
  private get isOpen(): boolean {
    const { size = Infinity, perTick = Infinity, tickMs = Infinity } = this.limits;
    if (this.inside.total >= size || this.begunInTick >= perTick) return false;
    return tickMs === Infinity || this.begunInTick === 0 || performance.now() - this.tickBegunAt < tickMs;
  }

  /** Whether the owner has not too much inside. */
  private mayBegin(owner: Owner, weight: number): boolean {
    const { ofOne = Infinity } = this.limits;
    const own = this.inside.of(owner);
    return owner === '' || own === 0 || own + weight <= ofOne;
  }

  private begin(owner: Owner, weight: number): Release {
    const { perTick, tickMs } = this.limits;
    this.inside.add(owner, weight);
    if (perTick !== undefined || tickMs !== undefined) {
      if (this.begunInTick === 0) {
        this.tickBegunAt = performance.now();
        setImmediate(() => this.nextTick());
      }
      this.begunInTick += weight;
    }
    return this.leaving(owner, weight);
  }

  private nextTick(): void {
    this.begunInTick = 0;
    this.callNext();
  }

  private callNext(): void {
    while (this.queue.size > 0 && this.isOpen) {
      const next = this.queue.take((each) => this.mayBegin(each.owner, each.weight));
      if (!next) return;
      if (next.isTooLate()) next.giveUp();
      else next.begin(this.begin(next.owner, next.weight));
    }
  }
}

interface OwnItems<Item, Owner> {
  owner: Owner;
  items: Item[];
}

/**
 * A queue in which owners take turns, however many items each of them has waiting. No Map of items: see
 * docs/performance.md.
 */
class FairQueue<Item, Owner = string> {
  /** The first one is next. */
  private readonly owners: OwnItems<Item, Owner>[] = [];
  private readonly counts = new Counts<Owner>();

  /** How many wait. */
  get size(): number {
    return this.counts.total;
  }

  add(owner: Owner, item: Item): void {
    const items = this.has(owner) && this.owners.find((each) => each.owner === owner)?.items;
    if (items) items.push(item);
    else this.owners.push({ owner, items: [item] });
    this.counts.add(owner, 1);
  }

  has(owner: Owner): boolean {
    return this.counts.of(owner) > 0;
  }

  remove(owner: Owner, item: Item): void {
    const at = this.owners.findIndex((each) => each.owner === owner);
    const items = this.owners[at]?.items ?? [];
    const index = items.indexOf(item);
    if (index < 0) return;
    items.splice(index, 1);
    this.counts.add(owner, -1);
    if (items.length === 0) this.owners.splice(at, 1);
  }

  /** Removes the last item of the owner with the most, if that is more than `owner` has with its new one. */
  makeRoomFor(owner: Owner): Item | undefined {
    const own = this.counts.of(owner) + 1;
    let longest: OwnItems<Item, Owner> | undefined;
    for (const first of this.owners) {
      if (first.items.length > Math.max(own, longest?.items.length ?? 0)) longest = first;
    }
    if (longest) this.counts.add(longest.owner, -1);
    return longest?.items.pop();
  }

  /** The first item of the next owner whose first item may go. */
  take(mayGo: (item: Item) => boolean): Item | undefined {
    const at = this.owners.findIndex(({ items: [item] }) => item !== undefined && mayGo(item));
    const [first] = at < 0 ? [] : this.owners.splice(at, 1);
    if (!first) return undefined;
    const item = first.items.shift();
    this.counts.add(first.owner, -1);
    if (first.items.length > 0) this.owners.push(first);
    return item;
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

  ownersWith(least: number): Owner[] {
    return [...this.counts].flatMap(([owner, count]) => (count >= least ? [owner] : []));
  }
}

/** A quota: limits how much one user, and all users together, may hold at a time. */
export class Quota {
  private readonly taken = new Counts();

  constructor(
    private readonly what: string,
    private readonly ofOne: number,
    private readonly ofAll = Infinity,
  ) {}

  /** Refuses what is too much. All callers without an account count as one user. */
  check(userId: string | null, amount = 1): void {
    const { ofOne, ofAll, what } = this;
    if (this.taken.of(userId ?? '') + amount > ofOne)
      throw tooManyAtOnce(`At most ${ofOne} ${what} at a time for one user`);
    if (this.taken.total + amount > ofAll) throw unavailable('NOT_APPLIED', 'OVERLOADED');
  }

  /** Returns a function that gives it back, to be called once. */
  take(userId: string | null, amount = 1): () => void {
    this.check(userId, amount);
    this.taken.add(userId ?? '', amount);
    return () => this.taken.add(userId ?? '', -amount);
  }

  isTakenBy(userId: string | null): boolean {
    return this.taken.of(userId ?? '') > 0;
  }
}

import { overloaded, tooManyAtOnce } from '../../errors.js';
import { FairQueue } from '../../queues/line.js';

/** A quota: limits how much one user, and all users together, may hold at a time. */
export class Quota {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly what: string,
    private readonly ofOne: number,
    private readonly ofAll = Infinity,
  ) {}

  /**
   * Takes an amount. Returns a function that gives it back once. All callers without an account count as one user.
   */
  take(userId: string | null, amount = 1): () => void {
    const user = userId ?? '';
    const { ofOne, ofAll } = this;
    if (this.takenBy(user) + amount > ofOne)
      throw tooManyAtOnce(`At most ${ofOne} ${this.what} at a time for one user`);
    if (this.total + amount > ofAll) throw overloaded();
    this.count(user, amount);
    let isTaken = true;
    return () => {
      if (isTaken) this.count(user, -amount);
      isTaken = false;
    };
  }

  isTakenBy(user: string): boolean {
    return this.taken.has(user);
  }

  private takenBy(user: string): number {
    return this.taken.get(user) ?? 0;
  }

  private count(user: string, amount: number): void {
    this.total += amount;
    const left = this.takenBy(user) + amount;
    if (left > 0) this.taken.set(user, left);
    else this.taken.delete(user);
  }
}

/**
 * In units of cost: what may begin in one turn of the event loop, and what may be under way for one user and for all.
 * A user with nothing under way may begin an operation of any cost.
 */
const LIMITS = { inTurn: 250, ofOne: 1_000, ofAll: 20_000 };

/** The cost of parsing so many characters. */
export const costOfReading = (characters: number) => Math.ceil(characters / 10);

interface Waiting {
  owner: string;
  cost: number;
  begin: () => void;
}

/**
 * Schedules the work that events cause. A little begins in each turn of the event loop, and the work under way is
 * limited, so that an event with many subscribers does not delay requests. Users take turns. Work that waits is never
 * dropped.
 */
export class OperationTurns {
  private readonly waiting = new FairQueue<Waiting>();
  private readonly underWay = new Map<string, number>();
  private total = 0;
  private inTurn = 0;

  async take<T>(owner: string, cost: number, work: () => T | Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.waiting.add(owner, { owner, cost, begin });
      this.goOn();
    });
    try {
      return await work();
    } finally {
      this.count(owner, -cost);
      this.goOn();
    }
  }

  private goOn(): void {
    while (this.inTurn < LIMITS.inTurn && this.total < LIMITS.ofAll) {
      const next = this.waiting.take((each) => this.mayBegin(each));
      if (!next) return; // the next arrival or completion calls this again
      if (this.inTurn === 0) setImmediate(() => this.nextTurn());
      this.inTurn += next.cost;
      this.count(next.owner, next.cost);
      next.begin();
    }
  }

  private nextTurn(): void {
    this.inTurn = 0;
    this.goOn();
  }

  private mayBegin({ owner, cost }: Waiting): boolean {
    const before = this.underWay.get(owner) ?? 0;
    return before === 0 || before + cost <= LIMITS.ofOne;
  }

  private count(owner: string, cost: number): void {
    this.total += cost;
    const left = (this.underWay.get(owner) ?? 0) + cost;
    if (left > 0) this.underWay.set(owner, left);
    else this.underWay.delete(owner);
  }
}

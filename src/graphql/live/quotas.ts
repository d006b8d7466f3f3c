import { overloaded, tooManyAtOnce } from '../../errors.js';
import { Counts, Line } from '../../queues/line.js';

/** A quota: limits how much one user, and all users together, may hold at a time. */
export class Quota {
  private readonly taken = new Counts();

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
    if (this.taken.of(user) + amount > ofOne)
      throw tooManyAtOnce(`At most ${ofOne} ${this.what} at a time for one user`);
    if (this.taken.total + amount > ofAll) throw overloaded();
    this.taken.add(user, amount);
    let isTaken = true;
    return () => {
      if (isTaken) this.taken.add(user, -amount);
      isTaken = false;
    };
  }

  isTakenBy(user: string): boolean {
    return this.taken.of(user) > 0;
  }
}

/**
 * In units of cost: what may begin in one turn of the event loop, and what may be under way for one user and for all.
 * A user with nothing under way may begin an operation of any cost.
 */
const LIMITS = { perTurn: 250, ofOne: 1_000, size: 20_000 };

/**
 * The line of the work that events cause: a little begins in each turn of the event loop, and users take turns. Work
 * that waits is never dropped.
 */
export const lineOfOperations = () => new Line({ ...LIMITS, keepsSlot: true }, null);

import { overloaded, tooManyAtOnce } from '../../errors.js';

/** Limits for one user, and for all users together. */
export interface QuotaLimits {
  ofOne: number;
  ofAll: number;
}

/** A quota: limits how much one user, and all users together, may hold at a time. */
export class Quota {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly what: string,
    private readonly limits: QuotaLimits,
  ) {}

  /**
   * Takes an amount. Returns a function that gives it back once. All callers without an account count as one user.
   */
  take(userId: string | null, amount = 1): () => void {
    const user = userId ?? '';
    const { ofOne, ofAll } = this.limits;
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

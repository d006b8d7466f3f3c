import { Refusal, unavailable } from '../../errors.js';

/** By one user, and by all of them. */
export interface Most {
  ofOne: number;
  ofAll: number;
}

/** What may be taken only so many times at once. */
export class Places {
  private readonly taken = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly what: string,
    private readonly most: Most,
  ) {}

  /** Answers how to give them back, once. Whoever has no account is one user together with all others. */
  take(userId: string | null, amount = 1): () => void {
    const user = userId ?? '';
    const { ofOne, ofAll } = this.most;
    if (this.takenBy(user) + amount > ofOne)
      throw new Refusal('throttled', `At most ${ofOne} ${this.what} at a time for one user`);
    if (this.total + amount > ofAll) throw unavailable('NOT_APPLIED');
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

/** The first pause, and the longest, in milliseconds. Each is twice the one before. */
interface Pauses {
  first: number;
  last: number;
}

/** The pauses between attempts that fail. */
export class BackOff {
  private failures = 0;

  constructor(private readonly pauses: Pauses) {}

  /** In milliseconds. */
  next(): number {
    const { first, last } = this.pauses;
    const pause = Math.min(first * 2 ** this.failures, last);
    this.failures += 1;
    return pause;
  }

  /** The next delay with jitter: processes that fail together should not all try again together. */
  nextWithJitter(): number {
    return this.next() * (0.5 + Math.random() / 2);
  }

  get hasFailed(): boolean {
    return this.failures > 0;
  }

  /** After a success. */
  reset(): void {
    this.failures = 0;
  }
}

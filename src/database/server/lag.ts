interface Written {
  /** In milliseconds. */
  at: number;
  /** In bytes of WAL. */
  position: number;
}

/** More than is needed for minutes; beyond it, half of what is known of long ago is forgotten. */
const MOST = 1_000;

/**
 * How long a standby has been without what the primary has. By our own clock: those of two servers differ, and a
 * primary on which nothing happens has no time of its own.
 */
export class Lag {
  /** What the primary had, oldest first. */
  private written: Written[] = [];
  private hasCaughtUp = false;
  private heardAt = Number.NEGATIVE_INFINITY;

  /** The primary has all of its WAL until there. */
  note(position: number, at: number): void {
    this.heardAt = at;
    const last = this.written.at(-1)?.position ?? Number.NEGATIVE_INFINITY;
    if (position === last) return;
    if (position < last) this.begin(); // another primary, whose history went on from earlier
    this.written.push({ at, position });
    if (this.written.length > MOST)
      this.written = this.written.filter((_, index) => index === 0 || index % 2 === 1 || index > MOST / 2);
  }

  private begin(): void {
    this.written = [];
    this.hasCaughtUp = false;
  }

  /**
   * In milliseconds, for a standby that has it until there; infinite until it has caught up once with us watching.
   * While the primary does not tell what it has, nobody knows better than that it may have more.
   */
  of(position: number, now: number): number {
    const missing = this.written.findIndex((each) => each.position > position);
    this.hasCaughtUp ||= this.written.length > 0 && missing !== 0;
    this.written.splice(0, missing === -1 ? this.written.length - 1 : missing);
    if (!this.hasCaughtUp) return Number.POSITIVE_INFINITY;
    return now - (missing === -1 ? this.heardAt : (this.written[0]?.at ?? now));
  }
}

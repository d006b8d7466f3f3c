export type NotifyRoom = (line: string, hasRoom: boolean) => void;

/** A disk that is nearly full takes small writes and refuses others: not each of these changes has a line. */
const QUIET_MS = 60_000;

/** What a write has noticed is believed for so long. Then it is tried out, or who only reads would never hear of room. */
const BELIEVED_MS = 15_000;

/** Whether the disk of a database has room, as far as all of its pools have noticed. */
export class Room {
  private lacks = false;
  private noticedAt = Number.NEGATIVE_INFINITY;
  private hasNotified = false;
  private quietUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly notify: NotifyRoom = () => {}) {}

  /** Whether the last write, the last new connection or the last trial found none. */
  get isFull(): boolean {
    return this.lacks;
  }

  get isInDoubt(): boolean {
    return this.lacks && performance.now() - this.noticedAt > BELIEVED_MS;
  }

  noteNone(error: unknown): void {
    this.lacks = true;
    const now = performance.now();
    this.noticedAt = now;
    if (this.hasNotified || now < this.quietUntil) return;
    this.hasNotified = true;
    this.quietUntil = now + QUIET_MS;
    const { message } = error as Error;
    this.notify(`The database has no room for what is written, and only reads go on: ${message}`, false);
  }

  noteSome(): void {
    this.lacks = false;
    if (!this.hasNotified) return;
    this.hasNotified = false;
    this.notify('The database has room again for what is written', true);
  }
}

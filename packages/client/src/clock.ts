/** In milliseconds: the service names whole seconds. */
const SECOND = 1_000;

/** The clock of the service, as far as the answers have told it. */
export class ServiceClock {
  private ahead = 0;

  constructor(
    private readonly device: () => number = Date.now,
    /** A clock that is given is believed, whatever the service says. */
    private readonly isGiven = false,
  ) {}

  /** In milliseconds: how far it is surely ahead of this device's. */
  get isAhead(): number {
    return this.ahead;
  }

  now(): number {
    return this.device() + this.ahead;
  }

  /** When something was done, by the clock of the service. None is of the future: the device's clock was fast then. */
  momentOf(at: number): number {
    return Math.min(at, this.device()) + this.ahead;
  }

  /** The service says its time between the question and its answer. */
  compare(asked: number, there: number, received: number): void {
    if (this.isGiven || Number.isNaN(there)) return;
    if (there < asked - SECOND) this.ahead = there - asked;
    else this.ahead = there > received ? there - received : 0;
  }
}

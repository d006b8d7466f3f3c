import { Random } from '../test/chaos/random.ts';

// Discrete events: what waits for what, in milliseconds of a clock that only this file turns. Pure and seeded.

/** Something that takes time, and calls back when it is over. */
export type Work = (over: () => void) => void;

export class Simulation {
  now = 0;
  readonly random: Random;
  /** A heap by time; those of one instant come in the order in which they were scheduled. */
  private readonly events: { at: number; order: number; happen: () => void }[] = [];
  private order = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  after(delay: number, happen: () => void): void {
    this.order += 1;
    this.push({ at: this.now + delay, order: this.order, happen });
  }

  /** Until nothing is left to happen, or the clock says `end`. */
  run(end = Number.POSITIVE_INFINITY): void {
    for (let next = this.pop(end); next; next = this.pop(end)) {
      this.now = next.at;
      next.happen();
    }
  }

  /** Exponential, as the time between arrivals that know nothing of each other. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.random.next());
  }

  /** Erlang of four phases: half as uneven as exponential, as times of one piece of work are. */
  uneven(mean: number): number {
    let product = 1;
    for (let phase = 0; phase < 4; phase += 1) product *= 1 - this.random.next();
    return (-mean / 4) * Math.log(product);
  }

  /** Takes time, and nothing else: a network, a disk. */
  wait =
    (mean: number): Work =>
    (over) =>
      this.after(this.uneven(mean), over);

  private push(event: (typeof this.events)[number]): void {
    const { events } = this;
    let at = events.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(events[above], event)) break;
      events[at] = events[above] as typeof event;
      at = above;
    }
    events[at] = event;
  }

  private pop(end: number) {
    const { events } = this;
    const [first] = events;
    if (!first || first.at > end) return undefined;
    const last = events.pop() as typeof first;
    if (events.length === 0) return first;
    let at = 0;
    for (let below = 1; below < events.length; below = 2 * at + 1) {
      if (below + 1 < events.length && !isBefore(events[below], events[below + 1])) below += 1;
      if (isBefore(last, events[below])) break;
      events[at] = events[below] as typeof first;
      at = below;
    }
    events[at] = last;
    return first;
  }
}

type When = { at: number; order: number } | undefined;
const isBefore = (one: When, other: When) =>
  !!one && !!other && (one.at < other.at || (one.at === other.at && one.order < other.order));

/** So many may have it at a time; the others wait in line. */
export class Resource {
  private taken = 0;
  private readonly line: (() => void)[] = [];
  private head = 0;
  private busySince = 0;
  private busy = 0;

  private readonly simulation: Simulation;
  private readonly capacity: number;

  constructor(simulation: Simulation, capacity = 1) {
    this.simulation = simulation;
    this.capacity = capacity;
  }

  get waiting(): number {
    return this.line.length - this.head;
  }

  get isIdle(): boolean {
    return this.taken === 0;
  }

  /** Has one of it for as long as the work takes. */
  during =
    (work: Work): Work =>
    (over) => {
      const begin = () => {
        this.count(1);
        work(() => {
          this.count(-1);
          this.line[this.head++]?.();
          if (this.head > 1_000 && this.head * 2 > this.line.length) {
            this.line.splice(0, this.head);
            this.head = 0;
          } else if (this.head > this.line.length) this.head = this.line.length;
          over();
        });
      };
      if (this.taken < this.capacity) begin();
      else this.line.push(begin);
    };

  /** The share of its time that it was had, since the beginning. */
  get use(): number {
    return (
      (this.busy + this.taken * (this.simulation.now - this.busySince)) / this.simulation.now / this.capacity
    );
  }

  private count(change: number): void {
    const { now } = this.simulation;
    this.busy += this.taken * (now - this.busySince);
    this.busySince = now;
    this.taken += change;
  }
}

/** One after the other. */
export const inTurn =
  (...works: Work[]): Work =>
  (over) => {
    const next = (at: number): void => (works[at] ? works[at](() => next(at + 1)) : over());
    next(0);
  };

import { FairQueue } from '../../queues/line.js';
import { AT_WORK, AT_WORK_OF_ONE, HeldSlot, type Slot, type SlotState } from '../../request.js';

export interface SlotLimits {
  /** The number of slots: operations that are at work or wait for it. */
  all: number;
  /** In milliseconds: an operation that has waited longer is refused, since its answer would come too late. */
  longestWait: number;
}

/**
 * The slots of operations on WebSockets, as requests over HTTP have them. Without them, a few clients
 * would take all the room there is.
 */
export class OperationSlots {
  private readonly waiting = new FairQueue<OperationSlot>();
  private readonly present = new Set<OperationSlot>();
  private readonly presentOf = new Map<string, number>();
  private readonly atWorkOf = new Map<string, number>();
  private inside = 0;
  private atWork = 0;

  constructor(readonly limits: SlotLimits) {}

  /** The number of one owner's operations, with those that wait in lines elsewhere and hold no slot. */
  countOf(owner: string): number {
    return this.presentOf.get(owner) ?? 0;
  }

  /** The last in line of the owner with the most may have to go for it. */
  hasRoomFor(owner: string): boolean {
    if (this.inside >= this.limits.all) this.waiting.makeRoomFor(owner)?.turnAway();
    return this.inside < this.limits.all;
  }

  /** Takes a slot, which is held until it ends. `isAwaited` tells whether the client still waits for the answer. */
  enter(owner: string, isAwaited: () => boolean): OperationSlot {
    const slot = new OperationSlot(this, owner, isAwaited);
    this.present.add(slot);
    add(this.presentOf, owner, 1);
    this.inside += 1;
    this.waiting.add(owner, slot);
    this.goOn();
    return slot;
  }

  /** Resolves once all present operations have ended, also those that wait for their turn. */
  async settled(): Promise<void> {
    await Promise.all([...this.present].map(({ ended }) => ended));
  }

  move(slot: OperationSlot, from: SlotState, to: SlotState): void {
    const { owner } = slot;
    const isInside = (state: SlotState) => state === 'waiting' || state === 'atWork';
    this.inside += Number(isInside(to)) - Number(isInside(from));
    if (to === 'done') {
      this.present.delete(slot);
      add(this.presentOf, owner, -1);
    }
    const atWork = Number(to === 'atWork') - Number(from === 'atWork');
    this.atWork += atWork;
    add(this.atWorkOf, owner, atWork);
    if (atWork < 0) this.goOn();
  }

  private goOn(): void {
    for (;;) {
      const next = this.waiting.take(({ owner }) => this.mayBegin(owner));
      if (!next) return; // until one at work has ended
      next.begin();
    }
  }

  private mayBegin(owner: string): boolean {
    return this.atWork < AT_WORK && (this.atWorkOf.get(owner) ?? 0) < AT_WORK_OF_ONE;
  }
}

export class OperationSlot extends HeldSlot implements Slot {
  private readonly cameAt = performance.now();
  private readonly turn = Promise.withResolvers<boolean>();
  private readonly end = Promise.withResolvers<void>();

  constructor(
    private readonly slots: OperationSlots,
    readonly owner: string,
    private readonly isAwaited: () => boolean,
  ) {
    super('waiting');
  }

  /** Resolves to false if the operation is turned away. */
  get granted(): Promise<boolean> {
    return this.turn.promise;
  }

  get ended(): Promise<void> {
    return this.end.promise;
  }

  begin(): void {
    const isLate = performance.now() - this.cameAt > this.slots.limits.longestWait;
    const isTaken = !isLate && this.isAwaited();
    this.move(isTaken ? 'atWork' : 'done');
    this.turn.resolve(isTaken);
  }

  turnAway(): void {
    this.move('done');
    this.turn.resolve(false);
  }

  /** Only requests leave while their bodies arrive: a message has arrived whole. */
  comeBack(goOn: () => void): void {
    this.takeBack();
    goOn();
  }

  /** The bytes of messages are counted by connection. */
  hold(): void {}

  protected override count(from: SlotState, to: SlotState): void {
    this.slots.move(this, from, to);
    if (to === 'done') this.end.resolve();
  }
}

function add(counts: Map<string, number>, owner: string, by: number): void {
  const sum = (counts.get(owner) ?? 0) + by;
  if (sum > 0) counts.set(owner, sum);
  else counts.delete(owner);
}

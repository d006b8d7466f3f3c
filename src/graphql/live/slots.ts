import { Counts } from '../../queues/line.js';
import { HeldSlot, Slots } from '../../queues/slots.js';

/**
 * The slots of operations on WebSockets, as requests over HTTP have them. Without them, a few clients would take all
 * the room there is.
 */
export class OperationSlots extends Slots {
  private readonly present = new Set<Promise<void>>();
  private readonly presentOf = new Counts();

  /** The number of one owner's operations, with those that wait in lines elsewhere and hold no slot. */
  countOf(owner: string): number {
    return this.presentOf.of(owner);
  }

  /** Takes a slot, which is held until it ends. `isAwaited` tells whether the client still waits for the answer. */
  enter(owner: string, isAwaited: () => boolean): OperationSlot {
    const slot = new OperationSlot(this, owner, isAwaited);
    const { ended } = slot;
    this.present.add(ended);
    this.presentOf.add(owner, 1);
    void ended.then(() => {
      this.present.delete(ended);
      this.presentOf.add(owner, -1);
    });
    return slot;
  }

  /** Resolves once all present operations have ended, also those that wait for their turn. */
  async settled(): Promise<void> {
    await Promise.all(this.present);
  }
}

export class OperationSlot extends HeldSlot {
  private readonly turn = Promise.withResolvers<boolean>();
  private readonly end = Promise.withResolvers<void>();

  constructor(
    slots: OperationSlots,
    owner: string,
    private readonly isAwaited: () => boolean,
  ) {
    super(slots, owner);
    this.wait(() => this.turn.resolve(true));
  }

  /** Resolves to false if the operation is turned away. */
  get granted(): Promise<boolean> {
    return this.turn.promise;
  }

  get ended(): Promise<void> {
    return this.end.promise;
  }

  /** The bytes of messages are counted by connection. */
  hold(): void {}

  protected get isOver(): boolean {
    return !this.isAwaited();
  }

  protected refuse(): void {
    this.move('done');
    this.turn.resolve(false);
  }

  protected override move(...[to]: Parameters<HeldSlot['move']>): void {
    super.move(to);
    if (to === 'done') this.end.resolve();
  }
}

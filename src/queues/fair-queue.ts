/** A queue in which owners take turns, however many items each of them has waiting. */
export class FairQueue<Item, Owner = string> {
  /** The first entry is the owner whose turn is next. */
  private readonly queues = new Map<Owner, Item[]>();

  add(owner: Owner, item: Item): void {
    const queue = this.queues.get(owner);
    if (queue) queue.push(item);
    else this.queues.set(owner, [item]);
  }

  get size(): number {
    let size = 0;
    for (const queue of this.queues.values()) size += queue.length;
    return size;
  }

  /** Removes the last item of the owner with the most, if that is more than `owner` has with its new one. */
  makeRoomFor(owner: Owner): Item | undefined {
    const own = (this.queues.get(owner)?.length ?? 0) + 1;
    let longest: Item[] = [];
    for (const queue of this.queues.values()) {
      if (queue.length > Math.max(own, longest.length)) longest = queue;
    }
    return longest.pop();
  }

  /** The first item of the next owner whose first item may go. */
  take(mayGo: (item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, queue] of this.queues) {
      const [item] = queue;
      if (item === undefined || !mayGo(item)) continue;
      queue.shift();
      this.queues.delete(owner);
      if (queue.length > 0) this.queues.set(owner, queue);
      return item;
    }
    return undefined;
  }
}

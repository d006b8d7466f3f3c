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

  /**
   * Removes the last item that may go of the owner with the most items, if that is more than `owner` has with its new
   * one. Owners without such an item are passed over.
   */
  makeRoomFor(owner: Owner, mayGo: (item: Item) => boolean = () => true): Item | undefined {
    let longest: Item[] = this.queues.get(owner) ?? [];
    let place = -1;
    for (const queue of this.queues.values()) {
      if (queue.length <= longest.length + 1) continue;
      const last = queue.findLastIndex(mayGo);
      if (last >= 0) [longest, place] = [queue, last];
    }
    return place < 0 ? undefined : longest.splice(place, 1)[0];
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

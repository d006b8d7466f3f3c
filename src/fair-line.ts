/** A queue in which owners take turns, however many items each of them has waiting. */
export class FairLine<Item> {
  /** The first entry is the owner whose turn is next. */
  private readonly lines = new Map<string, Item[]>();

  add(owner: string, item: Item): void {
    const line = this.lines.get(owner);
    if (line) line.push(item);
    else this.lines.set(owner, [item]);
  }

  get size(): number {
    let size = 0;
    for (const line of this.lines.values()) size += line.length;
    return size;
  }

  /** Removes the last item of the owner with the most items, if that is more than `owner` has with its new one. */
  makeRoomFor(owner: string): Item | undefined {
    let longest: Item[] = this.lines.get(owner) ?? [];
    for (const line of this.lines.values()) if (line.length > longest.length + 1) longest = line;
    return longest === this.lines.get(owner) ? undefined : longest.pop();
  }

  /** The first item of the next owner whose first item may go. */
  take(mayGo: (item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, line] of this.lines) {
      const [item] = line;
      if (item === undefined || !mayGo(item)) continue;
      line.shift();
      this.lines.delete(owner);
      if (line.length > 0) this.lines.set(owner, line);
      return item;
    }
    return undefined;
  }
}

/** A semaphore with a fair queue. Waiting has no deadline. */
export class FairPlaces {
  private readonly line = new FairLine<() => void>();
  private taken = 0;

  constructor(private readonly size: number) {}

  async hold<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.taken < this.size) this.taken += 1;
    else await new Promise<void>((begin) => this.line.add(owner, begin));
    try {
      return await work();
    } finally {
      const next = this.line.take();
      if (next) next();
      else this.taken -= 1;
    }
  }
}

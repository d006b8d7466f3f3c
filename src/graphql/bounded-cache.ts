/** In bytes: what an entry takes besides its value. */
const ENTRY = 512;

/**
 * Keeps what was used last, as long as it all takes no more than `limit` bytes. `own` cuts off a value from what
 * it holds on to besides, such as the request it came with.
 */
export class BoundedCache<Value> {
  /** In the order of their last use. */
  private readonly entries = new Map<string, { value: Value; bytes: number }>();
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly bytesOf: (value: Value) => number,
    private readonly own: (value: Value) => Value = (value) => value,
  ) {}

  async get(key: string): Promise<Value | undefined> {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  async set(key: string, value: Value): Promise<void> {
    await this.delete(key);
    const bytes = ENTRY + this.bytesOf(value);
    this.entries.set(key, { value: this.own(value), bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.limit) return;
      await this.delete(oldest);
    }
  }

  async delete(key: string): Promise<boolean> {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    return this.entries.delete(key);
  }
}

/** V8 keeps the whole of a long text alive for a short part of it, so what outlives the text must be a copy. */
export const ownText = (text: string): string => JSON.parse(JSON.stringify(text));

/** In bytes: two for a letter, as V8 may need. */
export const bytesOfText = (text: string): number => 2 * text.length;

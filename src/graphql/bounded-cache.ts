/** In bytes: the overhead of an entry. */
const ENTRY = 512;

/**
 * An LRU cache bounded by bytes. `own` detaches a value from anything else that it would keep in memory, such as the
 * request that it came with.
 */
export class BoundedCache<Value> {
  /** The least recently used entry comes first. */
  private readonly entries = new Map<string, { value: Value; bytes: number }>();
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly bytesOf: (value: Value) => number,
    private readonly own: (value: Value) => Value = (value) => value,
  ) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const bytes = ENTRY + bytesOfText(key) + this.bytesOf(value);
    this.entries.set(key, { value: this.own(value), bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.bytes <= this.limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): boolean {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    return this.entries.delete(key);
  }
}

/** The interface that Apollo asks its caches through. */
export const forApollo = <Value>(cache: BoundedCache<Value>) => ({
  get: async (key: string) => cache.get(key),
  set: async (key: string, value: Value) => cache.set(key, value),
  delete: async (key: string) => cache.delete(key),
});

/** In bytes: V8 needs up to two per character. */
export const bytesOfText = (text: string): number => 2 * text.length;

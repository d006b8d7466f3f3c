type Awaitable<Value> = Value | Promise<Value>;

/** Where taps wait. What was set must be there for whoever reads next, in this process or another. */
export interface ClientStorage {
  get(key: string): Awaitable<string | null | undefined>;
  set(key: string, value: string): Awaitable<unknown>;
  delete(key: string): Awaitable<unknown>;
  keys(prefix: string): Awaitable<Iterable<string>>;
  /** Calls back when another tab may have changed something. Returns what ends it. */
  subscribe?(listener: () => void): () => void;
}

/** Lasts as long as the process. */
export function memoryStorage(): ClientStorage {
  const entries = new Map<string, string>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => entries.set(key, value),
    delete: (key) => entries.delete(key),
    keys: (prefix) => [...entries.keys()].filter((key) => key.startsWith(prefix)),
  };
}

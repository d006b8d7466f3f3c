import type { Tap } from './types.js';

/** As much of an object store as taps need, for a browser that keeps nothing: it lasts as long as the window. */
export class MemoryStore {
  private readonly taps: Map<string, Tap>;

  constructor(taps: readonly Tap[]) {
    this.taps = new Map(taps.map((tap) => [tap.key, tap]));
  }

  put(tap: Tap) {
    return requestOf(void this.taps.set(tap.key, tap));
  }

  get(key: string) {
    return requestOf(this.taps.get(key));
  }

  getAll() {
    return requestOf([...this.taps.values()]);
  }

  delete(key: string) {
    return requestOf(void this.taps.delete(key));
  }
}

function requestOf(result: unknown) {
  const request = { result, onsuccess: () => {} };
  queueMicrotask(() => request.onsuccess());
  return request;
}

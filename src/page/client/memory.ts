/** As much of an object store as this page needs, for a browser that keeps nothing: it lasts as long as the window. */
export class MemoryStore {
  private readonly values = new Map<unknown, unknown>();

  constructor(private readonly keyPath: string | null = null) {}

  put(value: object, key: unknown = this.keyPath && Reflect.get(value, this.keyPath)) {
    return requestOf(void this.values.set(key, value));
  }

  get(key: unknown) {
    return requestOf(this.values.get(key));
  }

  getAll() {
    return requestOf([...this.values.values()]);
  }

  delete(key: unknown) {
    return requestOf(void this.values.delete(key));
  }
}

function requestOf(result: unknown) {
  const request = { result, onsuccess: () => {} };
  queueMicrotask(() => request.onsuccess());
  return request;
}

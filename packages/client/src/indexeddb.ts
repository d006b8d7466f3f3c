import { databaseOf } from './database.js';
import { type ClientStorage, memoryStorage } from './storage.js';

const STORE = 'entries';

/** In the browser, for all tabs of an origin. */
export function indexedDbStorage(name = 'steady-client'): ClientStorage {
  const { open, transact } = databaseOf(name, (database) => database.createObjectStore(STORE));
  const channel = channelOf(name);
  const change = async (work: (store: IDBObjectStore) => IDBRequest) => {
    await transact(STORE, work);
    channel?.postMessage(null);
  };
  /** Where a browser keeps nothing, taps last as long as the tab. */
  let memory: ClientStorage | undefined;
  const kept = async <Answer>(
    work: () => Promise<Answer>,
    otherwise: (storage: ClientStorage) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    if (!memory && !(await open().catch(() => undefined))) memory ??= memoryStorage();
    return memory ? otherwise(memory) : work();
  };
  return {
    get: (key) =>
      kept(
        () => transact<string | null | undefined>(STORE, (store) => store.get(key), 'readonly'),
        (storage) => storage.get(key),
      ),
    set: (key, value) =>
      kept<unknown>(
        () => change((store) => store.put(value, key)),
        (storage) => storage.set(key, value),
      ),
    delete: (key) =>
      kept<unknown>(
        () => change((store) => store.delete(key)),
        (storage) => storage.delete(key),
      ),
    keys: (prefix) =>
      kept<Iterable<string>>(
        async () => {
          const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
          return (await transact(STORE, (store) => store.getAllKeys(range), 'readonly')).map(String);
        },
        (storage) => storage.keys(prefix),
      ),
    subscribe: (listener) => {
      channel?.addEventListener('message', listener);
      return () => channel?.removeEventListener('message', listener);
    },
  };
}

/** Where a browser offers none, other tabs look when they send. */
function channelOf(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

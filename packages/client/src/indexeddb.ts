import { type ClientStorage, memoryStorage } from './storage.js';

const STORE = 'entries';

/** In the browser, for all tabs of an origin. */
export function indexedDbStorage(name = 'steady-client'): ClientStorage {
  let opened: Promise<IDBDatabase> | undefined;
  const close = () => {
    opened = undefined;
  };
  /** Opened again after it was lost, or could not be opened. */
  const open = () => {
    opened ??= connect(name, close);
    opened.catch(close);
    return opened;
  };
  const transact = async <Answer>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Answer>,
  ): Promise<Answer> => {
    const database = await open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode, { durability: 'strict' });
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result); // it is on the disk
      transaction.onabort = () => reject(transaction.error);
    });
  };
  const channel = channelOf(name);
  const change = async (work: (store: IDBObjectStore) => IDBRequest) => {
    await transact('readwrite', work);
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
        () => transact<string | null | undefined>('readonly', (store) => store.get(key)),
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
          return (await transact('readonly', (store) => store.getAllKeys(range))).map(String);
        },
        (storage) => storage.keys(prefix),
      ),
    subscribe: (listener) => {
      channel?.addEventListener('message', listener);
      return () => channel?.removeEventListener('message', listener);
    },
  };
}

function connect(name: string, lost: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      const { result } = request;
      result.onclose = lost;
      result.onversionchange = () => {
        result.close();
        lost();
      };
      resolve(result);
    };
    request.onerror = () => reject(request.error);
  });
}

/** Where a browser offers none, other tabs look when they send. */
function channelOf(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

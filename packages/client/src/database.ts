/** A database of IndexedDB. */
export interface Database {
  /** Opens it when it is first needed, and again after it was lost, or could not be opened. */
  open: () => Promise<IDBDatabase>;
  /** It is opened anew the next time. */
  close: () => void;
  /** One transaction, with what `work` returns at its end: when it is on the disk. */
  transact: <Answer>(
    store: string,
    work: (store: IDBObjectStore) => { readonly result: Answer },
    mode?: IDBTransactionMode,
  ) => Promise<Answer>;
}

export function databaseOf(name: string, create: (database: IDBDatabase) => void): Database {
  let opened: Promise<IDBDatabase> | undefined;
  const close = () => {
    opened = undefined;
  };
  const connect = () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(name, 1);
      request.onupgradeneeded = () => create(request.result);
      request.onsuccess = () => {
        const { result } = request;
        result.onclose = close;
        result.onversionchange = () => {
          result.close();
          close();
        };
        resolve(result);
      };
      request.onerror = () => reject(request.error);
    });
  const open = () => {
    opened ??= connect();
    opened.catch(close);
    return opened;
  };
  return {
    open,
    close,
    transact: async (store, work, mode = 'readwrite') => {
      const database = await open();
      return new Promise((resolve, reject) => {
        const transaction = database.transaction(store, mode, { durability: 'strict' });
        const answer = work(transaction.objectStore(store));
        transaction.oncomplete = () => resolve(answer.result);
        transaction.onabort = () => reject(transaction.error);
      });
    },
  };
}

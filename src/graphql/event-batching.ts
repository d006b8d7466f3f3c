import { inTurn } from '../database/event-reads.js';

/** The maximum number of keys in one read. */
const MAX_KEYS = 500;

interface Together<Key, Value> {
  nameOf: (key: Key) => string;
  /** Returns a value or an error for each key, in the order of the keys. */
  load: (keys: Key[]) => Promise<(Value | Error)[]>;
  maxKeys?: number;
}

/**
 * Batches reads for events, which reach many subscriptions at once: all keys requested before the turn to read comes
 * are loaded together. Nothing is cached: a later request reads the current state.
 */
export function together<Key, Value>({
  nameOf,
  load,
  maxKeys = MAX_KEYS,
}: Together<Key, Value>): (key: Key) => Promise<Value> {
  const asked = new Map<string, PromiseWithResolvers<Value> & { key: Key }>();
  const read = () =>
    inTurn(async () => {
      const readers: (PromiseWithResolvers<Value> & { key: Key })[] = [];
      for (const [name, reader] of asked) {
        if (readers.length === maxKeys) break;
        readers.push(reader);
        asked.delete(name);
      }
      if (readers.length === 0) return;
      try {
        const values = await load(readers.map(({ key }) => key));
        for (const [index, { resolve, reject }] of readers.entries()) {
          const value = values[index] as Value | Error;
          if (value instanceof Error) reject(value);
          else resolve(value);
        }
      } catch (error) {
        for (const { reject } of readers) reject(error);
      }
    });
  return (key) => {
    const name = nameOf(key);
    const known = asked.get(name);
    if (known) return known.promise;
    const mine = { key, ...Promise.withResolvers<Value>() };
    asked.set(name, mine);
    void read();
    return mine.promise;
  };
}

/** For reads that cannot be batched: concurrent callers with the same arguments share one read. */
export function shared<Args extends (string | number)[], Value>(
  read: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  const ask = together<Args, Value>({
    nameOf: (args) => args.join(' '),
    load: async ([args]) => (args ? [await read(...args)] : []),
    maxKeys: 1,
  });
  return (...args) => ask(args);
}

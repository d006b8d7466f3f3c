import { inTurn } from '../database/event-reads.js';

/** In one read. */
const MOST_TOGETHER = 500;

interface Together<Key, Value> {
  nameOf: (key: Key) => string;
  /** Answers each key in its place, with an error where there is one. */
  load: (keys: Key[]) => Promise<(Value | Error)[]>;
  most?: number;
}

/**
 * For events, which come to many subscriptions at once: what is asked for before the turn to read comes is read
 * then, for all of them. Nothing is remembered: whoever asks later sees what is true by then.
 */
export function together<Key, Value>({
  nameOf,
  load,
  most = MOST_TOGETHER,
}: Together<Key, Value>): (key: Key) => Promise<Value> {
  const asked = new Map<string, PromiseWithResolvers<Value> & { key: Key }>();
  const read = () =>
    inTurn(async () => {
      const readers: (PromiseWithResolvers<Value> & { key: Key })[] = [];
      for (const [name, reader] of asked) {
        if (readers.length === most) break;
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

/** The same for what cannot be read for many: one read at a time for whoever asks the same. */
export function shared<Args extends (string | number)[], Value>(
  read: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  const ask = together<Args, Value>({
    nameOf: (args) => args.join(' '),
    load: async ([args]) => (args ? [await read(...args)] : []),
    most: 1,
  });
  return (...args) => ask(args);
}

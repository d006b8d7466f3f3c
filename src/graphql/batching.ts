import DataLoader from 'dataloader';
import type { Context } from './context.js';

/**
 * Collects what the fields of one request ask for and asks for it together. Nothing is remembered:
 * a later mutation of the same request must not be answered with what was true before it.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[], context: Context) => Promise<Value[]>,
): (context: Context, key: Key) => Promise<Value> {
  const loaders = new WeakMap<Context, DataLoader<Key, Value>>();
  return (context, key) => {
    const known = loaders.get(context);
    if (known) return known.load(key);
    const loader = new DataLoader<Key, Value>((keys) => load(keys, context), { cache: false });
    loaders.set(context, loader);
    return loader.load(key);
  };
}

/** Puts rows in the order of the ids that were asked for. */
export function inOrderOf<Id, Row>(ids: readonly Id[], rows: Row[], idOf: (row: Row) => Id): (Row | null)[] {
  const found = new Map(rows.map((row) => [idOf(row), row]));
  return ids.map((id) => found.get(id) ?? null);
}

/** Splits keys into groups of equal arguments, answers each group at once, and puts the answers in order. */
export async function byGroup<Key, Value>(
  keys: readonly Key[],
  groupOf: (key: Key) => string,
  load: (group: [Key, ...Key[]]) => Promise<Value[]>,
): Promise<Value[]> {
  const groups = new Map<string, number[]>();
  keys.forEach((key, index) => {
    const name = groupOf(key);
    groups.set(name, [...(groups.get(name) ?? []), index]);
  });
  const answers: Value[] = [];
  await Promise.all(
    [...groups.values()].map(async (indexes) => {
      const values = await load(indexes.map((index) => keys[index] as Key) as [Key, ...Key[]]);
      indexes.forEach((index, position) => {
        answers[index] = values[position] as Value;
      });
    }),
  );
  return answers;
}

import DataLoader from 'dataloader';
import type { Page, PageRequest, Pages } from '../database/cursor.js';
import { withPermit } from '../database/database.js';
import type { Context } from './context.js';

/**
 * Collects what the fields of one request ask for, and loads it together. Nothing is cached: a later mutation of the
 * same request must not be answered with old values. With `oneAtATime`, keys that arrive during a load are collected
 * until it is done. Reads for events span several users and are batched by `together`.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[], context: Context) => Promise<Value[]>,
  { oneAtATime = false } = {},
): (context: Context, key: Key) => Promise<Value> {
  const loaders = new WeakMap<Context, DataLoader<Key, Value>>();
  return (context, key) => {
    const known = loaders.get(context);
    if (known) return known.load(key);
    let done: Promise<unknown> = Promise.resolve();
    const loadNext = (keys: readonly Key[]) => {
      const values = load(keys, context);
      if (oneAtATime) done = values.catch(() => {});
      return values;
    };
    const loader = new DataLoader<Key, Value>(loadNext, {
      cache: false,
      // As without this option: the batch is closed after the promise callbacks that are due.
      batchScheduleFn: (close) => void done.then(() => process.nextTick(close)),
    });
    loaders.set(context, loader);
    return loader.load(key);
  };
}

/** As `batched`, but each group of keys, such as those of one user, is loaded by itself. */
export const grouped = <Key, Value>(
  groupOf: (key: Key) => string,
  load: (group: [Key, ...Key[]]) => Promise<Value[]>,
  options?: { oneAtATime: boolean },
) => batched((keys: readonly Key[]) => byGroup(keys, groupOf, load), options);

/** Returns the rows in the order of the ids. Each id is looked up once. */
export async function rowsOf<Row extends { id: number }>(
  ids: readonly number[],
  find: (ids: number[]) => Promise<Row[]>,
): Promise<(Row | null)[]> {
  const found = new Map((await find([...new Set(ids)])).map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) ?? null);
}

/** Groups the keys, loads each group at once, and returns the values in the order of the keys. */
async function byGroup<Key, Value>(
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

/** A page of a list that belongs to a row, such as the completions of a task. */
export interface PageBelow {
  userId: string;
  /** The id of that row. */
  id: number;
  request: PageRequest;
}

type CountlessPage<Row> = Omit<Page<Row>, 'total'>;

/** Batches the pages below the rows of a list. */
export function pagesBelow<Row>(
  pagesFor: (userId: string) => Pages<Row>,
): (context: Context, page: PageBelow) => CountlessPage<Row> {
  const ofEach = <Value>(
    read: (pages: Pages<Row>, ids: number[], request: PageRequest) => Promise<(id: number) => Value>,
  ) =>
    grouped(argumentsOf, async (group) => {
      const { userId, request } = group[0];
      const ids = [...new Set(group.map(({ id }) => id))];
      const answerFor = await read(pagesFor(userId), ids, request);
      return group.map(({ id }) => answerFor(id));
    });
  const rows = ofEach(async (pages, ids, request) => {
    const found = await pages.rows(ids, request);
    return (id) => found.get(id) ?? [];
  });
  const haveEarlier = ofEach(async (pages, ids, { after }) => {
    const found = after ? await pages.haveEarlier(ids, after) : new Set();
    return (id) => found.has(id);
  });
  return (context, page) => ({
    rows: () => rows(context, page),
    hasEarlier: async () => page.request.after !== undefined && haveEarlier(context, page),
    positionOf: (row) => pagesFor(page.userId).positionOf(row),
  });
}

const argumentsOf = ({ userId, request: { first, after } }: PageBelow) =>
  [userId, first, after?.at.getTime(), after?.id].join(' ');

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
    withPermit(async () => {
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

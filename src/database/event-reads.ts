import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, type KyselyProps } from 'kysely';
import { FairPlaces } from '../fair-line.js';
import { isLate } from '../request.js';
import { NotSent } from './outcome.js';

/** In milliseconds. */
const PAUSE = 20;

interface Reader {
  /** Of the connections. */
  places: FairPlaces;
  owner: string;
  hasTurn: boolean;
}

const readers = new AsyncLocalStorage<Reader>();

/** Runs what is read for an event of `owner`: its statements take turns for these places. */
export const asEvent = <T>(places: FairPlaces, owner: string, work: () => T): T =>
  readers.run({ places, owner, hasTurn: false }, work);

export const isForEvent = (): boolean => readers.getStore() !== undefined;

/** One turn for all that `work` reads. Where nothing is read for an event, there is nothing to wait for. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const reader = readers.getStore();
  if (!reader || reader.hasTurn) return work();
  return reader.places.hold(reader.owner, () => readers.run({ ...reader, hasTurn: true }, work));
}

/** The same database, on which each statement waits for its turn. */
export function inTurns(query: Kysely<unknown>): Kysely<unknown> {
  const executor = query.getExecutor();
  const props = {
    executor: executor.withConnectionProvider({
      provideConnection: (consumer, options) =>
        inTurn(() => despiteCrowd(() => executor.provideConnection(consumer, options))),
    }),
    // Only for transactions and for closing it, which events have no part in.
    config: {},
    driver: {},
    dialect: {},
  };
  return new Kysely(props as unknown as KyselyProps);
}

/** For work that nobody asks for again: where requests are refused because too many wait, it waits. */
export async function despiteCrowd<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotSent) || isLate()) throw error;
      await delay(PAUSE);
    }
  }
}

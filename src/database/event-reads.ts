import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, type KyselyProps } from 'kysely';
import { FairSemaphore } from '../fair-queue.js';
import { isLate } from '../request.js';
import { NotSent } from './outcome.js';

/** In milliseconds. */
const PAUSE = 20;

interface Reader {
  /** Limits how many events read at a time. */
  semaphore: FairSemaphore;
  owner: string;
  hasTurn: boolean;
}

const readers = new AsyncLocalStorage<Reader>();

/** Marks what `work` reads as done for an event of `owner`: its statements wait for their turn. */
export const asEvent = <T>(semaphore: FairSemaphore, owner: string, work: () => T): T =>
  readers.run({ semaphore, owner, hasTurn: false }, work);

export const isForEvent = (): boolean => readers.getStore() !== undefined;

/** Runs `work` in one turn. Outside of events it does not wait. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const reader = readers.getStore();
  if (!reader || reader.hasTurn) return work();
  return reader.semaphore.hold(reader.owner, () => readers.run({ ...reader, hasTurn: true }, work));
}

/** The same database, but each statement waits for its turn. */
export function inTurns(query: Kysely<unknown>): Kysely<unknown> {
  const executor = query.getExecutor();
  const props = {
    executor: executor.withConnectionProvider({
      provideConnection: (consumer, options) =>
        inTurn(() => retryWhileCrowded(() => executor.provideConnection(consumer, options))),
    }),
    // Needed only for transactions and for closing, which events never do.
    config: {},
    driver: {},
    dialect: {},
  };
  return new Kysely(props as unknown as KyselyProps);
}

/** For work that no client would retry: waits while the pool refuses statements because too many are waiting. */
export async function retryWhileCrowded<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotSent) || isLate()) throw error;
      await delay(PAUSE);
    }
  }
}

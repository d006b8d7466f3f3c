import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, type KyselyProps } from 'kysely';
import type { Line } from '../queues/line.js';

interface Reader {
  /** Limits how many events read at a time. */
  line: Line;
  owner: string;
  hasTurn: boolean;
}

const readers = new AsyncLocalStorage<Reader>();

/** Marks what `work` reads as done for an event of `owner`: its statements wait for their turn. */
export const asEvent = <T>(line: Line, owner: string, work: () => T): T =>
  readers.run({ line, owner, hasTurn: false }, work);

export const isForEvent = (): boolean => readers.getStore() !== undefined;

/** Runs `work` in one turn. Outside of events it does not wait. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const reader = readers.getStore();
  if (!reader || reader.hasTurn) return work();
  return reader.line.hold(reader.owner, () => readers.run({ ...reader, hasTurn: true }, work));
}

/** The same database, but each statement waits for its turn. */
export function inTurns(query: Kysely<unknown>): Kysely<unknown> {
  const executor = query.getExecutor();
  const props = {
    executor: executor.withConnectionProvider({
      provideConnection: (consumer, options) => inTurn(() => executor.provideConnection(consumer, options)),
    }),
    // Needed only for transactions and for closing, which events never do.
    config: {},
    driver: {},
    dialect: {},
  };
  return new Kysely(props as unknown as KyselyProps);
}

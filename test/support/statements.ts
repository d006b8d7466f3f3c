import { AsyncLocalStorage } from 'node:async_hooks';
import { DefaultQueryExecutor } from 'kysely';
import { currentRequest, currentVisit } from '../../src/base/request.js';
import type { Sender } from '../../src/database/backend.js';
import type { World } from './world.js';

/** Of every executor: a transaction has one of its own. */
const sender = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as DefaultQueryExecutor;

export interface Query {
  sql: string;
  parameters: readonly unknown[];
}

/** Hears each hot statement, and sends it by `run`. Returns a function that ends it. */
function hear(
  database: World['database'],
  heard: (query: Query) => void,
  run = (send: () => Promise<unknown[]>) => send(),
): () => void {
  const { backend } = database as unknown as { backend: Record<'pool' | 'reads', Sender> };
  const { pool, reads } = backend;
  const heardBy = (sender: Sender): Sender => ({
    send: (statement) => {
      heard({ sql: statement.text, parameters: statement.parameters });
      return run(() => sender.send(statement));
    },
  });
  Object.assign(backend, { pool: heardBy(pool), reads: heardBy(reads) });
  return () => void Object.assign(backend, { pool, reads });
}

/**
 * False for what the process asks for its own sake, and for a request from before, whose client has gone: what it began
 * may end any time later.
 */
const sinceNow = () => {
  const began = performance.now();
  return () => currentVisit() !== undefined && (currentRequest()?.startedAt.steady ?? began) >= began;
};

/** Asked as well where a token was not used for a few seconds. */
const looksUpToken = ({ sql }: Query) => / as session \(user_id|"hash" = any|where hash = any/.test(sql);

/** What a piece of work asks the database: hot statements, and those of the query builder. */
export const queriesOf = async (here: Pick<World, 'database'>, work: () => Promise<unknown>) =>
  (await everyQueryOf(here, work)).filter((query) => !looksUpToken(query));

async function everyQueryOf(
  { database }: Pick<World, 'database'>,
  work: () => Promise<unknown>,
): Promise<Query[]> {
  const asked: Query[] = [];
  const executor = database.orm.em.getConnection().getClient().getExecutor();
  const { executeQuery } = executor;
  const noted = new AsyncLocalStorage<true>();
  const isOfWork = sinceNow();
  executor.executeQuery = (query, options) => {
    if (!noted.getStore() && isOfWork()) asked.push(query);
    return executeQuery.call(executor, query, options) as never;
  };
  const end = hear(
    database,
    (query) => isOfWork() && asked.push(query),
    (send) => noted.run(true, send),
  );
  try {
    await work();
    return asked;
  } finally {
    executor.executeQuery = executeQuery;
    end();
  }
}

/** The same as text. */
export async function statementsOf(here: World, work: () => Promise<unknown>): Promise<string[]> {
  return (await queriesOf(here, work)).map(({ sql }) => sql.replace(/\s+/g, ' ').trim());
}

/** Every different statement of a piece of work, those in transactions as well, each as it was sent first. */
export async function allQueriesOf({ database }: Pick<World, 'database'>, work: () => Promise<unknown>) {
  const asked = new Map<string, Query>();
  const isOfWork = sinceNow();
  const note = (query: Query) => asked.has(query.sql) || !isOfWork() || asked.set(query.sql, query);
  const { executeQuery } = sender;
  sender.executeQuery = function (query, options) {
    note(query);
    return executeQuery.call(this, query, options) as never;
  };
  const end = hear(database, note);
  try {
    await work();
    return [...asked.values()].filter((query) => !looksUpToken(query));
  } finally {
    sender.executeQuery = executeQuery;
    end();
  }
}

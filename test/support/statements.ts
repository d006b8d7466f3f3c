import { AsyncLocalStorage } from 'node:async_hooks';
import type { World } from './world.js';

interface Query {
  sql: string;
  parameters: readonly unknown[];
}

/** What a piece of work asks the database: hot statements, and those of the query builder. */
export async function queriesOf(
  { database }: Pick<World, 'database'>,
  work: () => Promise<unknown>,
): Promise<Query[]> {
  const asked: Query[] = [];
  const executor = database.orm.em.getConnection().getClient().getExecutor();
  const { executeQuery } = executor;
  const { run } = database;
  const noted = new AsyncLocalStorage<true>();
  executor.executeQuery = (query, options) => {
    if (!noted.getStore()) asked.push(query);
    return executeQuery.call(executor, query, options) as never;
  };
  database.run = (statement, values) => {
    const { text, parameters } = statement.with(values);
    asked.push({ sql: text, parameters });
    return noted.run(true, () => run.call(database, statement, values)) as never;
  };
  try {
    await work();
    return asked;
  } finally {
    executor.executeQuery = executeQuery;
    database.run = run;
  }
}

/** The same as text. */
export async function statementsOf(here: World, work: () => Promise<unknown>): Promise<string[]> {
  return (await queriesOf(here, work)).map(({ sql }) => sql.replace(/\s+/g, ' ').trim());
}

import type { World } from './world.js';

interface Query {
  sql: string;
  parameters: readonly unknown[];
}

interface Executor {
  executeQuery: (...args: never[]) => unknown;
}

/** What a piece of work asks of a query builder's executor. */
export async function queriesOn(executor: Executor, work: () => Promise<unknown>): Promise<Query[]> {
  const { executeQuery } = executor;
  const asked: Query[] = [];
  executor.executeQuery = (...args) => {
    const [{ sql, parameters }] = args as unknown as [Query];
    asked.push({ sql, parameters });
    return executeQuery.apply(executor, args);
  };
  try {
    await work();
    return asked;
  } finally {
    executor.executeQuery = executeQuery;
  }
}

/** What a piece of work asks the database. */
export const queriesOf = ({ database }: World, work: () => Promise<unknown>): Promise<Query[]> =>
  queriesOn(database.orm.em.getConnection().getClient().getExecutor(), work);

/** The same as text. */
export async function statementsOf(here: World, work: () => Promise<unknown>): Promise<string[]> {
  return (await queriesOf(here, work)).map(({ sql }) => sql.replace(/\s+/g, ' ').trim());
}

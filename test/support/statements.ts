import { vi } from 'vitest';
import type { World } from './world.js';

interface Query {
  sql: string;
  parameters: readonly unknown[];
}

/** What a piece of work asks the database. */
export async function queriesOf({ database }: World, work: () => Promise<unknown>): Promise<Query[]> {
  const asked = vi.spyOn(database.orm.em.getConnection().getClient().getExecutor(), 'executeQuery');
  try {
    await work();
    return asked.mock.calls.map(([{ sql, parameters }]) => ({ sql, parameters }));
  } finally {
    asked.mockRestore();
  }
}

/** The same as text. */
export async function statementsOf(here: World, work: () => Promise<unknown>): Promise<string[]> {
  return (await queriesOf(here, work)).map(({ sql }) => sql.replace(/\s+/g, ' ').trim());
}

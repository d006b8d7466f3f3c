import { vi } from 'vitest';
import type { World } from './world.js';

/** The statements that a piece of work sends to the database, as text. */
export async function statementsOf({ database }: World, work: () => Promise<unknown>): Promise<string[]> {
  const statements = vi.spyOn(database.orm.em.getConnection().getClient().getExecutor(), 'executeQuery');
  try {
    await work();
    return statements.mock.calls.map(([{ sql }]) => sql.replace(/\s+/g, ' ').trim());
  } finally {
    statements.mockRestore();
  }
}

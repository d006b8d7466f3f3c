import type { QueryExecutorProvider } from 'kysely';

/** Reads the histories of some of a user's tasks anew. Passed in: this folder may not import completions. */
export type Recount = (
  query: QueryExecutorProvider,
  userId: string,
  tasks: readonly number[],
) => Promise<void>;

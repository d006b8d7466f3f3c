import type { QueryExecutorProvider } from 'kysely';

/** Reads the histories of some of a user's tasks anew: what records completions knows how. */
export type Recount = (
  query: QueryExecutorProvider,
  userId: string,
  tasks: readonly number[],
) => Promise<void>;

import type { QueryExecutorProvider } from 'kysely';

/** Reads the histories of a user's tasks anew, of some or of all: what records completions knows how. */
export type Recount = (
  query: QueryExecutorProvider,
  userId: string,
  tasks: readonly number[] | null,
) => Promise<void>;

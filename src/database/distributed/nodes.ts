import { type Kysely, sql } from 'kysely';
import { asOfOneServer } from './errors.js';

/** What is otherwise where the rows of users are on several nodes. */
export interface Nodes {
  /** The error of a statement as one server would tell it. */
  explained: (error: unknown, text: string) => unknown;
}

/** Undefined on one server. Asks one without Citus a cheap question. */
export async function nodesOf(query: Kysely<unknown>): Promise<Nodes | undefined> {
  const { rows: citus } = await sql<{ isThere: boolean }>`
    select to_regclass('pg_dist_partition') is not null as "isThere"`.execute(query);
  if (!citus[0]?.isThere) return undefined;
  const { rows: placed } = await sql`select 1 from pg_dist_partition limit 1`.execute(query);
  return placed.length > 0 ? { explained: asOfOneServer } : undefined;
}

/** For a transaction that changes several tables: one shard after the other. Without Citus it has no effect. */
export const ONE_AFTER_THE_OTHER = "set local citus.multi_shard_modify_mode to 'sequential'";

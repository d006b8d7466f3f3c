import { type Kysely, sql } from 'kysely';
import { isHeldByPooler, isPlainError, UNKNOWN } from '../outcome.js';

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

/** The number of a shard is appended to the names of its tables and of their constraints. */
const SHARD = /_\d+$/;

const CONSTRAINT = / constraint "([^"]+)"/;
const COLUMN = /^null value in column "([^"]+)" of relation "([^"]+)"/;

interface Told {
  code?: string;
  message?: string;
  constraint?: string;
  table?: string;
  column?: string;
}

/**
 * The error of a node as one server would tell it: the names are those of whole tables, also where only the message has
 * them, and one that leaves an outcome unknown is marked as lost.
 */
export function asOfOneServer(error: unknown, text: string): unknown {
  if (isInDoubt(error, text)) return Object.assign(error as Error, { isLost: true });
  const { message = '', ...told } = error as Told;
  const [, column = told.column, table = told.table] = COLUMN.exec(message) ?? [];
  const constraint = told.constraint ?? CONSTRAINT.exec(message)?.[1];
  return Object.assign(error as Error, {
    constraint: constraint?.replace(SHARD, ''),
    table: table?.replace(SHARD, ''),
    column,
  });
}

/**
 * One node has lost another, and says so as of any mistake: what the other has done, nobody knows. There is no code of
 * its own for a commit that went astray.
 */
const isInDoubt = (error: unknown, text: string): boolean => {
  const code = String((error as Told).code);
  const isLost = UNKNOWN.test(code) || (text === 'commit' && code === 'XX000');
  return isLost && isPlainError(error) && !isHeldByPooler(error);
};

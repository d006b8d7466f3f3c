import { type Kysely, sql } from 'kysely';
import { Line } from '../../queues/line.js';
import type { ChangeStatement } from '../change.js';
import type { Statement } from '../statement.js';
import { functionsOf } from './functions.js';

/** Look-ups at a time that ask every node: users take turns. */
const AT_ALL_NODES = 2;

/** What the service does otherwise while the rows of users are on several nodes. */
export class Distribution {
  private readonly askingAllNodes = new Line({ size: AT_ALL_NODES });

  private readonly calls: ReadonlyMap<unknown, unknown>;

  constructor({ changes }: Layout) {
    this.calls = new Map(changes.map((statement) => [statement, functionsOf(statement.change).call]));
  }

  /** The statement, or the call of what the nodes have instead, with the same values and rows. */
  formOf<Values, Row>(statement: Statement<Values, Row>): Statement<Values, Row> {
    return (this.calls.get(statement) ?? statement) as Statement<Values, Row>;
  }

  /** Does work that asks every node, when it is the asker's turn. */
  inTurn<T>(asker: string, work: () => Promise<T>): Promise<T> {
    return this.askingAllNodes.hold(asker, work);
  }
}

/** Asks a server without Citus one cheap question. */
export async function isDistributed(query: Kysely<unknown>, { byUser }: Layout): Promise<boolean> {
  const { rows: citus } = await sql<{ isThere: boolean }>`
    select to_regclass('pg_dist_partition') is not null as "isThere"`.execute(query);
  if (!citus[0]?.isThere) return false;
  const { rows } = await sql`
    select 1 from pg_dist_partition where logicalrelid = to_regclass(${byUser[0]})`.execute(query);
  return rows.length > 0;
}

/** What makes the functions that are not there yet. */
export async function missingFunctions(query: Kysely<unknown>, layout: Layout): Promise<string[]> {
  const all = layout.changes.map(({ change }) => functionsOf(change));
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc
    where proname = any(${all.map(({ name }) => name)}) and pronamespace = current_schema()::regnamespace
  `.execute(query);
  const there = new Set(rows.map(({ name }) => name));
  return all
    .filter(({ name }) => !there.has(name))
    .flatMap(({ create, distribute }) => [...create, distribute(layout.byUser[0])]);
}

/** For the transaction of migrations: the functions of a database that is distributed are as new as its tables. */
export async function makeFunctions(query: Kysely<unknown>, layout: Layout): Promise<void> {
  if (!(await isDistributed(query, layout))) return;
  for (const text of await missingFunctions(query, layout)) await sql.raw(text).execute(query);
}

/** How a database is spread over several servers with Citus. */
export interface Layout {
  /** Whole on every node: small, or looked for by something else than their user. */
  reference: readonly string[];
  /** By `user_id`, all of a user's rows on one node. The first is what the others are placed beside. */
  byUser: readonly [first: string, ...others: string[]];
  /** On the coordinator only. */
  local: readonly string[];
  /** A whole table may not refer to one by user: the foreign keys of these tables then. */
  references: Readonly<Record<string, string>>;
  /** What is a function there. */
  changes: readonly ChangeStatement[];
}

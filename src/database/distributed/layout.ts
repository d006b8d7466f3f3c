import type { ChangeStatement } from '../change.js';

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

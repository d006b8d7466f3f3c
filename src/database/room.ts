import { type RawBuilder, sql } from 'kysely';

/**
 * True if the user has fewer than `most` rows in the table. Stops counting there, and uses an index. Exact only if an
 * earlier statement of the transaction locked the account: a statement does not see rows that are committed after it
 * begins.
 */
export const hasRoom = (table: string, userId: string, most: number): RawBuilder<boolean> =>
  sql`${countOf(table, userId, most)} < ${most}`;

/** The same number, to be joined where Citus takes no question among the conditions: beside a table that is no user's. */
export const countOf = (table: string, userId: string, most: number) =>
  sql`(select count(*) as rows from (select 1 from ${sql.table(table)} where user_id = ${userId} limit ${most}) as kept)`;

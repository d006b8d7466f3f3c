import { sql } from 'kysely';

/**
 * The number of rows that the user has in the table, all or `among` some, as `kept.rows`. Stops counting at `most`, and uses an index. Exact
 * only if an earlier statement of the transaction locked the account: a statement does not see rows that are committed
 * after it begins. It is selected from, and not asked in a condition, so that the server that is asked numbers what is
 * inserted (docs/scaling.md).
 */
export const kept = (table: string, userId: string, most: number, among = sql`true`) =>
  sql`(select count(*) as rows from (
    select 1 from ${sql.table(table)} where user_id = ${userId} and ${among} limit ${most}
  ) as rows) as kept`;

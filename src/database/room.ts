import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a user has fewer rows in a table than `most`: counts no further, along an index. Exact for whoever holds
 * the account since an earlier statement, as a statement sees only what was there when it began.
 */
export const hasRoom = (table: string, userId: string, most: number): RawBuilder<boolean> =>
  sql`(select count(*) from (select from ${sql.table(table)} where user_id = ${userId} limit ${most}) as kept) < ${most}`;

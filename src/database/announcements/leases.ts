import { type Kysely, sql } from 'kysely';

/** For the transaction that deletes the account: nobody is to be told of it any more. */
export async function deleteLeases(query: Kysely<unknown>, userId: string): Promise<void> {
  await sql`delete from listeners where user_id = ${userId}`.execute(query);
}

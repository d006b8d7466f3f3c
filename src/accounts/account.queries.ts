import { type Kysely, sql } from 'kysely';
import { columnsOf, type RowOf } from '../database/columns.js';
import { statement } from '../database/statement.js';
import type { Columns } from '../database/tables.js';
import { UserProgress } from './progress.entity.js';
import { User } from './user.entity.js';

export type AccountTables = { users: Columns<User>; user_progress: Columns<UserProgress> };

const profile = columnsOf(User, 'passwordHash', 'points', 'currentStreak', 'maxStreak');
const counters = columnsOf(UserProgress, 'userId');

/** A user as both faces show one. The profile and the counters are stored in two rows. */
export type Account = RowOf<typeof profile> & RowOf<typeof counters>;

/** The counters of a user, by which a profile is completed to an account. */
export type Counters = RowOf<typeof counters>;

export const counterColumns = counters;
export const profileColumns = profile;

export const selectAccount = (query: Kysely<AccountTables>) =>
  query
    .selectFrom('users')
    .innerJoin('user_progress', 'user_progress.user_id', 'users.id')
    .select([...profile.of('users'), ...counters.of('user_progress')]);

export const accounts = {
  byId: statement((query: Kysely<AccountTables>, { id }: { id: string }) =>
    selectAccount(query).where('users.id', '=', id),
  ),
  exists: statement((query: Kysely<AccountTables>, { id }: { id: string }) =>
    query.selectFrom('user_progress').select('user_id').where('user_id', '=', id),
  ),
};

/**
 * Locks the account for a transaction that counts or recounts the user's rows: other holders wait until it ends, and
 * so does every completion, since it updates the same row. Not `for update`, which would also block inserts of rows
 * that reference the account. Returns false when the account is gone.
 */
export async function lockAccount(query: Kysely<AccountTables>, userId: string): Promise<boolean> {
  const locked = await query
    .selectFrom('user_progress')
    .select('user_id')
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked !== undefined;
}

/** Matches the expression of the unique index. The gate has already folded `email` to lower case. */
export const whereEmail = (email: string) => sql<boolean>`lower(users.email collate "C") = ${email}::text`;

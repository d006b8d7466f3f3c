import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Columns, columnsOf, type RowOf } from '../../database/columns.js';
import { statement } from '../../database/statement.js';
import type { KnownAddress } from './account.events.js';
import { UserProgress } from './progress.entity.js';
import { folded } from './rules.js';
import { User } from './user.entity.js';

export type AccountTables = { users: Columns<User>; user_progress: Columns<UserProgress> };

const profile = columnsOf(
  User,
  'passwordHash',
  'tokenGeneration',
  'suspendedAt',
  'points',
  'currentStreak',
  'maxStreak',
  'dayStartsAt',
);
const counters = columnsOf(UserProgress, 'userId', 'hasFeed');

/** A user as both APIs show one. The profile and the counters are stored in two rows. */
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
  letIn: statement((query: Kysely<AccountTables>, { id }: { id: string }) =>
    query.selectFrom('users').select('id').where('id', '=', id).where('suspended_at', 'is', null),
  ),
  exists: statement((query: Kysely<AccountTables>, { id }: { id: string }) =>
    query.selectFrom('user_progress').select('user_id').where('user_id', '=', id),
  ),
};

/** Beside rows of a user's: whether the account is not suspended. */
export const isLetIn = (userId: RawBuilder<unknown>) => sql<boolean>`
  not exists (select from users where users.id = ${userId} and suspended_at is not null)`;

/**
 * Locks the account for a transaction that counts or recounts the user's rows: other holders wait until it ends, and
 * so does every completion, since it updates the same row. Not `for update`, which would also block inserts of rows
 * that reference the account. Returns its counters; undefined when the account is gone.
 */
export const lockAccount = (query: Kysely<AccountTables>, userId: string): Promise<Counters | undefined> =>
  query
    .selectFrom('user_progress')
    .select(counters.of('user_progress'))
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Locks the user's identity, as whoever changes it does first. Undefined when the account is gone. */
export async function lockAddress(
  query: Kysely<AccountTables>,
  userId: string,
): Promise<KnownAddress | undefined> {
  const found = await query
    .selectFrom('users')
    .select(['email', sql<boolean>`email_confirmed_at is not null`.as('isConfirmed')])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found && { userId, ...found };
}

type UserChanges = Partial<Pick<User, 'name' | 'email' | 'passwordHash' | 'profilePicture' | 'language'>> &
  Pick<User, 'updatedAt'>;

/** What is undefined stays. The same address in other letters stays confirmed. */
export const updateUser = (query: Kysely<AccountTables>, userId: string, changes: UserChanges) =>
  query
    .updateTable('users')
    .set({
      name: changes.name,
      email: changes.email,
      password_hash: changes.passwordHash,
      profile_picture: changes.profilePicture,
      language: changes.language,
      updated_at: changes.updatedAt,
      ...(changes.email !== undefined && {
        email_confirmed_at: sql<Date | null>`
          case when ${whereEmail(folded(changes.email))} then email_confirmed_at end`,
      }),
    })
    .where('id', '=', userId)
    .execute();

/**
 * Days are cut anew from now on; those that were counted stay. Whoever had UTC days until now takes their run along.
 */
export async function setUserDays(
  query: Kysely<AccountTables>,
  userId: string,
  { timeZone = null, dayStartsAt = null }: { timeZone?: string | null; dayStartsAt?: number | null },
): Promise<void> {
  const own = (utc: RawBuilder<unknown>, column: string) =>
    sql`${sql.ref(column)} = case when time_zone is null then ${utc} else ${sql.ref(column)} end`;
  await sql`
    update user_progress set
      time_zone = coalesce(${timeZone}::text, time_zone, 'UTC'),
      day_starts_at = coalesce(${dayStartsAt}::int, day_starts_at),
      ${own(sql`last_active_on`, 'last_user_day')},
      ${own(sql`run_started_on`, 'user_run_started_on')},
      ${own(sql`longest_run`, 'longest_user_run')},
      ${own(sql`coalesce(last_active_on - run_started_on + 1, 0)`, 'user_run_count')}
    where user_id = ${userId}
  `.execute(query);
}

/** Matches the expression of the unique index. Validation has already folded `email` to lower case. */
export const whereEmail = (email: string) => sql<boolean>`lower(users.email collate "C") = ${email}::text`;

/** What a log-in asks for before it is believed. */
export const credentialsOf = (query: Kysely<AccountTables>, email: string) =>
  query
    .selectFrom('users')
    .select(['id', 'password_hash as passwordHash', 'token_generation as tokenGeneration'])
    .select('suspended_at as suspendedAt')
    .where(whereEmail(email))
    .executeTakeFirst();

import { type Kysely, sql } from 'kysely';
import { columnsOf, type RowOf } from '../database/columns.js';
import type { Columns } from '../database/tables.js';
import { UserProgress } from './progress.entity.js';
import { User } from './user.entity.js';

export type AccountTables = { users: Columns<User>; user_progress: Columns<UserProgress> };

const profile = columnsOf(User, 'passwordHash', 'points', 'currentStreak', 'maxStreak');
const counters = columnsOf(UserProgress, 'userId');

/** A user as both faces show one: the profile and the counters, which live in two rows. */
export type Account = RowOf<typeof profile> & RowOf<typeof counters>;

export const selectAccount = (query: Kysely<AccountTables>) =>
  query
    .selectFrom('users')
    .innerJoin('user_progress', 'user_progress.user_id', 'users.id')
    .select([...profile.of('users'), ...counters.of('user_progress')]);

/** By the unique index. `email` comes folded from the gate. */
export const whereEmail = (email: string) => sql<boolean>`lower(users.email collate "C") = ${email}::text`;

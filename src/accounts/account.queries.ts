import { type Kysely, sql } from 'kysely';
import type { Columns } from '../database/tables.js';
import type { UserProgress } from './progress.entity.js';
import type { User } from './user.entity.js';

export type AccountTables = { users: Columns<User>; user_progress: Columns<UserProgress> };

/** A user as both faces show one: the profile and the counters, which live in two rows. */
export type Account = Omit<User, 'passwordHash'> & Omit<UserProgress, 'userId'>;

const columns = [
  'users.id',
  'users.name',
  'users.email',
  'users.profile_picture as profilePicture',
  'users.created_at as createdAt',
  'users.updated_at as updatedAt',
  'user_progress.points',
  'user_progress.current_streak as currentStreak',
  'user_progress.max_streak as maxStreak',
  'user_progress.last_active_on as lastActiveOn',
  'user_progress.run_started_on as runStartedOn',
  'user_progress.longest_run as longestRun',
] as const;

export const selectAccount = (query: Kysely<AccountTables>) =>
  query.selectFrom('users').innerJoin('user_progress', 'user_progress.user_id', 'users.id').select(columns);

/** As the unique index folds it: other foldings differ between databases. */
export const whereEmail = (email: string) =>
  sql<boolean>`lower(users.email collate "C") = lower(${email}::text collate "C")`;

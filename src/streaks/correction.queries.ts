import { sql } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import { announceProgressToAll } from '../accounts/progress.announcement.js';
import { hasListener } from '../database/announcements/announcements.js';
import type { Columns } from '../database/tables.js';
import type { StreakRun } from './run.entity.js';

export type JobTables = AccountTables & { streak_runs: Columns<StreakRun> };

export type JobRun = Pick<StreakRun, 'id' | 'day' | 'startedAt'>;

/** Parts of a statement that corrects rows (`corrected`): announces the changes, and adds them to the audit. */
export const auditedAndAnnounced = ({ id, day, startedAt }: JobRun) => sql`
    audited as (
      insert into streak_runs as run (id, day, corrected, started_at)
      select ${id}::uuid, ${day}::date, count(*), ${startedAt}::timestamptz from corrected having count(*) > 0
      on conflict (id) do update set corrected = run.corrected + excluded.corrected
    ), announced as (
      select count(${announceProgressToAll('CORRECTED', sql`corrected.user_id`)}) as users from corrected
      where ${hasListener(sql`corrected.user_id`)}
    ), counted as (
      select count(*)::int as corrected from corrected
    )`;

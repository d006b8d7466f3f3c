import { type Kysely, type RawBuilder, sql } from 'kysely';
import { announce, announceToAll } from '../database/announcements/announcements.js';

export const ProgressCause = {
  COMPLETED: 'COMPLETED',
  UNDONE: 'UNDONE',
  CORRECTED: 'CORRECTED',
  PLANNED: 'PLANNED',
  PROFILE: 'PROFILE',
} as const;
export type ProgressCause = keyof typeof ProgressCause;

export const PROGRESS = 'progress';

export interface AnnouncedProgress {
  cause: ProgressCause;
  taskId?: number;
  completionId?: number;
  /** Whether all tasks of the user may have changed: their ids may be too many for an announcement. */
  changedAll?: boolean;
}

/** Add it to the statement or transaction that changes a user's counters or tasks. */
export const announceProgress = (cause: ProgressCause, userId: RawBuilder<unknown>, ids: Ids = {}) =>
  announce(PROGRESS, userId, progressOf(cause, ids));

/** The same, whether somebody listens or not. */
export const announceProgressToAll = (cause: ProgressCause, userId: RawBuilder<unknown>, ids: Ids = {}) =>
  announceToAll(PROGRESS, userId, progressOf(cause, ids));

/** For the transaction that changes what a user plans: a task, which may be gone, or null for all of them. */
export const announcePlanned = <Tables>(query: Kysely<Tables>, userId: string, taskId: number | null) => {
  const ids = taskId === null ? { changedAll: sql`true` } : { taskId: sql`${taskId}::bigint` };
  return sql`select ${announceProgress('PLANNED', sql`${userId}::uuid`, ids)}`.execute(query);
};

/** For the transaction that changes a profile. With other days or weeks, all tasks may stand otherwise. */
export const announceProfile = <Tables>(query: Kysely<Tables>, userId: string, changedAll = false) => {
  const ids = changedAll ? { changedAll: sql`true` } : {};
  return sql`select ${announceProgress('PROFILE', sql`${userId}::uuid`, ids)}`.execute(query);
};

type Ids = Partial<Record<'taskId' | 'completionId' | 'changedAll', RawBuilder<unknown>>>;

function progressOf(cause: ProgressCause, ids: Ids): RawBuilder<unknown> {
  const named = Object.entries(ids).map(([name, id]) => sql`, ${sql.lit(name)}, ${id}`);
  return sql`json_build_object('cause', ${sql.lit(cause)}${sql.join(named, sql``)})`;
}

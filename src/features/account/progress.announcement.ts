import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isListenedTo } from '../../database/announcements/announcements.js';

/** Every change that is told. */
export const EventKind = {
  COMPLETION_RECORDED: 'COMPLETION_RECORDED',
  COMPLETION_UNDONE: 'COMPLETION_UNDONE',
  COMPLETION_CHANGED: 'COMPLETION_CHANGED',
  TASK_CREATED: 'TASK_CREATED',
  TASK_CHANGED: 'TASK_CHANGED',
  TASK_MOVED: 'TASK_MOVED',
  TASK_ARCHIVED: 'TASK_ARCHIVED',
  TASK_UNARCHIVED: 'TASK_UNARCHIVED',
  TASK_DELETED: 'TASK_DELETED',
  DAY_SKIPPED: 'DAY_SKIPPED',
  DAY_UNSKIPPED: 'DAY_UNSKIPPED',
  PAUSE_BEGUN: 'PAUSE_BEGUN',
  PAUSE_CHANGED: 'PAUSE_CHANGED',
  PAUSE_ENDED: 'PAUSE_ENDED',
  CHALLENGE_ACCEPTED: 'CHALLENGE_ACCEPTED',
  CHALLENGE_CHANGED: 'CHALLENGE_CHANGED',
  CHALLENGE_COMPLETED: 'CHALLENGE_COMPLETED',
  CHALLENGE_ABANDONED: 'CHALLENGE_ABANDONED',
  PROFILE_CHANGED: 'PROFILE_CHANGED',
  STREAK_CORRECTED: 'STREAK_CORRECTED',
  IMPORTED: 'IMPORTED',
} as const;
export type EventKind = keyof typeof EventKind;

/** The topic of live updates, which the function `tell` of the database names as well. */
export const PROGRESS = 'progress';

export interface AnnouncedProgress {
  kind: EventKind;
  taskId?: number;
  completionId?: number;
  /** Whether all tasks of the user may have changed: their ids may be too many for an announcement. */
  changedAll?: boolean;
}

/** What the change is of. */
export type Ids = Partial<
  Record<
    'taskId' | 'completionId' | 'challengeId' | 'pauseId' | 'day' | 'changedAll',
    RawBuilder<unknown> | number | string | true
  >
>;

/** A change of a user at an instant. */
export interface Change {
  kind: EventKind;
  userId: RawBuilder<unknown> | string;
  at: RawBuilder<unknown> | Date;
  ids?: Ids;
  /** Tasks that each have an event of it. */
  ofEach?: readonly number[];
}

/**
 * An expression that tells of a change: it keeps an event if the user has a feed, and notifies whoever listens. Put it
 * into the statement or transaction that makes the change, behind all that this locks: then events have their numbers
 * in the order of commits. The function is in the baseline migration.
 */
export const publish = ({ kind, userId, at, ids = {}, ofEach }: Change) => {
  const named = Object.entries(ids).map(([name, id]) => sql`, ${sql.lit(name)}, ${typed(id)}`);
  const change = sql`json_build_object('kind', ${sql.lit(kind)}${sql.join(named, sql``)})`;
  const each = ofEach ? sql`, ${ofEach}::bigint[]` : sql``;
  return sql`tell(${uuid(userId)}, ${at instanceof Date ? sql`${at}::timestamptz` : at}, ${change}${each})`;
};

/** Publishes a change where the user has a feed, which the statement knows, or somebody listens: else nothing is called. */
export const publishIfHeard = (change: Change, hasFeed: RawBuilder<unknown>) =>
  sql`case when ${hasFeed} or ${isListenedTo(uuid(change.userId))} then ${publish(change)} end`;

const uuid = (userId: RawBuilder<unknown> | string) =>
  typeof userId === 'string' ? sql`${userId}::uuid` : userId;

/** For the transaction that makes the change. */
export const announceChange = <Tables>(query: Kysely<Tables>, change: Change) =>
  sql`select ${publish(change)}`.execute(query);

const typed = (id: NonNullable<Ids[keyof Ids]>) => {
  if (typeof id === 'object') return id;
  if (id === true) return sql.lit(true);
  return typeof id === 'number' ? sql`${id}::bigint` : sql`${id}::text`;
};

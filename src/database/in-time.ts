import { sql } from 'kysely';

/**
 * A statement parameter: the latest instant at which the statement may begin. It is a placeholder: the connection
 * replaces it when it sends the statement, because it must be in the server's time; see `PoolConnection`. The
 * embedded database has no network delay and uses the placeholder itself, which lies far in the future.
 */
export type LatestStart = Date & { readonly isLatestStart: true };

/** Marked by a property and not by a class, which would be lost where something replaces `Date`. */
export const latestStart = (): LatestStart =>
  Object.assign(new Date('9999-12-31T23:59:59Z'), { isLatestStart: true as const });

export const isLatestStart = (value: unknown): value is LatestStart =>
  typeof value === 'object' && value !== null && 'isLatestStart' in value;

/** The SQLSTATE that the condition raises. */
export const TOO_LATE = 'ST001';

const latest = sql`${latestStart()}::timestamptz`;

/**
 * A condition for single statements that change something. A statement that was given up may have been delayed on its
 * way; executed late, it would land after newer changes. Transactions do not need it: the server ends those that stay
 * idle. The function raises the error; in time it is not called, which is cheaper.
 */
export const inTime = sql<boolean>`(now() <= ${latest} or assert_in_time(${latest}))`;

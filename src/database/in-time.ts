import { sql } from 'kysely';

/**
 * Stands for the instant by which a statement must have begun; the guard of the pool puts in the real
 * one as it sends the statement. The embedded database, which answers or is gone, takes it as it is.
 */
export const LATEST_START = new Date('9999-12-31T23:59:59Z');

/** The code of the error that the condition raises. */
export const TOO_LATE = 'ST001';

/**
 * A condition for statements that change something by themselves. One that was given up may have been
 * held up on its way; carried out later it would come after what was done since. Transactions need
 * none: the server ends those that wait for their next statement.
 */
export const inTime = sql<boolean>`assert_in_time(${LATEST_START}::timestamptz)`;

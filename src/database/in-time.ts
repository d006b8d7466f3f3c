import { sql } from 'kysely';

/**
 * A parameter of a statement: the instant by which it must have begun. Only the connection knows it, as it sends the
 * statement, for it goes by the clock of the server; see `PoolConnection`. The embedded database, which answers or is
 * gone, takes it as it is: some day in the far future.
 */
export class LatestStart extends Date {
  constructor() {
    super('9999-12-31T23:59:59Z');
  }
}

/** The code of the error that the condition raises. */
export const TOO_LATE = 'ST001';

/**
 * A condition for statements that change something by themselves. One that was given up may have been
 * held up on its way; carried out later it would come after what was done since. Transactions need
 * none: the server ends those that wait for their next statement.
 */
export const inTime = sql<boolean>`assert_in_time(${new LatestStart()}::timestamptz)`;

/**
 * All timeouts, as shares of `REQUEST_TIMEOUT` (5 s unless it is set, see `config.ts`). They are nested: the server
 * cancels a statement before the service gives up waiting for its answer, so that the outcome is known.
 */
const SHARES = {
  /** Timeout for getting a connection. */
  connection: 0.3,
  /** Timeout for the answer to a statement. */
  answer: 0.48,
  /** statement_timeout on the server, and the timeout for a transaction that is idle. */
  statement: 0.38,
  /** lock_timeout on the server. */
  lock: 0.2,
  /** No statement is sent later than this after work on the request began. An answer may still arrive after it. */
  database: 0.5,
  /**
   * The longest wait for a password to be hashed: thirty who sign up at once beside other busy processes get their turns,
   * of which the last comes late.
   */
  hashing: 1.25,
  /**
   * The maximum time that a request waits for its turn: as long as two in front of it may take, and so that the page,
   * which waits 25 seconds, still hears what came of it. The line of its connection has no limit.
   */
  longestWait: 1.4,
  /** The maximum time that an abandoned request keeps its permit. */
  longestWork: 1,
};

export type Timeouts = ReturnType<typeof timeoutsOf>;

/** All timeouts that follow from `REQUEST_TIMEOUT`, in milliseconds. */
export function timeoutsOf(requestTimeout: number) {
  const of = (share: keyof typeof SHARES) => Math.round(SHARES[share] * requestTimeout);
  return {
    /** Timeouts of requests to the database. */
    patience: {
      connection: of('connection'),
      answer: of('answer'),
      statement: of('statement'),
      lock: of('lock'),
      idleTransaction: of('statement'),
    },
    /** How long a request may send statements, counted from when its work began. */
    databaseTime: of('database'),
    hashing: of('hashing'),
    /** How long a request may wait for its turn. */
    longestWait: of('longestWait'),
    /** An abandoned request releases its permit after this time. Work that may take longer has semaphores of its own. */
    longestWork: of('longestWork'),
  };
}

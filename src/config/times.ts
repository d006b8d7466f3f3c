/**
 * Shares of the time that a request has. Each limit contains the next smaller one, so that whoever gives up knows
 * what became of what it waited for: the server has ended a statement before its answer is given up.
 */
const SHARES = {
  /** Waiting for a connection. */
  connection: 0.3,
  /** Waiting for the answer to a statement. */
  answer: 0.48,
  /** The server ends a statement after it, and a transaction that waits for its next one. */
  statement: 0.38,
  /** A statement waits for a lock. */
  lock: 0.2,
  /** The database may be asked, once the request has been read; an answer may still come after it. */
  database: 0.5,
  /** A request waits in line at the door. */
  longestWait: 0.5,
  /** An abandoned request holds its slot. */
  longestWork: 1,
};

export type Times = ReturnType<typeof timesOf>;

/** All times that follow from `REQUEST_TIMEOUT`, in milliseconds. */
export function timesOf(requestTimeout: number) {
  const of = (share: keyof typeof SHARES) => Math.round(SHARES[share] * requestTimeout);
  return {
    /** Of requests with the database. */
    patience: {
      connection: of('connection'),
      answer: of('answer'),
      statement: of('statement'),
      lock: of('lock'),
      idleTransaction: of('statement'),
    },
    /** How long the database may be asked for a request, once that has been read. */
    databaseTime: of('database'),
    /** How long a request may wait in line. */
    longestWait: of('longestWait'),
    /** By then whatever a client has left behind has come to its end. */
    longestWork: of('longestWork'),
  };
}

/** Settings of their own once: who still sets one is told that it does nothing. */
export const FOLLOWING = [
  'DATABASE_CONNECTION_TIMEOUT',
  'DATABASE_ANSWER_TIMEOUT',
  'DATABASE_STATEMENT_TIMEOUT',
  'DATABASE_LOCK_TIMEOUT',
];

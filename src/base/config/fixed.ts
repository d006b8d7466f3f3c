/**
 * The maximum number of requests at work. More would wait for a database connection, or be refused there at ten times
 * the cost; and all of them would take so long on a busy machine that their time runs out, instead of some in line.
 */
export const AT_WORK = 24;

/** The maximum number of requests of one owner at work, so that a busy user leaves room for others. */
export const AT_WORK_OF_ONE = 10;

/** Whether GraphQL documents that Apollo has executed bypass it from then on; `always` is for tests. */
export type FastPath = 'on' | 'off' | 'always';

/** A page of a hundred of the longest tasks fits, and a request stays below 64 MB with its text in three forms. */
const ANSWER_BYTES = 8 * 1_024 * 1_024;

/** Limits that no operator has asked to set. Tests put others into their `Config`. */
export const fixed = {
  /** Of one GraphQL operation: a home screen of 100 tasks with 3 completions each and twelve months passes. */
  operation: {
    /** The parser stops counting there. */
    tokens: 2_000,
    depth: 12,
    aliases: 30,
    rootFields: 20,
    /** The size of the answer, in bytes. */
    answer: ANSWER_BYTES,
  },
  /** Requests that hold a slot: those at work, and those in line. */
  maxRequests: 1_000,
  /** The maximum number of requests at work. */
  atWork: AT_WORK,
  /** Subscriptions and WebSockets of one user on one process: with so many, a change takes half a second to reach all. */
  liveMaxPerUser: 1_000,
  /** Subscriptions and WebSockets of all users together: what one process has been measured with. */
  liveMaxPerProcess: 10_000,
  /** The cost of one event for one subscription. Events come unasked, so it is a fifth of a request's. */
  liveMaxCost: 5_000,
  fastPath: 'on' as FastPath,
};

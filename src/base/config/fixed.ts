/**
 * The maximum number of requests at work. More would wait for a database connection, or be refused there at ten times
 * the cost; and all of them would take so long on a busy machine that their time runs out, instead of that of some who wait.
 */
export const AT_WORK = 24;

/** The maximum number of requests of one owner at work, so that a busy user leaves room for others. */
export const AT_WORK_OF_ONE = 10;

/** Whether GraphQL documents that Apollo has executed bypass it from then on; `always` is for tests. */
export type FastPath = 'on' | 'off' | 'always';

/** A page of a hundred of the longest tasks fits, and a request stays below 64 MB with its text in three forms. */
const ANSWER_BYTES = 8 * 1_024 * 1_024;

/**
 * Limits that no operator has asked to set. Tests put others into their `Config`, and where they start processes, with
 * `NODE_ENV=test`, into TEST_LIMITS as JSON.
 */
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
    cost: 25_000,
  },
  /** Requests that hold a permit: those at work, and those that wait. */
  maxRequests: 1_000,
  /** The maximum number of requests at work. */
  atWork: AT_WORK,
  /** Subscriptions and WebSockets of one user on one process: with so many, a change takes half a second to reach all. */
  liveMaxPerUser: 1_000,
  /** Subscriptions and WebSockets of all users together: they leave room for requests among `maxConnections`. */
  liveMaxPerProcess: 8_000,
  /** WebSockets from one network that have no user, or not yet. */
  liveMaxOfStrangers: 1_000,
  /** The cost of one event for one subscription. Events come unasked, so it is a fifth of a request's. */
  liveMaxCost: 5_000,
  fastPath: 'on' as FastPath,
  /** Connections to the database, of all workers: more keep a server busier, and answer no more. */
  databasePoolSize: 10,
  /** In milliseconds: how long a start waits for a server that cannot be reached yet. */
  databaseStartTimeout: 60_000,
  /** In bytes. Large bodies are parsed one at a time: a megabyte of brackets holds a process up for a tenth of a second. */
  bodyLimit: 262_144,
  /** In bytes: some 130,000 completions. */
  importLimit: 16_777_216,
  /** At worst one takes 200 kB. Beyond them new ones are closed at once, with those that lie idle. */
  maxConnections: 10_000,
  /** Of bcrypt: each step doubles the time, which is 60 ms for ten. Stored passwords keep theirs. */
  hashCost: 10,
  /** In milliseconds: less than the idle timeout of any proxy. */
  liveHeartbeat: 12_000,
  /** Failed log-ins within a quarter of an hour: to one account from one address, and from one address to any. */
  loginAttemptsPerAccount: 10,
  loginAttemptsPerAddress: 300,
};

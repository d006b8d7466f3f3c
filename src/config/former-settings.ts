const FOLLOWS = 'this time follows from REQUEST_TIMEOUT';
const ONE_SERVER = 'all is read from the server of DATABASE_URL';
const CONSTANT = 'this limit is a constant now';
const FAST_PATH = 'the fast path is always on';

/** Settings that no longer exist, and what holds instead. Setting one of them logs a warning. */
export const FORMER_SETTINGS = {
  DATABASE_CONNECTION_TIMEOUT: FOLLOWS,
  DATABASE_ANSWER_TIMEOUT: FOLLOWS,
  DATABASE_STATEMENT_TIMEOUT: FOLLOWS,
  DATABASE_LOCK_TIMEOUT: FOLLOWS,
  DATABASE_REPLICA_URL: ONE_SERVER,
  DATABASE_REPLICA_URL_FILE: ONE_SERVER,
  DATABASE_REPLICA_MAX_LAG: ONE_SERVER,
  ANSWER_LIMIT: CONSTANT,
  GRAPHQL_LANE: FAST_PATH,
  GRAPHQL_MAX_TOKENS: CONSTANT,
  GRAPHQL_MAX_DEPTH: CONSTANT,
  GRAPHQL_MAX_ALIASES: CONSTANT,
  GRAPHQL_MAX_ROOT_FIELDS: CONSTANT,
  LIVE_MAX_PER_USER: CONSTANT,
  LIVE_MAX_PER_PROCESS: CONSTANT,
  LIVE_MAX_COST: CONSTANT,
  MAX_REQUESTS: CONSTANT,
  SQL_COMMENTS: 'statements carry no comments',
  HASH_WORKERS: 'two threads hash passwords',
  HASH_QUEUE: 'passwords wait for a thread as long as REQUEST_TIMEOUT allows',
};

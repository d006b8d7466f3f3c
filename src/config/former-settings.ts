const FOLLOWS = 'this time follows from REQUEST_TIMEOUT';
const ONE_SERVER = 'all is read from the server of DATABASE_URL';

/** Settings that no longer exist, and what holds instead. Setting one of them logs a warning. */
export const FORMER_SETTINGS = {
  DATABASE_CONNECTION_TIMEOUT: FOLLOWS,
  DATABASE_ANSWER_TIMEOUT: FOLLOWS,
  DATABASE_STATEMENT_TIMEOUT: FOLLOWS,
  DATABASE_LOCK_TIMEOUT: FOLLOWS,
  DATABASE_REPLICA_URL: ONE_SERVER,
  DATABASE_REPLICA_URL_FILE: ONE_SERVER,
  DATABASE_REPLICA_MAX_LAG: ONE_SERVER,
};

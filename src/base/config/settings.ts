import { problemInUrl } from './database-url.js';
import {
  type Listener,
  listener,
  listOfOrigins,
  oneOf,
  processes,
  publicPath,
  publicUrl,
  type Setting,
  type SettingsOfFeatures,
  text,
  trustedProxies,
  type ValuesOf,
  whole,
} from './setting.js';

export const MOST_WORKERS = 64;

const address = (name: string, about: string): Setting<string | undefined> => ({
  ...{ name, about },
  allowed: 'a URL that begins with postgres://',
  read: (value) => (problemInUrl(value) === undefined ? value : undefined),
  fallback: undefined,
  secret: true,
  problemIn: problemInUrl,
});

const ofReach = {
  environment: oneOf(
    'NODE_ENV',
    '`production` refuses to start without a good `JWT_SECRET`, and listens on all addresses. `test` is for tests.',
    'development',
    ['development', 'test', 'production'],
  ),
  host: {
    ...text('HOST', 'The address to listen on.'),
    unset: 'in production `0.0.0.0`, else `127.0.0.1`',
  },
  port: whole('PORT', 'The port; 0 picks a free one, which the log names.', 3000, [0, 65_535]),
  ui: oneOf('UI', '`off`: no page at `/`; devices that keep it delete it the next time they open it.', 'on', [
    'on',
    'off',
  ]),
  publicUrl: {
    name: 'PUBLIC_URL',
    about:
      'The address at which people open the service, such as `https://habits.example.com`, perhaps with a path. Links in mails and reminders begin with it.',
    allowed:
      'the address at which people open the service, such as https://habits.example.com, perhaps with a path below which the service does not answer itself',
    read: publicUrl,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  publicPath: {
    name: 'PUBLIC_PATH',
    about: '',
    instead: 'PUBLIC_URL has the path, as in https://example.org/habits',
    allowed: 'a path such as /habits, and none of those below which the service answers itself',
    read: publicPath,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  trustProxy: {
    name: 'TRUST_PROXY',
    about:
      'The proxies whose `X-Forwarded-For` is believed: their number, or addresses, ranges, `loopback`, `linklocal`, `uniquelocal`, separated by commas.',
    allowed:
      'a number of proxies, or addresses, ranges, loopback, linklocal, uniquelocal, separated by commas',
    read: trustedProxies,
    fallback: undefined,
    unset: 'unset: none',
  } satisfies Setting<number | string[] | undefined>,
  corsOrigins: {
    name: 'CORS_ORIGINS',
    about:
      'Web pages of other origins that may call the APIs, such as `https://app.example.com`, separated by commas.',
    allowed: 'origins such as https://app.example.com, separated by commas',
    read: listOfOrigins,
    fallback: [],
    unset: 'unset: none',
  } satisfies Setting<string[]>,
  jwtSecret: {
    ...text(
      'JWT_SECRET',
      'The secret that signs tokens: in production required, at least 32 random characters (`openssl rand -base64 48`).',
    ),
    unset: 'development: made, and kept in `DATA_DIR`',
    secret: true,
    verbatim: true,
  },
};

const ofDatabase = {
  databaseUrl: {
    ...address(
      'DATABASE_URL',
      'A PostgreSQL server, 14 or newer: `postgres://user:password@host/name`, with [`sslmode`](#sslmode). In a user name or password, `@` is written `%40`, `/` `%2F`, `:` `%3A`, `?` `%3F`, `#` `%23` and `%` `%25`. A socket: `postgres://user@localhost/name?host=/var/run/postgresql`. Before: `createuser --pwprompt steady` and `createdb --owner steady steady`.',
    ),
    unset: 'unset: the embedded database',
  },
  databaseDirectUrl: address(
    'DATABASE_DIRECT_URL',
    'The same database without the [pooler](scaling.md#poolers) that `DATABASE_URL` leads to.',
  ),
  dataDir: text(
    'DATA_DIR',
    "The directory of the embedded database and of the development secret: new, empty or Steady's own. An installed `steady` has [a default of its own](#install).",
    '.data',
  ),
  workers: processes(
    'WORKERS',
    '[Processes that answer](#all-cores), up to 64; `auto`: one on each core.',
    1,
    MOST_WORKERS,
  ),
  requestTimeout: whole(
    'REQUEST_TIMEOUT',
    'Milliseconds within which a request is answered once it is at work, from 1,000 to 600,000; [other times follow from it](#limits).',
    5_000,
    [1_000, 600_000],
  ),
};

const ofOperation = {
  backupDir: {
    ...text(
      'BACKUP_DIR',
      'The folder for [backups by the service itself](#backups). Give each database its own.',
    ),
    unset: 'unset: no backups',
  },
  backupEvery: whole('BACKUP_EVERY', 'Hours after which the next backup is made.', 24, [1, 8_760]),
  backupKeep: whole('BACKUP_KEEP', 'Backups that stay in the folder.', 14, [1, 10_000]),
  logLevel: oneOf('LOG_LEVEL', '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.', 'info', [
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  ]),
  logRequests: oneOf(
    'LOG_REQUESTS',
    'Which requests have a [line in the log](#the-log): `all`, `errors` or `none`.',
    'all',
    ['all', 'errors', 'none'],
  ),
  metrics: {
    name: 'METRICS_PORT',
    about:
      'The port of [metrics](#metrics) on this machine alone; `0.0.0.0:9464` is on all its addresses: keep clients away from it.',
    allowed: 'a port from 1 to 65535, perhaps with an address before it, such as 0.0.0.0:9464',
    read: listener,
    fallback: undefined,
    unset: 'unset: no metrics',
  } satisfies Setting<Listener | undefined>,
};

/** The variables that the service reads, apart from those of features, under the titles of docs/operate.md. */
export const chapters = {
  'Who reaches it': ofReach,
  'The database, and the processes': ofDatabase,
  'Backups, and what is watched': ofOperation,
};

export const settings = { ...ofReach, ...ofDatabase, ...ofOperation };

export interface Values extends ValuesOf<typeof settings>, SettingsOfFeatures {
  /** Where to make the secret, if it is to be there and is not. */
  jwtSecretFile: string | undefined;
}

/** Settings, and what is said of their values. */
export interface Declared {
  settings: Readonly<Record<string, Setting<unknown>>>;
  /** What is wrong with values that are allowed each by itself. `isNamed`: whether a problem of a variable is told already. */
  problems?: (values: Values, isNamed: (name: string) => boolean) => string[];
  /** What is allowed, and may be a mistake. */
  warnings?: (values: Values, environment: NodeJS.ProcessEnv) => string[];
}

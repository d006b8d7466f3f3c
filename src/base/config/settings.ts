import { problemInUrl } from './database-url.js';
import {
  type Listener,
  listener,
  listOfOrigins,
  oneOf,
  processes,
  publicUrl,
  type Setting,
  type SettingsOfFeatures,
  text,
  trustedProxies,
  type ValuesOf,
  whole,
} from './setting.js';

export const MOST_WORKERS = 64;

const address = (name: string): Setting<string | undefined> => ({
  name,
  allowed: 'a URL that begins with postgres://',
  read: (value) => (problemInUrl(value) === undefined ? value : undefined),
  fallback: undefined,
  secret: true,
  problemIn: problemInUrl,
});

/** The variables that the service reads, apart from those of features. */
export const settings = {
  environment: oneOf('NODE_ENV', 'development', ['development', 'test', 'production']),
  host: text('HOST', undefined),
  port: whole('PORT', 3000, 0, 65_535),
  metrics: {
    name: 'METRICS_PORT',
    allowed: 'a port from 1 to 65535, perhaps with an address before it, such as 0.0.0.0:9464',
    read: listener,
    fallback: undefined,
  } satisfies Setting<Listener | undefined>,
  publicUrl: {
    name: 'PUBLIC_URL',
    allowed:
      'the address at which people open the service, such as https://habits.example.com, perhaps with a path below which the service does not answer itself',
    read: publicUrl,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  workers: processes('WORKERS', 1, MOST_WORKERS),
  databaseUrl: address('DATABASE_URL'),
  databaseDirectUrl: address('DATABASE_DIRECT_URL'),
  requestTimeout: whole('REQUEST_TIMEOUT', 5_000, 1_000, 600_000),
  dataDir: text('DATA_DIR', '.data'),
  backupDir: text('BACKUP_DIR', undefined),
  backupEvery: whole('BACKUP_EVERY', 24, 1, 8_760),
  backupKeep: whole('BACKUP_KEEP', 14, 1, 10_000),
  jwtSecret: { ...text('JWT_SECRET', undefined), secret: true, verbatim: true },
  logRequests: oneOf('LOG_REQUESTS', 'all', ['all', 'errors', 'none']),
  logLevel: oneOf('LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  trustProxy: {
    name: 'TRUST_PROXY',
    allowed:
      'a number of proxies, or addresses, ranges, loopback, linklocal, uniquelocal, separated by commas',
    read: trustedProxies,
    fallback: undefined,
  } satisfies Setting<number | string[] | undefined>,
  corsOrigins: {
    name: 'CORS_ORIGINS',
    allowed: 'origins such as https://app.example.com, separated by commas',
    read: listOfOrigins,
    fallback: [],
  } satisfies Setting<string[]>,
  ui: oneOf('UI', 'on', ['on', 'off']),
};

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

import { problemInUrl } from './database-url.js';
import {
  listOfOrigins,
  oneOf,
  onOff,
  processes,
  publicPath,
  type Setting,
  type SettingsOfFeatures,
  text,
  trustedProxies,
  url,
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
  metricsHost: { ...text('METRICS_HOST', undefined), fallback: '127.0.0.1' } satisfies Setting<string>,
  metricsPort: {
    ...whole('METRICS_PORT', 0, 1, 65_535),
    fallback: undefined,
  } satisfies Setting<number | undefined>,
  publicPath: {
    name: 'PUBLIC_PATH',
    allowed: 'a path such as /habits, and none of those below which the service answers itself',
    read: publicPath,
    fallback: '',
  } satisfies Setting<string>,
  publicUrl: url(
    'PUBLIC_URL',
    'the address at which people open the service, such as https://habits.example.com',
  ),
  workers: processes('WORKERS', 1, MOST_WORKERS),
  databaseUrl: address('DATABASE_URL'),
  databaseDirectUrl: address('DATABASE_DIRECT_URL'),
  databasePoolSize: whole('DATABASE_POOL_SIZE', 10, 1, 1_000),
  databaseStartTimeout: whole('DATABASE_START_TIMEOUT', 60_000, 0, 3_600_000),
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
  bodyLimit: whole('BODY_LIMIT', 262_144, 1_024, 104_857_600),
  importLimit: whole('IMPORT_LIMIT', 16_777_216, 1_024, 104_857_600),
  maxConnections: whole('MAX_CONNECTIONS', 10_000, 10, 1_000_000),
  hashCost: whole('HASH_COST', 10, 4, 16),
  liveHeartbeat: whole('LIVE_HEARTBEAT', 12_000, 1_000, 3_600_000),
  ui: oneOf('UI', 'on', ['on', 'off']),
  introspection: onOff('GRAPHQL_INTROSPECTION', true),
  maxCost: whole('GRAPHQL_MAX_COST', 25_000, 100, 1_000_000_000),
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

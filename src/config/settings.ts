import { problemInUrl } from './database-url.js';
import {
  baseUrl,
  issuer,
  listOfHosts,
  listOfOrigins,
  oneOf,
  onOff,
  processes,
  publicPath,
  type Setting,
  text,
  trustedProxies,
  whole,
} from './setting.js';
import { problemInSmtpUrl, type Sender, senderIn } from './smtp-url.js';

export const MOST_WORKERS = 64;

const address = (name: string): Setting<string | undefined> => ({
  name,
  allowed: 'a URL that begins with postgres://',
  read: (value) => (problemInUrl(value) === undefined ? value : undefined),
  fallback: undefined,
  secret: true,
  problemIn: problemInUrl,
});

/** All variables that the service reads. */
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
  publicUrl: {
    name: 'PUBLIC_URL',
    allowed: 'the address at which people open the service, such as https://habits.example.com',
    read: baseUrl,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  ntfyUrl: {
    name: 'NTFY_URL',
    allowed: 'the address of an ntfy server, such as http://ntfy or https://ntfy.example.com',
    read: baseUrl,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  appriseUrl: {
    name: 'APPRISE_URL',
    allowed: 'the address of an Apprise API, such as http://apprise:8000',
    read: baseUrl,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  pushHosts: {
    name: 'PUSH_HOSTS',
    allowed: 'names of hosts such as push.example.com or *.example.com, separated by commas',
    read: listOfHosts,
    fallback: [],
  } satisfies Setting<string[]>,
  reminders: oneOf('REMINDERS', 'on', ['on', 'off']),
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
  signUp: oneOf('SIGN_UP', 'open', ['open', 'oidc', 'closed']),
  loginAttemptsPerAccount: whole('LOGIN_ATTEMPTS_PER_ACCOUNT', 10, 1, 1_000_000),
  loginAttemptsPerAddress: whole('LOGIN_ATTEMPTS_PER_ADDRESS', 300, 1, 1_000_000),
  loginWindow: whole('LOGIN_WINDOW', 900, 1, 86_400),
  smtpUrl: {
    name: 'SMTP_URL',
    allowed: 'a URL that begins with smtp:// or smtps://',
    read: (value) => (problemInSmtpUrl(value) === undefined ? value : undefined),
    fallback: undefined,
    secret: true,
    problemIn: problemInSmtpUrl,
  } satisfies Setting<string | undefined>,
  mailFrom: {
    name: 'MAIL_FROM',
    allowed: 'an e-mail address, alone or as in Steady <habits@example.com>',
    read: senderIn,
    fallback: undefined,
  } satisfies Setting<Sender | undefined>,
  oidcIssuer: {
    name: 'OIDC_ISSUER',
    allowed: 'the https address that the provider calls its issuer',
    read: issuer,
    fallback: undefined,
  } satisfies Setting<string | undefined>,
  oidcClientId: text('OIDC_CLIENT_ID', undefined),
  oidcClientSecret: { ...text('OIDC_CLIENT_SECRET', undefined), secret: true, verbatim: true },
  oidcName: text('OIDC_NAME', undefined),
  oidcAllowHttp: onOff('OIDC_ALLOW_HTTP', false),
  backdateHours: whole('BACKDATE_HOURS', 168, 0, 8_760),
  liveHeartbeat: whole('LIVE_HEARTBEAT', 12_000, 1_000, 3_600_000),
  ui: oneOf('UI', 'on', ['on', 'off']),
  introspection: onOff('GRAPHQL_INTROSPECTION', true),
  trustedDocuments: { ...text('GRAPHQL_TRUSTED_DOCUMENTS', undefined), allowed: 'the path of a manifest' },
  maxCost: whole('GRAPHQL_MAX_COST', 25_000, 100, 1_000_000_000),
};

export type Values = {
  [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never;
};

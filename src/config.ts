import { problemInUrl } from './config/database-url.js';
import { misnamed } from './config/names.js';
import { platformWithProxy } from './config/proxies.js';
import {
  coresUpTo,
  listOfOrigins,
  oneOf,
  onOff,
  processes,
  publicPath,
  type Setting,
  text,
  trustedProxies,
  whole,
} from './config/setting.js';
import { FORMER_SETTINGS, type Timeouts, timeoutsOf } from './config/timeouts.js';
import { AT_WORK } from './request.js';

const MOST_WORKERS = 64;

export const settings = {
  environment: oneOf('NODE_ENV', 'development', ['development', 'test', 'production']),
  host: text('HOST', undefined),
  port: whole('PORT', 3000, 0, 65_535),
  publicPath: {
    name: 'PUBLIC_PATH',
    allowed: 'a path such as /habits, and none of those below which the service answers itself',
    read: publicPath,
    fallback: '',
  } satisfies Setting<string>,
  workers: processes('WORKERS', 1, MOST_WORKERS),
  databaseUrl: {
    name: 'DATABASE_URL',
    allowed: 'a URL that begins with postgres://',
    read: (value) => (problemInUrl(value) === undefined ? value : undefined),
    fallback: undefined,
    secret: true,
    problemIn: problemInUrl,
  } satisfies Setting<string | undefined>,
  databasePoolSize: whole('DATABASE_POOL_SIZE', 10, 1, 1_000),
  databasePrepared: oneOf('DATABASE_PREPARED', 'auto', ['auto', 'on', 'off']),
  databaseStartTimeout: whole('DATABASE_START_TIMEOUT', 60_000, 0, 3_600_000),
  requestTimeout: whole('REQUEST_TIMEOUT', 5_000, 1_000, 600_000),
  dataDir: text('DATA_DIR', '.data'),
  embeddedFsync: onOff('EMBEDDED_FSYNC', true),
  backupDir: text('BACKUP_DIR', undefined),
  backupEvery: whole('BACKUP_EVERY', 24, 1, 8_760),
  backupKeep: whole('BACKUP_KEEP', 14, 1, 10_000),
  jwtSecret: { ...text('JWT_SECRET', undefined), secret: true, verbatim: true },
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
  answerLimit: whole('ANSWER_LIMIT', 8_388_608, 1_048_576, 16_777_216),
  maxRequests: whole('MAX_REQUESTS', 300, 1, 100_000),
  hashWorkers: whole('HASH_WORKERS', 2, 1, 64),
  hashQueue: whole('HASH_QUEUE', 32, 1, 100_000),
  hashCost: whole('HASH_COST', 10, 4, 16),
  signUp: oneOf('SIGN_UP', 'open', ['open', 'closed']),
  loginAttemptsPerAccount: whole('LOGIN_ATTEMPTS_PER_ACCOUNT', 10, 1, 1_000_000),
  loginAttemptsPerAddress: whole('LOGIN_ATTEMPTS_PER_ADDRESS', 300, 1, 1_000_000),
  loginWindow: whole('LOGIN_WINDOW', 900, 1, 86_400),
  backdateHours: whole('BACKDATE_HOURS', 48, 0, 8_760),
  liveHeartbeat: whole('LIVE_HEARTBEAT', 12_000, 1_000, 3_600_000),
  liveMaxPerUser: whole('LIVE_MAX_PER_USER', 1_000, 1, 1_000_000),
  liveMaxPerProcess: whole('LIVE_MAX_PER_PROCESS', 10_000, 1, 1_000_000),
  liveMaxCost: whole('LIVE_MAX_COST', 5_000, 10, 1_000_000_000),
  ui: oneOf('UI', 'on', ['on', 'off']),
  introspection: onOff('GRAPHQL_INTROSPECTION', true),
  graphqlLane: oneOf('GRAPHQL_LANE', 'on', ['on', 'off', 'always']),
  trustedDocuments: { ...text('GRAPHQL_TRUSTED_DOCUMENTS', undefined), allowed: 'the path of a manifest' },
  maxTokens: whole('GRAPHQL_MAX_TOKENS', 2_000, 100, 1_000_000),
  maxDepth: whole('GRAPHQL_MAX_DEPTH', 12, 3, 1_000),
  maxAliases: whole('GRAPHQL_MAX_ALIASES', 30, 0, 10_000),
  maxRootFields: whole('GRAPHQL_MAX_ROOT_FIELDS', 20, 1, 10_000),
  maxCost: whole('GRAPHQL_MAX_COST', 25_000, 100, 1_000_000_000),
};

type Values = { [K in keyof typeof settings]: (typeof settings)[K] extends Setting<infer T> ? T : never };
type Limit = 'answerLimit' | 'maxTokens' | 'maxDepth' | 'maxAliases' | 'maxRootFields' | 'maxCost';

/** The limits of one GraphQL operation. */
export interface GraphqlLimits {
  /** The parser stops counting there. */
  tokens: number;
  depth: number;
  aliases: number;
  rootFields: number;
  cost: number;
  /** The size of the answer, in bytes. */
  answer: number;
}

export interface Config extends Omit<Values, 'host' | 'workers' | 'dataDir' | 'requestTimeout' | Limit> {
  host: string;
  /** The number of processes that answer. */
  workers: number;
  dataDir: string;
  production: boolean;
  /** Whose proxies stand before this process, where its variables tell. */
  platform: string | undefined;
  /** Settings that are valid but may be a mistake: logged at the start. */
  warnings: string[];
  timeouts: Timeouts;
  limits: GraphqlLimits;
  /** The maximum number of requests at work. */
  atWork: number;
  /** In bytes: how much of their bodies all clients together may have sent before they are complete. */
  unfinishedLimit: number;
  /** In bytes: how much of their answers all clients together may leave unread. */
  unreadLimit: number;
}

/** Wrong settings, one line each. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Whoever guesses the secret can sign tokens. Thirty-two random hexadecimal digits have about fourteen different
 * characters.
 */
function weaknessOf(secret: string | undefined): string | undefined {
  if (!secret) return 'not set';
  if (secret.length < 32) return 'too short';
  return new Set(secret).size < 8 ? 'not random' : undefined;
}

function problemOf(setting: Setting<unknown>, given: string): string | undefined {
  const { allowed, read, secret, verbatim, problemIn } = setting;
  const value = read(given);
  const isText = typeof value === 'string' && !verbatim;
  if (isText && given !== given.trim()) return 'begins or ends with white space: take it away';
  if (isText && !secret && /\p{Cc}/u.test(given)) return 'has a control character in it: take it out';
  if (value !== undefined) return undefined;
  return problemIn?.(given) ?? `is ${secret ? 'not valid' : JSON.stringify(given)}, but must be ${allowed}`;
}

/** An empty variable counts as unset: that is the intention behind `PORT= npm start` and most process managers. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const names = Object.values<Setting<unknown>>(settings).map(({ name }) => name);
  const problems = misnamed(environment, names).map(
    ({ given, meant }) => `${given} is not a setting: ${meant} is. Rename it, or set ${meant} as well.`,
  );
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([key, setting]) => {
      const given = environment[setting.name];
      if (given === undefined || given === '') return [key, setting.fallback];
      const problem = problemOf(setting, given);
      if (problem) problems.push(`${setting.name} ${problem}.`);
      return [key, problem ? undefined : setting.read(given)];
    }),
  ) as Values;

  problems.push(...problemsTogether(values, problems));
  if (problems.length > 0) throw new ConfigError(problems);

  const production = values.environment === 'production';
  const host = values.host ?? (production ? '0.0.0.0' : '127.0.0.1');
  const { maxTokens, maxDepth, maxAliases, maxRootFields, maxCost, answerLimit, ...others } = values;
  const { requestTimeout, workers: _, ...rest } = others;
  const limits = {
    tokens: maxTokens,
    depth: maxDepth,
    aliases: maxAliases,
    rootFields: maxRootFields,
    cost: maxCost,
    answer: answerLimit,
  };
  const unreadLimit = ANSWERS_UNREAD * answerLimit;
  const unfinishedLimit = Math.max(BODIES_UNFINISHED, 2 * rest.bodyLimit + rest.importLimit);
  const workers = workersOf(values);
  const dataDir = values.dataDir ?? '.data';
  const isEmbedded = production && !values.databaseUrl;
  const warnings = [
    ...(isEmbedded ? [embeddedWarning(dataDir, values.embeddedFsync, environment)] : []),
    ...[settings.backupEvery, settings.backupKeep]
      .filter(({ name }) => environment[name] && !values.backupDir)
      .map(({ name }) => `${name} has no effect without BACKUP_DIR: no backups are made.`),
    ...FORMER_SETTINGS.filter((name) => environment[name]).map(
      (name) => `${name} has no effect any more: this time follows from ${settings.requestTimeout.name}.`,
    ),
  ];
  const timeouts = timeoutsOf(requestTimeout);
  const platform = platformWithProxy(environment);
  const derived = { platform, workers, timeouts, atWork: AT_WORK, unfinishedLimit, unreadLimit, limits };
  return { ...rest, ...derived, host, dataDir, production, warnings };
}

/** The problems of values that are allowed each by itself. `found` are those of single values. */
function problemsTogether(values: Values, found: string[]): string[] {
  const problems: string[] = [];
  const production = values.environment === 'production';
  const isNamed = found.some((problem) => problem.includes(settings.jwtSecret.name)); // set but wrong, so that "not set" would be misleading
  const secretProblem = production && !isNamed ? weaknessOf(values.jwtSecret) : undefined;
  if (secretProblem) {
    problems.push(`JWT_SECRET is ${secretProblem}, but must be at least 32 random characters in production.`);
  }
  if (production && values.hashCost < 10) {
    problems.push(`HASH_COST is ${values.hashCost}, but must be at least 10 in production.`);
  }
  const isUrlNamed = found.some((problem) => problem.includes(settings.databaseUrl.name));
  if (!values.databaseUrl && !isUrlNamed && workersOf(values) > 1) {
    problems.push(
      `WORKERS is ${values.workers}, but the embedded database is for one process: set DATABASE_URL, or WORKERS to 1.`,
    );
  }
  return problems;
}

/** The embedded database is for one process. */
function workersOf({ workers, databaseUrl }: Pick<Values, 'workers' | 'databaseUrl'>): number {
  if (workers !== 'auto') return workers;
  return databaseUrl ? coresUpTo(MOST_WORKERS) : 1;
}

function embeddedWarning(
  dataDir: string,
  isDurable: boolean | undefined,
  environment: NodeJS.ProcessEnv,
): string {
  const others = Object.keys(environment).filter((name) => /^postgres(ql)?:/.test(environment[name] ?? ''));
  const hint = others.length > 0 ? ` There is an address of a server in ${others.join(', ')}.` : '';
  const loss = isDurable ? '' : ' and, with EMBEDDED_FSYNC off, does not survive the loss of power';
  return `DATABASE_URL is not set: production runs on the embedded database in ${dataDir}, which is for one process${loss}.${hint}`;
}

/** In bytes. Two bodies of the maximum size always fit, and beside them a file that is imported. */
const BODIES_UNFINISHED = 64 * 1_024 * 1_024;

/** How many answers of maximum size may be held for slow clients at a time. */
const ANSWERS_UNREAD = 8;

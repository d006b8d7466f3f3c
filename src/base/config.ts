import { strangeParametersIn } from './config/database-url.js';
import { fixed } from './config/fixed.js';
import { goneIn, misnamed } from './config/names.js';
import { fileVariable, withPairs, withSecretFiles } from './config/secret-files.js';
import { coresUpTo, isLoopback, pathOf, type Setting } from './config/setting.js';
import { type Declared, MOST_WORKERS, settings, type Values } from './config/settings.js';
import { type Timeouts, timeoutsOf } from './config/timeouts.js';

export { isLoopback };

/** The limits of one GraphQL operation. */
export type GraphqlLimits = typeof fixed.operation;

type Derived = 'host' | 'workers' | 'dataDir' | 'requestTimeout' | 'publicPath';

export interface Config extends Omit<Values, Derived>, Omit<typeof fixed, 'operation'> {
  host: string;
  /** Below which a proxy shows the service: PUBLIC_PATH, or the path of PUBLIC_URL. */
  publicPath: string;
  /** The number of processes that answer. */
  workers: number;
  dataDir: string;
  production: boolean;
  /** The secrets that were read from files, by the names of their variables. */
  fromFiles: Record<string, string>;
  /** Settings that are valid but may be a mistake: logged at the start. */
  warnings: string[];
  timeouts: Timeouts;
  limits: GraphqlLimits;
}

/** Those of no feature. */
export const ownSettings: Declared = { settings, problems: problemsTogether, warnings: warningsOf };

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
export function readSettings(parts: readonly Declared[], given = process.env): Config {
  const entries = parts.flatMap((part) => Object.entries(part.settings));
  const all = entries.map(([, setting]) => setting);
  const names = all.map(({ name }) => name);
  const secrets = all.filter(({ secret }) => secret).map(({ name }) => name);
  const near = misnamed(withPairs(given, secrets), [...names, ...secrets.map(fileVariable)]).map(
    ({ given, meant }) => `${given} is not a setting, and has no effect: did you mean ${meant}?`,
  );
  near.push(...goneIn(given));
  const files = withSecretFiles(given, secrets, [settings.jwtSecret.name]);
  const { environment } = files;
  const problems = [...files.problems];
  const jwtSecretFile = environment.JWT_SECRET ? undefined : environment.JWT_SECRET_FILE || undefined;
  const read = Object.fromEntries(
    entries.map(([key, setting]) => {
      const given = environment[setting.name];
      if (given === undefined || given === '') return [key, setting.fallback];
      if (setting.instead)
        near.push(`${setting.name} is an old setting, to be left out: ${setting.instead}.`);
      const problem = problemOf(setting, given);
      if (problem) problems.push(`${setting.name} ${problem}.`);
      return [key, problem ? undefined : setting.read(given)];
    }),
  );
  const values = { ...read, jwtSecretFile } as Values;

  const told = [...problems];
  const isNamed = (name: string) => told.some((problem) => problem.startsWith(name));
  problems.push(...parts.flatMap((part) => part.problems?.(values, isNamed) ?? []));
  if (problems.length > 0) throw new ConfigError([...problems, ...near]);

  const production = values.environment === 'production';
  const host = values.host ?? (production ? '0.0.0.0' : '127.0.0.1');
  const { requestTimeout, workers: _, ...rest } = values;
  const { operation: limits, ...others } = fixed;
  const workers = values.workers === 'auto' ? coresUpTo(MOST_WORKERS) : values.workers;
  const dataDir = values.dataDir ?? '.data';
  const mistakes = parts.flatMap((part) => part.warnings?.(values, environment) ?? []);
  const timeouts = timeoutsOf(requestTimeout);
  const publicPath = values.publicPath ?? pathOf(values.publicUrl);
  const derived = { fromFiles: files.fromFiles, workers, timeouts, limits, publicPath };
  const ofTests = values.environment === 'test' ? JSON.parse(given.TEST_LIMITS ?? '{}') : {};
  return {
    ...others,
    ...ofTests,
    ...rest,
    ...derived,
    host,
    dataDir,
    production,
    warnings: [...near, ...files.warnings, ...mistakes],
  };
}

function problemsTogether(values: Values, isNamed: (name: string) => boolean): string[] {
  const problems: string[] = [];
  const production = values.environment === 'production';
  // Where it is set but wrong, "not set" would be misleading.
  const isAsked = production && !isNamed(settings.jwtSecret.name) && values.jwtSecretFile === undefined;
  const secretProblem = isAsked ? weaknessOf(values.jwtSecret) : undefined;
  if (secretProblem) {
    problems.push(`JWT_SECRET is ${secretProblem}, but must be at least 32 random characters in production.`);
  }
  if (!values.databaseUrl && !isNamed(settings.databaseUrl.name) && values.databaseDirectUrl) {
    problems.push(
      'DATABASE_DIRECT_URL is set, but DATABASE_URL is not: set DATABASE_URL to the pooler, or to the same address.',
    );
  }
  if (values.metrics && values.metrics.port === values.port) {
    problems.push(`METRICS_PORT is ${values.port}, as PORT is: metrics have a port of their own.`);
  }
  return problems;
}

function warningsOf(values: Values, environment: NodeJS.ProcessEnv): string[] {
  const { dataDir = '.data' } = values;
  const isEmbedded = values.environment === 'production' && !values.databaseUrl;
  return [
    ...(isEmbedded ? [embeddedWarning(dataDir, environment)] : []),
    ...[settings.databaseUrl, settings.databaseDirectUrl].flatMap(({ name }) =>
      strangeParametersIn(environment[name]).map(
        (parameter) => `${name} has the parameter ${parameter}, which has no effect.`,
      ),
    ),
    ...(isStrangeZone(environment.TZ)
      ? [`TZ is ${environment.TZ}, which is no time zone that is known: it has no effect.`]
      : []),
    ...[settings.backupEvery, settings.backupKeep]
      .filter(({ name }) => environment[name] && !values.backupDir)
      .map(({ name }) => `${name} has no effect without BACKUP_DIR: no backups are made.`),
  ];
}

/** Names such as `Europe/Berlin`; there are others, which say of themselves what they mean. */
function isStrangeZone(zone = ''): boolean {
  if (!/^[A-Za-z_]+\/[\w+/-]+$/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return false;
  } catch {
    return true;
  }
}

function embeddedWarning(dataDir: string, environment: NodeJS.ProcessEnv): string {
  const others = Object.keys(environment).filter((name) => /^postgres(ql)?:/.test(environment[name] ?? ''));
  const hint = others.length > 0 ? ` There is an address of a server in ${others.join(', ')}.` : '';
  return `DATABASE_URL is not set: production runs on the embedded database in ${dataDir}, which is for one machine.${hint}`;
}

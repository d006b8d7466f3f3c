import { fixed } from './config/fixed.js';
import { misnamed } from './config/names.js';
import { fileVariable, withPairs, withSecretFiles } from './config/secret-files.js';
import { coresUpTo, type Setting } from './config/setting.js';
import { MOST_WORKERS, settings, type Values } from './config/settings.js';
import { type Timeouts, timeoutsOf } from './config/timeouts.js';

export { settings };

/** The limits of one GraphQL operation. */
export type GraphqlLimits = typeof fixed.operation & { cost: number };

type Derived = 'host' | 'workers' | 'dataDir' | 'requestTimeout' | 'maxCost';

export interface Config extends Omit<Values, Derived>, Omit<typeof fixed, 'operation'> {
  host: string;
  /** The number of processes that answer. */
  workers: number;
  dataDir: string;
  production: boolean;
  /** Where to make the secret, if it is to be there and is not. */
  jwtSecretFile: string | undefined;
  /** The secrets that were read from files, by the names of their variables. */
  fromFiles: Record<string, string>;
  /** Settings that are valid but may be a mistake: logged at the start. */
  warnings: string[];
  timeouts: Timeouts;
  limits: GraphqlLimits;
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
export function readConfig(given: NodeJS.ProcessEnv = process.env): Config {
  const all = Object.values<Setting<unknown>>(settings);
  const names = all.map(({ name }) => name);
  const secrets = all.filter(({ secret }) => secret).map(({ name }) => name);
  const near = misnamed(withPairs(given, secrets), [...names, ...secrets.map(fileVariable)]).map(
    ({ given, meant }) => `${given} is not a setting, and has no effect: did you mean ${meant}?`,
  );
  const files = withSecretFiles(given, secrets, [settings.jwtSecret.name]);
  const { environment } = files;
  const problems = [...files.problems];
  const jwtSecretFile = environment.JWT_SECRET ? undefined : environment.JWT_SECRET_FILE || undefined;
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settings).map(([key, setting]) => {
      const given = environment[setting.name];
      if (given === undefined || given === '') return [key, setting.fallback];
      const problem = problemOf(setting, given);
      if (problem) problems.push(`${setting.name} ${problem}.`);
      return [key, problem ? undefined : setting.read(given)];
    }),
  ) as Values;

  problems.push(...problemsTogether({ ...values, jwtSecretFile }, problems));
  if (problems.length > 0) throw new ConfigError([...problems, ...near]);

  const production = values.environment === 'production';
  const host = values.host ?? (production ? '0.0.0.0' : '127.0.0.1');
  const { requestTimeout, workers: _, maxCost, ...rest } = values;
  const { operation, ...others } = fixed;
  const limits = { ...operation, cost: maxCost };
  const workers = values.workers === 'auto' ? coresUpTo(MOST_WORKERS) : values.workers;
  const dataDir = values.dataDir ?? '.data';
  const warnings = [...near, ...files.warnings, ...warningsOf(values, environment)];
  const timeouts = timeoutsOf(requestTimeout);
  const derived = { jwtSecretFile, fromFiles: files.fromFiles, workers, timeouts, limits };
  return { ...others, ...rest, ...derived, host, dataDir, production, warnings };
}

/** The problems of values that are allowed each by itself. `found` are those of single values. */
function problemsTogether(values: Values & Pick<Config, 'jwtSecretFile'>, found: string[]): string[] {
  const problems: string[] = [];
  const production = values.environment === 'production';
  const isNamed = found.some((problem) => problem.includes(settings.jwtSecret.name)); // set but wrong, so that "not set" would be misleading
  const isKnown = production && !isNamed && values.jwtSecretFile === undefined;
  const secretProblem = isKnown ? weaknessOf(values.jwtSecret) : undefined;
  if (secretProblem) {
    problems.push(`JWT_SECRET is ${secretProblem}, but must be at least 32 random characters in production.`);
  }
  if (production && values.hashCost < 10) {
    problems.push(`HASH_COST is ${values.hashCost}, but must be at least 10 in production.`);
  }
  const isUrlNamed = found.some((problem) => problem.includes(settings.databaseUrl.name));
  if (!values.databaseUrl && !isUrlNamed && values.databaseDirectUrl) {
    problems.push(
      'DATABASE_DIRECT_URL is set, but DATABASE_URL is not: set DATABASE_URL to the pooler, or to the same address.',
    );
  }
  problems.push(...problemsOfMail(values, found), ...problemsOfProvider(values, found));
  if (values.metricsPort !== undefined && values.metricsPort === values.port) {
    problems.push(`METRICS_PORT is ${values.port}, as PORT is: metrics have a port of their own.`);
  }
  return problems;
}

function problemsOfMail({ smtpUrl, mailFrom, publicUrl }: Values, found: string[]): string[] {
  if (smtpUrl === undefined) return [];
  const needed = { MAIL_FROM: mailFrom, PUBLIC_URL: publicUrl };
  return Object.entries(needed)
    .filter(([name, value]) => value === undefined && !found.some((problem) => problem.startsWith(name)))
    .map(
      ([name]) =>
        `SMTP_URL is set, but ${name} is not: mails have a sender, and their links begin with an address.`,
    );
}

/** Takes the host of an address or of a URL; in a URL, IPv6 stands in brackets. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

function problemsOfProvider({ oidcIssuer, ...values }: Values, found: string[]): string[] {
  const isNamed = found.some((problem) => problem.startsWith(settings.oidcIssuer.name));
  if (oidcIssuer === undefined) {
    const isNeeded = values.signUp === 'oidc' && !isNamed;
    return isNeeded ? ['SIGN_UP is oidc, but OIDC_ISSUER is not set: nobody could make an account.'] : [];
  }
  const { protocol, hostname } = new URL(oidcIssuer);
  const isOpen = protocol === 'http:' && !isLoopback(hostname) && !values.oidcAllowHttp;
  return [
    ...(values.oidcClientId === undefined ? ['OIDC_ISSUER is set, but OIDC_CLIENT_ID is not.'] : []),
    ...(isOpen
      ? ['OIDC_ISSUER is on http: use https, or set OIDC_ALLOW_HTTP=true for a network of your own.']
      : []),
  ];
}

/** What is allowed, and may be a mistake. */
function warningsOf(values: Values, environment: NodeJS.ProcessEnv): string[] {
  const { dataDir = '.data' } = values;
  const isEmbedded = values.environment === 'production' && !values.databaseUrl;
  return [
    ...pathWarnings(values),
    ...(isEmbedded ? [embeddedWarning(dataDir, environment)] : []),
    ...(values.mailFrom && values.smtpUrl === undefined
      ? [
          'MAIL_FROM is set, but SMTP_URL is not: no mail is sent. Only push services may be told the address.',
        ]
      : []),
    ...(values.oidcIssuer === undefined && (values.oidcClientId ?? values.oidcClientSecret) !== undefined
      ? ['OIDC_CLIENT_ID or its secret is set, but OIDC_ISSUER is not: nobody can log in at a provider.']
      : []),
    ...[settings.backupEvery, settings.backupKeep]
      .filter(({ name }) => environment[name] && !values.backupDir)
      .map(({ name }) => `${name} has no effect without BACKUP_DIR: no backups are made.`),
  ];
}

const pathWarnings = ({ publicUrl, publicPath }: Values): string[] =>
  publicUrl === undefined || publicUrl.endsWith(publicPath)
    ? []
    : [`PUBLIC_URL does not end in PUBLIC_PATH ${publicPath}: links will begin with PUBLIC_URL alone.`];

function embeddedWarning(dataDir: string, environment: NodeJS.ProcessEnv): string {
  const others = Object.keys(environment).filter((name) => /^postgres(ql)?:/.test(environment[name] ?? ''));
  const hint = others.length > 0 ? ` There is an address of a server in ${others.join(', ')}.` : '';
  return `DATABASE_URL is not set: production runs on the embedded database in ${dataDir}, which is for one machine.${hint}`;
}

import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { temporaryFolder } from '../support/process.js';

type Environment = Record<string, string>;

const faultsIn = (environment: Environment): string[] => {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    return explainStartError(error).split('\n');
  }
};

/** What the operator reads when the service is started so, up to the open database. */
async function startFault(environment: Environment): Promise<string> {
  try {
    const database = await openDatabase({ ...readConfig(environment), databaseStartTimeout: 0 });
    await database.close();
    return '';
  } catch (error) {
    return explainStartError(error);
  }
}

const words = (text: string) => text.trim().split(/\s+/);

const warningsOf = (environment: Environment) => readConfig(environment).warnings;

describe('A variable whose name is nearly that of a setting', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATA_BASE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['JWT_SECRET_FIEL', 'JWT_SECRET_FILE'],
    ['JTW_SECRET', 'JWT_SECRET'],
    ['SIGNUP', 'SIGN_UP'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ])('is named in a warning: %s, for %s', (given, meant) => {
    const line = `${given} is not a setting, and has no effect: did you mean ${meant}?`;
    expect(warningsOf({ [given]: 'x' })).toEqual([line]);
    expect(faultsIn({ [given]: 'x', LOG_LEVEL: 'x' })).toContain(line); // it may be the cause
  });

  it('is no matter when it is empty, or when the setting is there too', () => {
    expect(warningsOf({ DATABSE_URL: '' })).toEqual([]);
    expect(warningsOf({ DATABASE_URI: 'x', DATABASE_URL: 'postgres://localhost/steady' })).toEqual([]);
  });
});

/** Of shells, Node, systemd, Kubernetes, Marathon, databases and their clients, and everything else. */
const OF_OTHERS = `HOME HOSTNAME HOSTTYPE HOSTS HOSTFILE USER SHELL PATH TZ TERM_PROGRAM XDG_DATA_DIRS XDG_DATA_HOME SUDO_USER TMPDIR
  NODE NODE_OPTIONS NODE_PATH NODE_DEBUG NODE_CHANNEL_FD npm_config_loglevel npm_config_host npm_config_port VITEST_MODE DEV PROD MODE
  BASE_URL PINO_LOG_LEVEL STATE_DIRECTORY LOGS_DIRECTORY SYSTEMD_LOG_LEVEL KUBERNETES_SERVICE_PORT STEADY_PORT STEADY_HOST STEADY_SERVICE_PORT
  STEADY_PORT_3000_TCP_PORT STEADY_NAME STEADY_ENV_NODE_ENV STEADY_DATABASE_SERVICE_HOST NODE_NAME HOST_IP PORTS PORT0 HTTP_PORT
  PGHOST PGPORT PGDATA DATABASE_HOST DATABASE_PORT DATABASE_USER DATABASE_SSL DB_URL TEST_DATABASE_URL SHADOW_DATABASE_URL DIRECT_URL
  QUEUE_DATABASE_URL SQLALCHEMY_DATABASE_URI POSTGRES_URL OTEL_LOG_LEVEL SENTRY_DSN APP_ENV LOG_FORMAT LOG_DIR APP_LOG_LEVEL RHOST LPORT
  SPORT SORT POST COST SMTP_HOST BACKUP_KEEP_DAYS BACKUP_SCHEDULE JWT_EXPIRES_IN SECRET_KEY MAX_REQUESTS_JITTER HTTP_REQUEST_TIMEOUT GF_DATA_DIR`;

it('What other programs set is not taken for a setting', () => {
  expect(warningsOf(Object.fromEntries(words(OF_OTHERS).map((name) => [name, 'x'])))).toEqual([]);
});

const SECRET = 'hunter2';
const NOWHERE = '127.0.0.1:1';

describe('An odd value', () => {
  /** With a password in most of them. */
  const urls = words(`
    postgres:// postgresql:// postgres:/// postgres://localhost postgres://localhost/ postgres://u:${SECRET}@ postgres://u:${SECRET}@h
    postgres:u:${SECRET}@h/d postgres//u:${SECRET}@h/d mysql://u:${SECRET}@h/d "postgres://u:${SECRET}@h/d" u:${SECRET}@h/d
    postgres://u:${SECRET}@h:0/d postgres://u:${SECRET}@h:65536/d postgres://u:${SECRET}@h:x/d postgres://u:${SECRET}@h/d?port=x
    postgres://u:${SECRET}@[::1/d postgres://u:${SECRET}@${NOWHERE},${NOWHERE}/d postgres://u:${SECRET}@/d?host=/nowhere
    postgres://u:1#${SECRET}@h/d postgres://u:a#${SECRET}@h/d postgres://u:1?${SECRET}@h/d postgres://u:1/${SECRET}@h/d postgres://u:1/x?${SECRET}@h/d
    postgres://u:%${SECRET}@h/d postgres://u:%zz${SECRET}@h/d postgres://u%:${SECRET}@h/d postgres://u:${SECRET}@h/d% postgres://u:${SECRET}@h/d/e
    postgres://u:${SECRET}@h/d?sslmode=requrie postgres://u:${SECRET}@h/d?sslmode= postgres://u:${SECRET}@h/d?sslmode=verify-full&sslrootcert=/no/ca.pem
    postgres://u:${SECRET}@h/d?sslcert=/no/c.pem postgres://u:${SECRET}@h/d?sslkey=/no/k.pem
    ${SECRET} postgres://u:${SECRET}%40@${NOWHERE}/d postgres://u:${SECRET}@${NOWHERE}/d postgres://u:a@${SECRET}@${NOWHERE}/d postgres://localhost:1/d postgres://[::1]:1/d postgres://u:${SECRET}@no-such-host.invalid/d
    postgres://${NOWHERE}/d?user=u&password=${SECRET} postgres:///d?host=/nowhere postgres://u:${SECRET}@%2Fnowhere/d
    postgres://u:${SECRET}@${NOWHERE}/d?uselibpqcompat=true&sslmode=verify-ca`);
  const spaced = [' x', 'x ', 'x\n', 'a b'].map((space) =>
    `postgres://u:${SECRET}@${NOWHERE}/d`.replace(/d$/, space),
  );

  it.each([...urls, ...spaced])(
    'of DATABASE_URL is refused in one line without its password: %j',
    async (url) => {
      const line = await startFault({ DATABASE_URL: url });
      expect(line).toMatch(/^[^\n]*DATABASE_URL[^\n]+$/);
      expect(line).not.toContain(SECRET);
    },
  );

  const odd: Record<string, string[]> = {
    PORT: ['0x10', '3e3', '-1', '65536', '3000 ', ' 3000', '3000\n', '80,81', 'tcp://10.0.0.1:3000', '٣'],
    NODE_ENV: ['Production', 'production\n'],
    HOST: [' localhost', 'a\u0007b'],
    DATA_DIR: ['.data ', 'a\nb', '/dev/null', '/dev/null/below', `/${'x'.repeat(300)}`, 'src'],
    TRUST_PROXY: ['true', '1.5', '*', '10.0.0.0/33', 'localhost', '::1/129', ',', 'loopback,'],
    PUBLIC_URL: [
      ...[
        'habits.example.com',
        'ftp://a.example',
        'https://',
        'https://u:p@a.example',
        'https://a.example/?b',
      ],
      ...['/a//b', '/a b', '/api', '/graphql/x'].map((path) => `https://a.example${path}`),
    ],
    METRICS_PORT: ['0', '65536', 'here', '0.0.0.0:', ':9464'],
    REQUEST_TIMEOUT: ['999'],
    LOG_LEVEL: ['INFO'],
  };

  it.each(Object.entries(odd).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    'of %s is refused in a line that names it: %j',
    async (name, value) => {
      const fault = await startFault({ DATA_DIR: temporaryFolder(), [name]: value });
      expect(fault.split('\n')).toHaveLength(1);
      expect(fault).toContain(name);
    },
  );

  it('of JWT_SECRET is taken to the letter, for another secret would sign everybody out', () => {
    const JWT_SECRET = ' a secret of the test, long enough\n';
    expect(readConfig({ NODE_ENV: 'production', JWT_SECRET }).jwtSecret).toBe(JWT_SECRET);
  });
});

it('PUBLIC_URL is what links begin with, without a slash at its end, and has the path below which the service is shown', () => {
  const of = (PUBLIC_URL: string, PUBLIC_PATH = '') => {
    const { publicUrl, publicPath } = readConfig({ PUBLIC_URL, PUBLIC_PATH });
    return [publicUrl, publicPath];
  };
  expect(of('https://a.example/')).toEqual(['https://a.example', '']);
  expect(of('http://A.example:3000/our/habits//')).toEqual([
    'http://a.example:3000/our/habits',
    '/our/habits',
  ]);
  expect(of('', '/habits/')).toEqual([undefined, '/habits']); // an old setting, which needs not know the rest
  for (const path of ['habits', '/api', '/page/x', '/a b'])
    expect(() => of('', path)).toThrow(/^PUBLIC_PATH is /);
  expect(warningsOf({ PUBLIC_PATH: '/habits' })).toEqual([
    'PUBLIC_PATH is an old setting, to be left out: PUBLIC_URL has the path, as in https://example.org/habits.',
  ]);
});

it('METRICS_PORT is one of this machine, or of the address before it', () => {
  const of = (METRICS_PORT: string) => readConfig({ METRICS_PORT }).metrics;
  const port = 9464;
  expect(['', '9464', '0.0.0.0:9464', '[::]:9464'].map(of)).toEqual([
    ...[undefined, { host: '127.0.0.1', port }, { host: '0.0.0.0', port }, { host: '::', port }],
  ]);
});

it('Limits of tests are those of NODE_ENV=test alone', () => {
  const of = (NODE_ENV: string) => readConfig({ NODE_ENV, TEST_LIMITS: '{"hashCost":4}' }).hashCost;
  expect([of('test'), of('development')]).toEqual([4, 10]);
});

it('The times that follow from REQUEST_TIMEOUT fit into one another, whatever it is', () => {
  for (const timeout of [...Array(80).keys()].map((step) => 1_000 + step * step * step)) {
    const { timeouts } = readConfig({ REQUEST_TIMEOUT: String(Math.min(timeout, 600_000)) });
    const { patience, databaseTime, longestWait, longestWork } = timeouts;
    const { connection, answer, statement, lock, idleTransaction } = patience;
    expect(lock, `${timeout}`).toBeLessThan(statement);
    expect(statement, `${timeout}`).toBeLessThan(answer);
    expect(idleTransaction, `${timeout}`).toBeLessThan(answer);
    expect(connection, `${timeout}`).toBeLessThan(databaseTime);
    expect(connection + answer + 100, `${timeout}`).toBeLessThanOrEqual(longestWork); // to answer takes some time as well
    expect(databaseTime + answer, `${timeout}`).toBeLessThan(longestWork);
    expect(longestWait, `${timeout}`).toBe(Math.round(1.4 * longestWork));
  }
});

describe('What has no effect', () => {
  it.each([
    ['postgres://localhost/steady?schema=foo', ['schema']],
    ['postgres://localhost/steady?schema=foo&sslmode=require&pgbouncer=true', ['schema', 'pgbouncer']],
    ['postgres://localhost/steady?sslmode=require&application_name=steady&host=/run/postgresql', []],
  ])('of the parameters of %s is told', (url, names) => {
    for (const setting of ['DATABASE_URL', 'DATABASE_DIRECT_URL']) {
      const told = names.map((name) => `${setting} has the parameter ${name}, which has no effect.`);
      expect(warningsOf({ DATABASE_URL: 'postgres://localhost/steady', [setting]: url })).toEqual(told);
    }
  });

  it('is told of a TZ that is no time zone', () => {
    const told = 'TZ is Foo/Bar, which is no time zone that is known: it has no effect.';
    expect(warningsOf({ TZ: 'Foo/Bar' })).toEqual([told]);
    for (const TZ of ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC', 'CET-1CEST'])
      expect(warningsOf({ TZ })).toEqual([]);
  });
});

it('Production without DATABASE_URL causes a warning, and neither production with it nor development does', () => {
  const production = { NODE_ENV: 'production', JWT_SECRET: 'a secret of the test, long enough' };
  expect(warningsOf(production)).toEqual([
    'DATABASE_URL is not set: production runs on the embedded database in .data, which is for one machine.',
  ]);
  expect(warningsOf({ ...production, POSTGRES_URL: `postgres://u:${SECRET}@h/d` })).toEqual([
    expect.stringMatching(/ There is an address of a server in POSTGRES_URL\.$/),
  ]);
  expect(warningsOf({ ...production, DATABASE_URL: 'postgres://localhost/steady' })).toEqual([]);
  expect(warningsOf({})).toEqual([]);
});

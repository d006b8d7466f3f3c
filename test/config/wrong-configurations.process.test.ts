import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { dataDirectory, run, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

type Environment = Record<string, string>;

const server = withServer();
beforeAll(async () => {
  await server.execute('create role newcomer login');
});

async function databaseWhere(...statements: string[]): Promise<URL> {
  const url = new URL(await server.newDatabase('template template0'));
  for (const statement of statements)
    await server.execute(statement.replaceAll('THIS', url.pathname.slice(1)));
  return url;
}

const asUser = (url: URL, username: string) => Object.assign(url, { username }).href;

async function having(DATABASE_URL: string, statement: string) {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query(statement);
  await client.end();
  return { DATABASE_URL };
}

/** What the operator reads when the service is started so, up to the open database: the same line, in this process. */
async function startFault(environment: Environment): Promise<string> {
  try {
    const config = readConfig({ DATA_DIR: temporaryFolder(), ...environment });
    await (await openDatabase({ ...config, databaseStartTimeout: 0 })).close();
    return 'It starts.';
  } catch (error) {
    return explainStartError(error);
  }
}

/** A data directory in which a file is not as it should be. */
function directoryWith(name: string, text: string, directory = dataDirectory()): string {
  mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
  writeFileSync(path.join(directory, name), text);
  return directory;
}

/** As a release before this one has left it. */
const directoryOf = (name: string) =>
  directoryWith(name, '18\n', directoryWith('steady.json', '{"format":1}\n', temporaryFolder()));

/** Every file below a folder, its size, and when it was changed last. */
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const { size, mtimeMs } = lstatSync(path.join(folder, name));
    return [name, size, mtimeMs];
  });

const URL_OF_D = 'postgres://ana:hunter2@127.0.0.1:1/d';

/** What is set, and the line: the mistake … the cure. */
type Row = [set: () => Environment | Promise<Environment>, says: string];

const rows: Record<string, Row> = {
  'a way past a pooler, and none to it': [
    () => ({ DATABASE_DIRECT_URL: URL_OF_D }),
    'DATABASE_DIRECT_URL is set, but DATABASE_URL is not … set DATABASE_URL to the pooler',
  ],
  'two different databases, by the pooler and past it': [
    async () => ({
      DATABASE_URL: (await databaseWhere()).href,
      DATABASE_DIRECT_URL: (await databaseWhere()).href,
    }),
    'The database of DATABASE_URL cannot be used: relation "mikro_orm_migrations" does not exist … Does DATABASE_URL lead to the database that DATABASE_DIRECT_URL leads to?',
  ],
  'no database past the pooler': [
    async () => ({ DATABASE_URL: (await databaseWhere()).href, DATABASE_DIRECT_URL: server.url('nowhere') }),
    'The database of DATABASE_DIRECT_URL cannot be used: database "nowhere" … Create it (createdb --owner steady steady), or correct its name',
  ],
  '65 workers': [() => ({ WORKERS: '65' }), 'WORKERS is "65" … must be a whole number from 1 to 64, or auto'],
  'the port of the service for metrics': [
    () => ({ PORT: '3000', METRICS_PORT: '3000' }),
    'METRICS_PORT is 3000, as PORT is … metrics have a port of their own',
  ],
  'a certificate that is not there': [
    () => ({ DATABASE_URL: `${URL_OF_D}?sslrootcert=/no/ca.pem` }),
    'a file in sslrootcert … cannot be read',
  ],
  'a server that is down': [
    () => ({ DATABASE_URL: URL_OF_D }),
    'ECONNREFUSED 127.0.0.1:1 … Is the server up',
  ],
  'a host that is nowhere': [
    () => ({ DATABASE_URL: 'postgres://u@no-such-host.invalid/d' }),
    'no-such-host.invalid … are its name and port right?',
  ],
  'a user that is unknown': [
    async () => ({ DATABASE_URL: asUser(await databaseWhere(), 'nobody') }),
    'role "nobody" does not exist … Correct the user',
  ],
  'a database that is not there': [
    () => ({ DATABASE_URL: server.url('nowhere') }),
    'database "nowhere" does not exist … Create it (createdb --owner steady steady), or correct its name',
  ],
  'a user that may make no tables': [
    async () => ({ DATABASE_URL: asUser(await databaseWhere(), 'newcomer') }),
    'permission denied for schema public … Grant the user what is missing',
  ],
  'a database that is full of connections': [
    async () => ({
      DATABASE_URL: asUser(await databaseWhere('alter database THIS connection limit 0'), 'newcomer'),
    }),
    'too many connections … Raise its limit (alter role',
  ],
  'a database that only reads': [
    async () => ({
      DATABASE_URL: (await databaseWhere('alter database THIS set default_transaction_read_only = on')).href,
    }),
    'read-only transaction … or the server a standby? Then name the primary',
  ],
  'a database of another program': [
    async () => having((await databaseWhere()).href, 'create table users (id int)'),
    'relation "users" already exists … This database belongs to another program: make one for Steady (createdb --owner steady steady), and name it',
  ],
  'a database of a newer release': [
    async () =>
      having(await server.newDatabase(), "insert into mikro_orm_migrations (name) values ('9999_later')"),
    'The database was migrated by a newer Steady: … 9999_later. Run that release again, or restore',
  ],
  'a directory of something else': [
    () => ({ DATA_DIR: directoryWith('thesis.txt', 'precious', temporaryFolder()) }),
    "not Steady's … Choose an empty or a new directory",
  ],
  'a file for a directory': [
    () => ({ DATA_DIR: '/dev/null/below' }),
    'DATA_DIR /dev/null/below cannot be used … Choose another directory',
  ],
  'a directory of a newer release': [
    () => ({ DATA_DIR: directoryWith('steady.json', '{"format":3}') }),
    'written by a newer Steady … Run that release again',
  ],
  'a damaged directory': [
    () => ({ DATA_DIR: directoryWith('steady.json', '{') }),
    'steady.json is damaged … Restore it from a backup',
  ],
  'a secret that was cut off': [
    () => ({ DATA_DIR: directoryWith('jwt-secret', 'a') }),
    'jwt-secret is damaged … or remove it',
  ],
  ...Object.fromEntries(
    ['postgresql/PG_VERSION', 'postgres/PG_VERSION'].map((name): [string, Row] => [
      `a directory of an older release, with ${name}`,
      [() => ({ DATA_DIR: directoryOf(name) }), 'was made before 1.0.0-rc.2 … steady restore'],
    ]),
  ),
  'a database of another PostgreSQL': [
    () => ({ DATA_DIR: directoryWith('postgresql/PG_VERSION', '19') }),
    'made by PostgreSQL 19 … Make a backup with the Steady that made it',
  ],
  'a database without its version': [
    () => ({ DATA_DIR: directoryWith('postgresql/PG_VERSION', '') }),
    'its PG_VERSION is damaged … Restore it from a backup',
  ],
};

it.each(Object.entries(rows))(
  'A wrong configuration ends with one line that names the mistake and the cure: %s',
  async (_kind, [set, says]) => {
    const environment = await set();
    const { DATA_DIR = '' } = environment;
    const contents = () => (DATA_DIR.startsWith(tmpdir()) ? contentsOf(DATA_DIR) : []);
    const before = contents();
    const line = await startFault(environment);
    expect(contents()).toEqual(before);
    expect(line.split('\n'), line).toHaveLength(1);
    for (const part of says.split(' … ')) expect(line).toContain(part);
    expect(line).not.toMatch(/hunter2|\n {4}at /);
  },
);

/** What is only known when it listens, or looks at its arguments. */
it.each<[kind: string, set: Environment, given: string[], line: RegExp]>([
  [
    'an address of another machine',
    { HOST: '192.0.2.1' },
    [],
    /(^|\n)Cannot listen there .+\. See HOST and PORT\.\n$/,
  ],
  [
    'arguments',
    {},
    ['--port=80'],
    /(^|\n)Unknown option '--port'\. .+ Settings are variables of the environment, as in .+\n$/,
  ],
  [
    'each setting that is wrong',
    { NODE_ENV: 'production', METRICS_PORT: 'none' },
    [],
    /^METRICS_PORT is "none", .+\nJWT_SECRET is not set, .+ in production\.\n$/,
  ],
])('The process ends with 1, and such a line: %s', async (_kind, set, given, line) => {
  const environment = { DATABASE_URL: server.url('template1'), DATA_DIR: temporaryFolder(), ...set };
  const service = run('main.js', environment, given);
  expect(await service.exited).toBe(1);
  expect(service.output).toMatch(line);
  expect(service.output).not.toMatch(/\n {4}at /);
});

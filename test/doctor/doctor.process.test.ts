import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { readConfig } from '../../src/features/settings.js';
import { nameAt } from '../../src/operation/backup/folder.js';
import { type Told } from '../../src/operation/doctor/checks.js';
import { examine } from '../../src/operation/doctor/examination.js';
import { connectionsOf, openFilesFinding } from '../../src/operation/doctor/limits.js';
import { proxyFinding } from '../../src/operation/doctor/proxies.js';
import { backupOf } from '../support/backup-commands.js';
import { withLimits } from '../support/commands.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

type Environment = Record<string, string>;

const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2';

const server = withServer();

const findings = (environment: Environment, clock = systemClock) => examine(clock, environment);

const about = (subject: string, found: Told[]) =>
  found.filter((each) => each.about === subject).map(({ state, message }) => [state, message] as const);

const wrongIn = (found: Told[]) => found.filter(({ state }) => state === 'wrong');

async function connected(url: string) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function doctor(environment: Environment, ...args: string[]) {
  const command = run('operation/commands/doctor.js', environment, args);
  return { code: await command.exited, output: command.output };
}

describe('steady doctor', () => {
  it('looks into an embedded database, whether a service runs or not, and changes no data', async () => {
    const DATA_DIR = dataDirectory();
    const before = await backupOf({ DATA_DIR });
    const look = async () => {
      const { code, output } = await doctor({ DATA_DIR });
      expect(output).toMatch(/^ok +sign-up +it is open$/m);
      expect(output).toMatch(/^ok +database +the embedded database in \S+ answers$/m);
      expect(output).toMatch(/^ok +migrations +all \d+ are applied$/m);
      expect(output).toMatch(/^warning +backups +BACKUP_DIR is not set.+\n +→ Set BACKUP_DIR/m);
      expect(output).toMatch(/\n\d+ ok, \d+ warnings?, 0 wrong\n$/);
      expect(code).toBe(0);
    };
    await look();
    const after = await backupOf({ DATA_DIR });
    expect({ ...after, header: {} }).toEqual({ ...before, header: {} });
    await startService({ DATA_DIR }).listening();
    await look();
  });

  it('makes no directory where there is none', async () => {
    const DATA_DIR = temporaryFolder();
    const found = await findings({ DATA_DIR, BACKUP_DIR: path.join(DATA_DIR, '..', 'backups') });
    expect(about('database', found)).toEqual([['ok', expect.stringContaining('the first start makes it')]]);
    expect(readdirSync(path.dirname(DATA_DIR))).toEqual([]);
  });

  it('changes nothing on a server', async () => {
    const DATABASE_URL = await server.newDatabase();
    const before = await backupOf({ DATABASE_URL });
    const found = await findings({ DATABASE_URL });
    expect(wrongIn(found)).toEqual([]);
    expect(about('database', found)).toEqual([['ok', expect.stringMatching(/^PostgreSQL at \S+ answers$/)]]);
    expect(about('writing', found)).toEqual([['ok', 'the server takes writes']]);
    expect(about('clocks', found)).toEqual([
      ['ok', expect.stringMatching(/ 0\.\d s (behind|ahead of) ours$/)],
    ]);
    expect(about('PostgreSQL', found)).toEqual([['ok', expect.stringMatching(/^release \d+/)]]);
    expect(about('connections', found)).toEqual([
      ['ok', expect.stringMatching(/^one instance opens up to 15, the server allows \d+, and \d+ are open/)],
    ]);
    const after = await backupOf({ DATABASE_URL });
    expect({ ...after, header: {} }).toEqual({ ...before, header: {} });
  });

  it('leaves an empty database empty', async () => {
    const DATABASE_URL = await server.newDatabase('template template0');
    const found = await findings({ DATABASE_URL });
    expect(about('migrations', found)).toEqual([
      ['ok', expect.stringContaining('the start makes its tables')],
    ]);
    expect(wrongIn(found)).toEqual([]);
    const client = await connected(DATABASE_URL);
    const { rows } = await client.query("select from pg_tables where schemaname = 'public'");
    expect(rows).toEqual([]);
  });

  it('prints no secret, whatever is wrong', async () => {
    const environment = {
      NODE_ENV: 'production',
      JWT_SECRET: 'short-hunter2',
      DATABASE_URL: `postgres://ana:${SECRET}@127.0.0.1:1/d`,
      BACKUP_KEEP: 'many',
    };
    const wrong = await doctor(environment);
    expect(wrong.code).toBe(1);
    expect(wrong.output).toMatch(/^wrong +configuration +JWT_SECRET is too short/m);
    expect(wrong.output).toMatch(/^wrong +configuration +BACKUP_KEEP is "many"/m);
    const away = await doctor({ ...environment, JWT_SECRET: SECRET, BACKUP_KEEP: '1' }, '--json');
    expect(away.code).toBe(1);
    expect(wrongIn(JSON.parse(away.output).findings)).toEqual([
      {
        about: 'database',
        state: 'wrong',
        message: 'The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1',
        fix: 'Is the server up, and are its name and port right?',
      },
    ]);
    expect(wrong.output + away.output).not.toMatch(/hunter2/);
  });
});

describe('An examination that fails keeps no other from being made:', () => {
  it('a table that may not be read', async () => {
    const DATABASE_URL = new URL(await server.newDatabase());
    await server.execute("create role looker login password 'looker'");
    DATABASE_URL.username = 'looker';
    DATABASE_URL.password = 'looker';
    const found = await findings({ DATABASE_URL: DATABASE_URL.href });
    expect(wrongIn(found)).toMatchObject([
      {
        about: 'database',
        message: expect.stringContaining('permission denied'),
        fix: expect.stringMatching(/^Grant/),
      },
    ]);
    expect(about('proxies', found)).toHaveLength(1);
  });

  it('an embedded database that is late, of which no setting says where it is', async () => {
    const DATA_DIR = dataDirectory();
    await startService({ DATA_DIR }).listening();
    const found = await examine(systemClock, { DATA_DIR }, 0);
    expect(wrongIn(found)).toEqual([
      {
        ...{ about: 'database', state: 'wrong', message: 'The database did not answer in time (0 s)' },
        fix: expect.stringMatching(/^Is its machine overloaded/),
      },
    ]);
    expect(about('proxies', found)).toHaveLength(1);
  });

  it('a database that only reads', async () => {
    const DATABASE_URL = await server.newDatabase();
    await server.execute(
      `alter database ${new URL(DATABASE_URL).pathname.slice(1)} set default_transaction_read_only = on`,
    );
    expect(about('writing', await findings({ DATABASE_URL }))).toEqual([
      ['wrong', expect.stringContaining('default_transaction_read_only is on')],
    ]);
  });

  it('clocks that differ', async () => {
    const DATABASE_URL = await server.newDatabase();
    const clockOf = (seconds: number) => ({
      now: () => new Date(systemClock.now().getTime() + seconds * 1_000),
    });
    expect(about('clocks', await findings({ DATABASE_URL }, clockOf(5)))).toEqual([
      ['warning', 'that of the database is 5.0 s behind ours'],
    ]);
    const [[state] = []] = about('clocks', await findings({ DATABASE_URL }, clockOf(-90)));
    expect(state).toBe('wrong');
  });

  it('fewer connections than an instance wants', async () => {
    const DATABASE_URL = await server.newDatabase();
    expect(
      about('connections', await findings({ DATABASE_URL, ...withLimits({ databasePoolSize: 900 }) })),
    ).toEqual([['wrong', expect.stringMatching(/^one instance opens up to 905/)]]);
    await server.execute(`alter database ${new URL(DATABASE_URL).pathname.slice(1)} connection limit 14`);
    expect(about('connections', await findings({ DATABASE_URL }))).toEqual([
      ['wrong', expect.stringContaining('allows 14')],
    ]);
    expect(connectionsOf({ ...readConfig({ DATABASE_URL, WORKERS: '4' }), databasePoolSize: 25 })).toBe(56);
  });
});

describe('Of backups the doctor says', () => {
  const HOUR = 3_600_000;

  function folderWith(...hours: number[]): string {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    for (const each of hours) {
      const madeAt = new Date(systemClock.now().getTime() - each * HOUR);
      writeFileSync(path.join(folder, nameAt(madeAt)), 'a backup');
    }
    return folder;
  }

  const statesOf = async (
    BACKUP_DIR: string,
    database: { DATABASE_URL?: string; DATA_DIR?: string } = {},
  ) => {
    const url = database.DATA_DIR
      ? {}
      : { DATABASE_URL: database.DATABASE_URL ?? (await server.newDatabase()) };
    return findings({ BACKUP_EVERY: '24', BACKUP_DIR, ...url, ...database });
  };

  it('how old the last one is', async () => {
    expect(about('backups', await statesOf(folderWith(24, 48)))).toEqual([
      ['ok', expect.stringContaining('24.0 h old')],
    ]);
    expect(about('backups', await statesOf(folderWith(25)))).toEqual([
      ['wrong', expect.stringContaining('due every 24 h')],
    ]);
  });

  const becomeAnother = async (url: string) => {
    const client = await connected(url);
    await client.query("update kept_values set value = 'another' where name = 'database-id'");
  };

  it('that the last one is of another database, and not that one of its own is', async () => {
    const DATABASE_URL = await server.newDatabase();
    const folder = folderWith();
    expect(await run('operation/commands/backup.js', { DATABASE_URL, BACKUP_DIR: folder }).exited).toBe(0);
    expect(about('backups', await statesOf(folder, { DATABASE_URL }))).toEqual([
      ['ok', expect.stringContaining('0.0 h old')],
    ]);
    await becomeAnother(DATABASE_URL);
    expect(about('backups', await statesOf(folder, { DATABASE_URL }))).toEqual([
      ['wrong', expect.stringContaining('is of another database')],
    ]);
  });

  it('that a newer file is of another database, and how old the last one of its own is', async () => {
    const [DATABASE_URL, another] = [await server.newDatabase(), await server.newDatabase()];
    await becomeAnother(another);
    const folder = folderWith();
    const backUp = async (url: string, hours: number) => {
      const file = path.join(folder, nameAt(new Date(systemClock.now().getTime() - hours * HOUR)));
      expect(await run('operation/commands/backup.js', { DATABASE_URL: url }, ['--to', file]).exited).toBe(0);
      return file;
    };
    const own = await backUp(DATABASE_URL, 3);
    const newer = await backUp(another, 1);
    expect(about('backups', await statesOf(folder, { DATABASE_URL }))).toEqual([
      ['ok', `the last one is 3.0 h old: ${own}`],
      ['warning', `a newer file is of another database: ${newer}`],
    ]);
    expect(about('backups', await statesOf(folder, { DATABASE_URL: another }))).toEqual([
      ['ok', `the last one is 1.0 h old: ${newer}`],
    ]);
  });

  it('that there is none, which is wrong only for a database that is old enough', async () => {
    const DATABASE_URL = await server.newDatabase();
    const born = async (hours: number) => {
      const client = await connected(DATABASE_URL);
      await client.query(`update mikro_orm_migrations set executed_at = now() - interval '${hours} hours'`);
      return about('backups', await statesOf(folderWith(), { DATABASE_URL }));
    };
    expect(await born(1)).toEqual([['ok', expect.stringContaining('none yet')]]);
    expect(await born(30)).toEqual([['wrong', 'there is none, and the database is 30.0 h old']]);
  });

  it('that the disk for them is not there', async () => {
    expect(about('backups', await statesOf(path.join(temporaryFolder(), 'mnt', 'backups')))).toEqual([
      ['wrong', expect.stringContaining('the folder above BACKUP_DIR')],
    ]);
  });

  it('that they lie beside the database', async () => {
    const DATA_DIR = dataDirectory();
    const found = await statesOf(`${DATA_DIR}-backups`, { DATA_DIR });
    expect(found).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        message: expect.stringContaining('lost with the database'),
      }),
    );
  });
});

describe('Of proxies and limits the doctor says', () => {
  const production = { NODE_ENV: 'production', JWT_SECRET: SECRET.toUpperCase() + SECRET };
  const stateFor = (environment: Environment) => proxyFinding(readConfig(environment)).state;

  it.each<[string, Environment, Told['state']]>([
    ['nothing without a sign of one', production, 'ok'],
    ['that a path is served by one', { PUBLIC_URL: 'https://a.example/habits' }, 'warning'],
    ['nothing where it is for this machine alone', { ...production, HOST: '127.0.0.1' }, 'ok'],
    [
      'that only this machine reaches it, though people open it elsewhere',
      { ...production, HOST: '127.0.0.1', PUBLIC_URL: 'https://habits.example.com' },
      'warning',
    ],
    ['which are believed', { PUBLIC_URL: 'https://a.example/habits', TRUST_PROXY: 'loopback' }, 'ok'],
    ['that none is believed on purpose', { PUBLIC_URL: 'https://a.example/habits', TRUST_PROXY: '0' }, 'ok'],
  ])('%s', (_what, environment, state) => {
    expect(stateFor(environment)).toBe(state);
  });

  it.each([
    ['20000', 'ok'],
    ['unlimited', 'ok'],
    ['1024', 'warning'],
  ])('whether %s open files are enough', (hard, state) => {
    const limits = `Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 ${hard}               files\n`;
    expect(openFilesFinding(readConfig({}), limits).map((each) => each.state)).toEqual([state]);
    expect(openFilesFinding(readConfig({}), '')).toEqual([]);
  });
});

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
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

const saying = (text: string) => expect.stringContaining(text);

const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function inDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
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
    expect(about('database', found)).toEqual([['ok', saying('the first start makes it')]]);
    expect(readdirSync(path.dirname(DATA_DIR))).toEqual([]);
  });

  it('changes nothing on a server, and leaves an empty database empty', async () => {
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

    const empty = await server.newDatabase('template template0');
    for (const _ of [1, 2])
      expect(about('migrations', await findings({ DATABASE_URL: empty }))).toEqual([
        ['ok', saying('the start makes its tables')],
      ]);
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
      { about: 'database', message: saying('permission denied'), fix: expect.stringMatching(/^Grant/) },
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

  it('a database that only reads, whose clock differs, and which has fewer connections than an instance wants', async () => {
    const DATABASE_URL = await server.newDatabase();
    await server.execute(`alter database ${nameOf(DATABASE_URL)} set default_transaction_read_only = on`);
    const with900 = { DATABASE_URL, ...withLimits({ databasePoolSize: 900 }) };
    const clockOf = (seconds: number) => ({
      now: () => new Date(systemClock.now().getTime() + seconds * 1_000),
    });
    const found = await findings(with900, clockOf(5));
    expect(about('writing', found)).toEqual([['wrong', saying('default_transaction_read_only is on')]]);
    expect(about('clocks', found)).toEqual([['warning', 'that of the database is 5.0 s behind ours']]);
    expect(about('connections', found)).toEqual([['wrong', saying('one instance opens up to 905')]]);
    await server.execute(`alter database ${nameOf(DATABASE_URL)} connection limit 14`);
    const later = await findings({ DATABASE_URL }, clockOf(-90));
    expect(about('clocks', later)).toMatchObject([['wrong', saying('ahead')]]);
    expect(about('connections', later)).toEqual([['wrong', saying('allows 14')]]);
    expect(connectionsOf({ ...readConfig({ DATABASE_URL, WORKERS: '4' }), databasePoolSize: 25 })).toBe(56);
  });
});

describe('Of backups the doctor says', () => {
  const fileIn = (folder: string, hours: number) =>
    path.join(folder, nameAt(new Date(systemClock.now().getTime() - hours * 3_600_000)));

  function folderWith(...hours: number[]): string {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    for (const each of hours) writeFileSync(fileIn(folder, each), 'a backup');
    return folder;
  }

  const toldOf = async (DATABASE_URL: string, BACKUP_DIR: string) =>
    about('backups', await findings({ BACKUP_EVERY: '24', BACKUP_DIR, DATABASE_URL }));

  it('how old the last one is, and that the disk for them is not there', async () => {
    const url = await server.newDatabase();
    const away = path.join(temporaryFolder(), 'mnt', 'backups');
    expect(await toldOf(url, folderWith(24, 48))).toEqual([['ok', saying('24.0 h old')]]);
    expect(await toldOf(url, folderWith(25))).toEqual([['wrong', saying('due every 24 h')]]);
    expect(await toldOf(url, away)).toEqual([['wrong', saying('the folder above BACKUP_DIR')]]);
  });

  it('that the last one, or a newer file, is of another database', async () => {
    const [own, another] = [await server.newDatabase(), await server.newDatabase()];
    await inDatabase(another, "update kept_values set value = 'another' where name = 'database-id'");
    const folder = folderWith();
    const backUp = async (DATABASE_URL: string, hours: number) => {
      const file = fileIn(folder, hours);
      expect(await run('operation/commands/backup.js', { DATABASE_URL }, ['--to', file]).exited).toBe(0);
      return file;
    };
    const newer = await backUp(another, 1);
    expect(await toldOf(own, folder)).toEqual([['wrong', saying('is of another database')]]);
    const older = await backUp(own, 3);
    expect(await toldOf(own, folder)).toEqual([
      ['ok', `the last one is 3.0 h old: ${older}`],
      ['warning', `a newer file is of another database: ${newer}`],
    ]);
    expect(await toldOf(another, folder)).toEqual([['ok', `the last one is 1.0 h old: ${newer}`]]);
  });

  it('that there is none, which is wrong only for a database that is old enough', async () => {
    const url = await server.newDatabase();
    const folder = folderWith();
    const ages = (hours: number) =>
      inDatabase(url, `update mikro_orm_migrations set executed_at = now() - interval '${hours} hours'`);
    await ages(1);
    expect(await toldOf(url, folder)).toEqual([['ok', saying('none yet')]]);
    await ages(30);
    expect(await toldOf(url, folder)).toEqual([['wrong', 'there is none, and the database is 30.0 h old']]);
  });

  it('that they lie beside the database', async () => {
    const DATA_DIR = dataDirectory();
    const found = await findings({ BACKUP_EVERY: '24', BACKUP_DIR: `${DATA_DIR}-backups`, DATA_DIR });
    expect(found).toContainEqual(
      expect.objectContaining({ state: 'warning', message: saying('lost with the database') }),
    );
  });
});

describe('Of proxies and limits the doctor says', () => {
  const production = { NODE_ENV: 'production', JWT_SECRET: SECRET.toUpperCase() + SECRET };
  const ofPath = { PUBLIC_URL: 'https://a.example/habits' };
  const local = { ...production, HOST: '127.0.0.1' };
  const elsewhere = { ...local, PUBLIC_URL: 'https://habits.example.com' };

  it.each<[string, Environment, Told['state']]>([
    ['nothing without a sign of one', production, 'ok'],
    ['that a path is served by one', ofPath, 'warning'],
    ['nothing where it is for this machine alone', local, 'ok'],
    ['that only this machine reaches it, though people open it elsewhere', elsewhere, 'warning'],
    ['which are believed', { ...ofPath, TRUST_PROXY: 'loopback' }, 'ok'],
    ['that none is believed on purpose', { ...ofPath, TRUST_PROXY: '0' }, 'ok'],
  ])('%s', (_what, environment, state) => {
    expect(proxyFinding(readConfig(environment)).state).toBe(state);
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

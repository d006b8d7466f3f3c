import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { writeFile } from '../../src/backup/file.js';
import { BackupFolder, nameAt } from '../../src/backup/folder.js';
import type { Chunk, Header, Trailer } from '../../src/backup/format.js';
import { systemClock } from '../../src/clock.js';
import { readConfig } from '../../src/config.js';
import { knownTo } from '../../src/database/migrations.js';
import { lookAtServer } from '../../src/database/server/look.js';
import { readNewest } from '../../src/doctor/backup-file.js';
import { backupFindings } from '../../src/doctor/backups.js';
import { examine } from '../../src/doctor/examination.js';
import type { Finding } from '../../src/doctor/finding.js';
import { connectionsOf, openFilesFinding } from '../../src/doctor/limits.js';
import { proxyFinding } from '../../src/doctor/proxies.js';
import { backupOf } from '../support/backup-commands.js';
import { dataDirectory, run, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

type Environment = Record<string, string>;

const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2';

const server = withServer();

const nobodyListens = { PORT: '1' };

const findings = (environment: Environment, clock = systemClock) =>
  examine(clock, { ...nobodyListens, ...environment });

const about = (subject: string, found: Finding[]) =>
  found.filter((each) => each.about === subject).map(({ state, message }) => [state, message] as const);

const wrongIn = (found: Finding[]) => found.filter(({ state }) => state === 'wrong');

/** Every file, with what it holds and when it was written. */
function stateOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const file = path.join(folder, name);
    const { mode, size, mtimeMs } = statSync(file);
    const isFile = statSync(file).isFile();
    const hash = isFile ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
    return `${name} ${mode} ${isFile ? size : ''} ${mtimeMs} ${hash}`;
  });
}

async function doctor(environment: Environment, ...args: string[]) {
  const command = run('commands/doctor.js', { ...nobodyListens, ...environment }, args);
  return { code: await command.exited, output: command.output };
}

describe('npm run doctor', () => {
  it('changes nothing in an embedded database that nobody has open, and none of its files', async () => {
    const DATA_DIR = dataDirectory();
    const before = stateOf(DATA_DIR);
    const { code, output } = await doctor({ DATA_DIR });
    expect(output).toMatch(/^ok +database +the embedded database in \S+ can be opened, and nobody has$/m);
    expect(output).toMatch(/^ok +migrations +all \d+ are applied$/m);
    expect(output).toMatch(/^warning +backups +BACKUP_DIR is not set.+\n +→ Set BACKUP_DIR/m);
    expect(output).toMatch(/\n\d+ ok, \d+ warnings?, 0 wrong\n$/);
    expect(code).toBe(0);
    expect(stateOf(DATA_DIR)).toEqual(before);
  });

  it('makes no directory where there is none', async () => {
    const DATA_DIR = temporaryFolder();
    const found = await findings({ DATA_DIR, BACKUP_DIR: path.join(DATA_DIR, '..', 'backups') });
    expect(about('database', found)).toEqual([['ok', expect.stringContaining('the first start makes it')]]);
    expect(about('backups', found)).toEqual([['ok', expect.stringContaining('there is none yet')]]);
    expect(readdirSync(path.dirname(DATA_DIR))).toEqual([]);
  });

  it('changes nothing on a server, and looks at it on a connection that could not', async () => {
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

  it('takes no server for a pooler because its address has options of its own', async () => {
    const DATABASE_URL = `${await server.newDatabase()}?options=-c%20work_mem%3D5MB&sslmode=disable`;
    expect(wrongIn(await findings({ DATABASE_URL }))).toEqual([]);
    const { query, close } = await lookAtServer(DATABASE_URL);
    const { rows } = await sql`
      select current_setting('work_mem') as memory, current_setting('timezone') as zone`.execute(query);
    await close();
    expect(rows).toEqual([{ memory: '5MB', zone: 'UTC' }]);
  });

  it('leaves an empty database empty, and could do nothing else', async () => {
    const DATABASE_URL = await server.newDatabase('template template0');
    const found = await findings({ DATABASE_URL });
    expect(about('migrations', found)).toEqual([
      ['ok', expect.stringContaining('the start makes its tables')],
    ]);
    expect(wrongIn(found)).toEqual([]);
    const { query, close } = await lookAtServer(DATABASE_URL);
    const { rows } = await sql`select from pg_tables where schemaname = 'public'`.execute(query);
    expect(rows).toEqual([]);
    await expect(sql`create table things (id int)`.execute(query)).rejects.toThrow('read-only transaction');
    await close();
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
    const away = await doctor(
      { ...environment, JWT_SECRET: SECRET, BACKUP_KEEP: '1', HASH_COST: '10' },
      '--json',
    );
    expect(away.code).toBe(1);
    expect(wrongIn(JSON.parse(away.output).findings)).toEqual([
      {
        about: 'database',
        state: 'wrong',
        message: 'PostgreSQL at 127.0.0.1:1/d cannot be used: connect ECONNREFUSED 127.0.0.1:1',
        fix: 'Is the server up, and does DATABASE_URL name it, its database and its log-in?',
      },
    ]);
    expect(wrong.output + away.output).not.toMatch(/hunter2/);
  });
});

/** Of a database in which there is nothing. */
async function writeBackup(file: string): Promise<void> {
  const header: Header = {
    ...{ steady: 'backup', format: 1, version: '0', postgres: '18', madeAt: '', tables: [] },
    migration: knownTo(model.migrations).at(-1) ?? '',
  };
  const trailer = { counts: {}, sha256: createHash('sha256').digest('hex') };
  async function* rows(): AsyncGenerator<Chunk, Trailer> {
    yield* [];
    return trailer;
  }
  await writeFile(file, { header, rows });
}

describe('An examination that fails keeps no other from being made:', () => {
  it('a table that is locked', async () => {
    const DATABASE_URL = await server.newDatabase();
    const { default: pg } = await import('pg');
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    await client.query('begin; lock table mikro_orm_migrations in access exclusive mode');
    const found = await findings({ DATABASE_URL, BACKUP_DIR: temporaryFolder() });
    await client.end();
    expect(wrongIn(found)).toEqual([
      {
        about: 'migrations',
        state: 'wrong',
        message: expect.stringMatching(/^could not be looked at: the database did not answer .+ in time/),
        fix: expect.stringContaining('hold a lock on the table'),
      },
    ]);
    for (const each of [
      'versions',
      'configuration',
      'database',
      'writing',
      'clocks',
      'connections',
      'backups',
    ])
      expect(about(each, found), each).toHaveLength(1);
    for (const each of ['PostgreSQL', 'proxies', 'service']) expect(about(each, found)).toHaveLength(1);
  });

  it('a table that may not be read', async () => {
    const DATABASE_URL = new URL(await server.newDatabase());
    await server.execute("create role looker login password 'looker'");
    DATABASE_URL.username = 'looker';
    DATABASE_URL.password = 'looker';
    const found = await findings({ DATABASE_URL: DATABASE_URL.href });
    expect(wrongIn(found)).toMatchObject([
      {
        about: 'migrations',
        message: expect.stringContaining('permission denied'),
        fix: expect.stringMatching(/^Grant/),
      },
    ]);
    expect(about('clocks', found)).toHaveLength(1);
  });

  it('a folder for backups that is a file', async () => {
    const BACKUP_DIR = path.join(dataDirectory(), 'steady.json');
    const found = await findings({ DATA_DIR: temporaryFolder(), BACKUP_DIR });
    expect(about('backups', found).map(([state]) => state)).toEqual(['wrong']);
    expect(about('service', found)).toHaveLength(1);
    expect(about('database', found)).toHaveLength(1);
  });
});

describe('The doctor finds', () => {
  it.each([
    [
      'a migration that is missing',
      "delete from mikro_orm_migrations where name like '0014%'",
      'warning',
      /^1 of \d+ are missing, from 0014/,
    ],
    [
      'a newer database',
      "insert into mikro_orm_migrations (name) values ('9999_later')",
      'wrong',
      /newer Steady.+9999_later/,
    ],
  ])('%s', async (_what, statement, state, says) => {
    const DATABASE_URL = await server.newDatabase();
    const { default: pg } = await import('pg');
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    await client.query(statement);
    await client.end();
    expect(about('migrations', await findings({ DATABASE_URL }))).toEqual([
      [state, expect.stringMatching(says)],
    ]);
  });

  it('a database that only reads', async () => {
    const DATABASE_URL = await server.newDatabase();
    await server.execute(
      `alter database ${new URL(DATABASE_URL).pathname.slice(1)} set default_transaction_read_only = on`,
    );
    expect(about('writing', await findings({ DATABASE_URL }))).toEqual([
      ['wrong', 'default_transaction_read_only is on'],
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
    expect(about('connections', await findings({ DATABASE_URL, DATABASE_POOL_SIZE: '900' }))).toEqual([
      ['wrong', expect.stringMatching(/^one instance opens up to 905/)],
    ]);
    await server.execute(`alter database ${new URL(DATABASE_URL).pathname.slice(1)} connection limit 14`);
    expect(about('connections', await findings({ DATABASE_URL }))).toEqual([
      ['wrong', expect.stringContaining('allows 14')],
    ]);
    expect(connectionsOf(readConfig({ DATABASE_URL, WORKERS: '4', DATABASE_POOL_SIZE: '25' }))).toBe(56);
  });

  it('a database that cannot be opened, without touching it', async () => {
    const DATA_DIR = dataDirectory();
    writeFileSync(path.join(DATA_DIR, 'postgres/global/pg_control'), 'not a control file');
    const before = stateOf(DATA_DIR);
    const found = await findings({ DATA_DIR });
    expect(about('database', found)).toEqual([
      [
        'wrong',
        expect.stringMatching(new RegExp(`^The database in ${DATA_DIR}/postgres cannot be opened: `)),
      ],
    ]);
    expect(stateOf(DATA_DIR)).toEqual(before);
  });

  it('a data directory of something else', async () => {
    const found = await findings({ DATA_DIR: 'src' });
    expect(about('database', found)).toEqual([['wrong', expect.stringContaining("not Steady's")]]);
  });

  it('another program on the port', async () => {
    const { createServer } = await import('node:http');
    const other = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const found = await findings({ DATA_DIR: temporaryFolder(), PORT: `${port}` });
    await new Promise((resolve) => other.close(resolve));
    expect(about('service', found)).toEqual([
      ['wrong', expect.stringContaining('another program has the port')],
    ]);
  });
});

it('The doctor waits a moment for a port that is silent, and says so', async () => {
  const { createServer } = await import('node:net');
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const found = await findings({ DATA_DIR: temporaryFolder(), PORT: `${port}` });
  for (const socket of sockets) socket.destroy();
  silent.close();
  expect(about('service', found)).toEqual([['wrong', expect.stringContaining('answered nothing within')]]);
});

describe('Of backups the doctor says', () => {
  const HOUR = 3_600_000;
  const now = new Date('2026-11-21T12:00:00Z');
  const ago = (hours: number) => new Date(now.getTime() - hours * HOUR);
  const config = (BACKUP_DIR: string) =>
    readConfig({ BACKUP_DIR, DATABASE_URL: 'postgres://localhost/steady', BACKUP_EVERY: '24' });

  async function folderWith(...names: string[]): Promise<string> {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    for (const name of names) await writeBackup(path.join(folder, name));
    return folder;
  }

  const statesOf = async (folder: string, bornAt?: Date) =>
    (await backupFindings(config(folder), now, bornAt))
      .filter((each) => each.about === 'backups')
      .map(({ state, message }) => [state, message]);

  it('how old the last good one is', async () => {
    expect(await statesOf(await folderWith(nameAt(ago(24))))).toEqual([
      ['ok', expect.stringContaining('24.0 h old')],
    ]);
    expect(await statesOf(await folderWith(nameAt(ago(25))))).toEqual([
      ['wrong', expect.stringContaining('due every 24 h')],
    ]);
  });

  it.each([
    ['overwritten', () => Buffer.from('damaged'), 'is damaged, or not a backup of Steady'],
    ['cut off', (whole: Buffer) => whole.subarray(0, -20), 'is cut off'],
    ['empty', () => Buffer.alloc(0), 'is cut off'],
    ['other', () => gzipSync('{"steady":"else"}\n'), 'is not a backup of Steady'],
  ])('that the newest is of no use: %s', async (_what, damage, says) => {
    const newest = nameAt(ago(1));
    const folder = await folderWith(newest, nameAt(ago(20)));
    const file = path.join(folder, newest);
    writeFileSync(file, damage(readFileSync(file)));
    expect(await statesOf(folder)).toEqual([
      ['wrong', `${file} ${says}`],
      ['ok', expect.stringMatching(/20\.0 h old \(read to its end, and its checksum is right\)/)],
    ]);
    rmSync(path.join(folder, nameAt(ago(20))));
    expect(await statesOf(folder)).toEqual([
      ['wrong', `${file} ${says}`],
      ['wrong', 'there is no good one'],
    ]);
  });

  it('how far the newest was read, where that takes too long', async () => {
    const kept = await new BackupFolder(await folderWith(nameAt(ago(1)))).backups(now);
    expect(await readNewest(kept, AbortSignal.abort())).toMatchObject({
      good: kept[0],
      faults: [],
      checked: expect.stringMatching(/^not read/),
    });
  });

  /** Where a service listens that says that a backup is overdue. */
  async function portOfOverdue(): Promise<string> {
    const { createServer } = await import('node:http');
    const service = createServer((_request, response) =>
      response.end(JSON.stringify({ status: 'ready', backup: { lastGoodAt: null, isOverdue: true } })),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void service.close());
    await new Promise((resolve) => service.once('listening', resolve));
    return `${(service.address() as { port: number }).port}`;
  }

  it('nothing of one that a process of the service does not know of yet', async () => {
    const folder = await folderWith(nameAt(new Date(systemClock.now().getTime() - HOUR)));
    const PORT = await portOfOverdue();
    const overdue = async () => {
      const found = await findings({ DATA_DIR: temporaryFolder(), BACKUP_DIR: folder, PORT });
      return found.filter(({ message }) => message.includes('overdue'));
    };
    expect(await overdue()).toEqual([]);
    const [name = ''] = readdirSync(folder);
    const before = new Date(systemClock.now().getTime() - 120_000);
    utimesSync(path.join(folder, name), before, before);
    expect(await overdue()).toMatchObject([{ about: 'backups', state: 'wrong' }]);
  });

  it('once what the folder and the service both know', async () => {
    const BACKUP_DIR = await folderWith();
    const environment = { DATA_DIR: temporaryFolder(), BACKUP_DIR, PORT: await portOfOverdue() };
    const found = await findings(environment);
    expect(about('backups', found)).toEqual([['wrong', expect.stringContaining('overdue')]]);
  });

  it('that there is none, which is wrong only for a database that is old enough', async () => {
    expect(await statesOf(await folderWith(), ago(1))).toEqual([['ok', expect.stringContaining('none yet')]]);
    expect(await statesOf(await folderWith(), ago(30))).toEqual([
      ['wrong', 'there is none, and the database is 30.0 h old'],
    ]);
  });

  it('that the disk for them is not there', async () => {
    expect(await statesOf(path.join(temporaryFolder(), 'mnt', 'backups'))).toEqual([
      ['wrong', expect.stringContaining('the folder above BACKUP_DIR')],
    ]);
  });

  it('that they lie beside the database', async () => {
    const DATA_DIR = temporaryFolder();
    const found = await backupFindings(
      readConfig({ DATA_DIR, BACKUP_DIR: `${DATA_DIR}-backups` }),
      now,
      undefined,
    );
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

  it.each<[string, Environment, Finding['state']]>([
    ['nothing without a sign of one', production, 'ok'],
    ['that a path is served by one', { PUBLIC_PATH: '/habits' }, 'warning'],
    ['that only this machine reaches it', { ...production, HOST: '127.0.0.1' }, 'warning'],
    ['that the platform has one', { FLY_APP_NAME: 'steady' }, 'warning'],
    ['which are believed', { PUBLIC_PATH: '/habits', TRUST_PROXY: 'loopback' }, 'ok'],
    ['that none is believed on purpose', { FLY_APP_NAME: 'steady', TRUST_PROXY: '0' }, 'ok'],
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

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changed, FIXTURE, linesOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import { type PostgresServer, startPostgres } from '../support/server.js';

let server: PostgresServer;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

async function emptyUrl(): Promise<string> {
  databases += 1;
  await server.execute(`create database backup_${databases} template template0`);
  return server.url(`backup_${databases}`);
}

const onServer = async () => ({ DATA_DIR: temporaryFolder(), DATABASE_URL: await emptyUrl() });
const onEmbedded = async () => ({ DATA_DIR: temporaryFolder(), DATABASE_URL: undefined });

type Environment = Awaited<ReturnType<typeof onServer | typeof onEmbedded>>;

const kinds: [string, () => Promise<Environment>][] = [
  ['the embedded database', onEmbedded],
  ['a server', onServer],
];

async function command(name: string, environment: object, ...args: string[]) {
  const process = run(`commands/${name}.js`, { ...environment }, args);
  const code = await process.exited;
  return { code, output: process.output };
}

async function succeeds(name: string, environment: object, ...args: string[]): Promise<string> {
  const { code, output } = await command(name, environment, ...args);
  if (code !== 0) throw new Error(`${name}: ${output}`);
  return output;
}

function newFile(name = 'backup.jsonl.gz', contents?: Buffer): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, name);
  if (contents) writeFileSync(file, contents);
  return file;
}

async function backupOf(environment: object): Promise<ReturnType<typeof linesOf>> {
  const file = newFile();
  await succeeds('backup', environment, '--to', file);
  return linesOf(file);
}

async function seeded<Place extends object>(environment: Place, users = 400): Promise<Place> {
  await succeeds('seed', environment, `--users=${users}`, '--tasks=3', '--completions=40');
  return environment;
}

const NOTHING_WRONG = 'Every counter agrees with its history.\n';

describe.each(kinds)('A backup of %s', (_from, openSource) => {
  it.each(kinds)('restores into %s, and is then backed up as the same bytes', async (_into, openTarget) => {
    const source = await seeded(await openSource(), 30);
    const file = newFile();
    const printed = await succeeds('backup', source, '--to', file);
    expect(printed).toBe(`Backed up 30 users, 1,357 rows, to ${file}.\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path.dirname(file)), 'no draft is left').toEqual([path.basename(file)]);

    const target = await openTarget();
    expect(await succeeds('restore', target, file)).toBe(
      'Restored 30 users, 1,357 rows, and verified them.\n',
    );
    const { rows, trailer } = linesOf(file);
    expect(await backupOf(target)).toMatchObject({ rows, trailer });
    expect(await succeeds('streaks-verify', target)).toBe(NOTHING_WRONG);
  });

  it('has what is hard to write', async () => {
    const target = await openSource();
    await succeeds('restore', target, FIXTURE);
    const { rows, trailer } = linesOf(FIXTURE);
    expect(await backupOf(target)).toMatchObject({ rows, trailer });
  });

  it('goes to the standard output if asked to', async () => {
    const source = await openSource();
    await succeeds('restore', source, FIXTURE);
    const pieces: Buffer[] = [];
    const writing = run('commands/backup.js', source, ['--to', '-']);
    writing.child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
    expect(await writing.exited).toBe(0);
    expect(linesOf(Buffer.concat(pieces)).rows).toEqual(linesOf(FIXTURE).rows);
  });

  it('is refused where there is nothing to back up, and makes nothing', async () => {
    const source = await openSource();
    const file = newFile();
    const { code, output } = await command('backup', source, '--to', file);
    expect(code).toBe(1);
    expect(output).toMatch(/^There is no(thing| database) .+\n$/);
    expect(existsSync(file) || existsSync(source.DATA_DIR)).toBe(false);
  });

  it('leaves no file under its name when it is killed, and replaces an older one when it is not', async () => {
    const source = await seeded(await openSource());
    const file = newFile('backup.jsonl.gz', Buffer.from('older'));
    const killed = run('commands/backup.js', source, ['--to', file]);
    await eventually(() => readdirSync(path.dirname(file)).length > 1);
    await killed.stop('SIGKILL');
    expect(readFileSync(file, 'utf8')).toBe('older');
    await succeeds('backup', source, '--to', file);
    expect(linesOf(file).rows.length).toBeGreaterThan(400);
  });
});

describe.each(kinds)('A restore into %s', (_into, open) => {
  const ways: [string, string, () => Buffer][] = [
    ['a damaged file', 'is damaged', () => damaged(readFileSync(FIXTURE))],
    ['a row that somebody changed', 'is damaged: its checksum', () => changed(FIXTURE, swimmer)],
    ['a row too few', 'is damaged: its checksum', () => changed(FIXTURE, (text) => without(text, 9))],
    [
      'a line that is no row',
      'is damaged: it has a line',
      () => changed(FIXTURE, (text) => text.replace('\n', '\n1\n')),
    ],
    ['a file that is cut off', 'is cut off', () => readFileSync(FIXTURE).subarray(0, 1_000)],
    ['a file without its last line', 'is cut off', () => changed(FIXTURE, (text) => without(text, -2))],
    ['an empty file', 'is cut off', () => Buffer.alloc(0)],
    ['a file of something else', 'not a backup of Steady', () => Buffer.from('{"steady":"backup"}')],
    ['compressed text', 'is not a backup of Steady', () => changed(FIXTURE, () => 'Hello\n')],
    ['a newer format', 'by a newer Steady (format 2', () => changed(FIXTURE, newerFormat)],
    ['a newer migration', 'does not know 9999_later', () => changed(FIXTURE, newerMigration)],
    ['another table', 'is not that of migration', () => changed(FIXTURE, otherColumns)],
  ];

  it('refuses each file that it cannot trust, with one line, and leaves no database or an empty one', async () => {
    const target = await open();
    for (const [what, problem, bytes] of ways) {
      const { code, output } = await command('restore', target, newFile('refused.gz', bytes()));
      expect({ code, output }, what).toMatchObject({ code: 1, output: expect.stringContaining(problem) });
      expect(output, what).toMatch(/^.+\n$/);
    }
    expect(existsSync(path.join(target.DATA_DIR, 'postgres'))).toBe(false);
    await succeeds('restore', target, FIXTURE);
  });

  it('refuses a database with users, and leaves it as it was', async () => {
    const target = await seeded(await open(), 3);
    const before = await backupOf(target);
    const { code, output } = await command('restore', target, FIXTURE);
    expect(code).toBe(1);
    expect(output).toMatch(/^There are users in .+\. A backup is restored into an empty database only\.\n$/);
    expect(await backupOf(target)).toMatchObject({ rows: before.rows });
  });

  it('takes the place of a database in which nobody has signed up yet, and people can log in', async () => {
    const source = { DATA_DIR: dataDirectory() };
    const service = startService(source);
    const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
    await (await service.listening()).post('/api/auth/signup', account);
    await service.stop();
    const file = newFile();
    await succeeds('backup', source, '--to', file);

    const target = await open();
    const empty = startService(target);
    await empty.listening();
    await empty.stop();
    await succeeds('restore', target, file);
    const rest = await startService(target).listening();
    expect(await rest.post('/api/auth/login', account)).toMatchObject({ status: 200 });
  });
});

const damaged = (bytes: Buffer) => {
  const middle = bytes.length / 2;
  return Buffer.concat([bytes.subarray(0, middle), Buffer.from('xxxx'), bytes.subarray(middle + 4)]);
};
const swimmer = (text: string) => text.replace('"Swim"', '"Swam"');
const without = (text: string, index: number) => text.split('\n').toSpliced(index, 1).join('\n');
const newerFormat = (text: string) => text.replace('"format":1', '"format":2');
const newerMigration = (text: string) => text.replace(/"migration":"\w+"/, '"migration":"9999_later"');
const otherColumns = (text: string) => text.replace('"idempotency_key"', '"idempotency"');

describe('A restore that is killed', () => {
  it('leaves a server as empty as it was, whatever it was doing', async () => {
    const file = newFile();
    await succeeds('backup', await seeded(await onEmbedded(), 2_000), '--to', file);
    const target = await onServer();
    const client = new pg.Client(target.DATABASE_URL);
    await client.connect();
    for (const moment of ['insert into "users"', 'insert into "task_completions"']) {
      const restoring = run('commands/restore.js', target, [file]);
      await eventually(async () => {
        const { rows } = await client.query(
          `select from pg_stat_activity where pid <> pg_backend_pid() and query ~ '^\\s*${moment}'`,
        );
        return rows.length > 0;
      });
      await restoring.stop('SIGKILL');
      const { rows } = await client.query(`select to_regclass('users') as users`);
      expect(rows, moment).toEqual([{ users: null }]);
    }
    await client.end();
    await succeeds('restore', target, file);
    expect(await backupOf(target)).toMatchObject({ rows: linesOf(file).rows });
  });

  it('leaves a data directory as empty as it was, and what it left does no harm', async () => {
    const file = newFile();
    await succeeds('backup', await seeded(await onEmbedded(), 200), '--to', file);
    // While it is made, when it is made, and while it is filled.
    const moments = [
      /^postgres\.restored\.new-/,
      /^postgres\.restored$/,
      /^postgres\.restored\/postmaster\.pid$/,
    ];
    for (const moment of moments) {
      const target = { DATA_DIR: dataDirectory() };
      const restoring = run('commands/restore.js', target, [file]);
      const within = (name: string) => {
        const folder = path.join(target.DATA_DIR, name);
        return existsSync(folder) ? readdirSync(folder).map((each) => path.join(name, each)) : [];
      };
      await eventually(() =>
        [...within(''), ...within('postgres.restored')].some((name) => moment.test(name)),
      );
      await restoring.stop('SIGKILL');
      const service = startService(target);
      await service.listening();
      await service.stop();
      await succeeds('restore', target, file);
      expect(await backupOf(target)).toMatchObject({ rows: linesOf(file).rows });
      expect(readdirSync(target.DATA_DIR).filter((name) => name.startsWith('postgres'))).toEqual([
        'postgres',
      ]);
    }
  });
});

describe('A backup beside a running service', () => {
  it.each(kinds)('has what was acknowledged before, and is whole: on %s', async (_where, open) => {
    const source = await open();
    const service = startService(source);
    const rest = await service.listening();
    const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
    const ana = rest.as((await rest.post('/api/auth/signup', account)).body.token);
    const task = (await ana.post('/api/tasks', { title: 'Swim' })).body;
    let isOver = false;
    let acknowledged = 0;
    const completing = async () => {
      while (!isOver) {
        const { status } = await ana.post('/api/task-completions', { task_id: task.id });
        expect(status).toBe(201);
        acknowledged += 1;
      }
    };
    const writing = completing();
    await eventually(() => acknowledged > 20);
    const before = acknowledged;
    const file = newFile();
    await succeeds('backup', source, '--to', file);
    isOver = true;
    await writing;
    const found = linesOf(file).rows.filter((line) => line.startsWith('["task_completions",')).length;
    expect(found).toBeGreaterThanOrEqual(before);
    expect(found).toBeLessThanOrEqual(acknowledged);

    const target = await onEmbedded();
    await succeeds('restore', target, file);
    expect(await succeeds('streaks-verify', target)).toBe(NOTHING_WRONG);
    if (!source.DATABASE_URL) {
      expect(readdirSync(path.join(source.DATA_DIR, 'copies')), 'no copy is left').toEqual([]);
      expect(statSync(path.join(source.DATA_DIR, 'copies')).mode & 0o777).toBe(0o700);
    }
  });

  it('is made of an embedded database again and again, and by several at a time', async () => {
    const source = await seeded({ DATA_DIR: dataDirectory() }, 20);
    await startService(source).listening();
    const [one, other] = await Promise.all([backupOf(source), backupOf(source)]);
    expect(one.rows).toEqual(other.rows);
    expect((await backupOf(source)).rows).toEqual(one.rows);
  });

  it('leaves nothing behind when it is killed: the service removes its copy', async () => {
    const DATA_DIR = dataDirectory();
    const leftover = path.join(DATA_DIR, 'copies', 'ffffffff');
    mkdirSync(leftover, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(leftover, 'PG_VERSION'), '18');
    await startService({ DATA_DIR }).listening();
    await eventually(() => readdirSync(path.join(DATA_DIR, 'copies')).length === 0);
  });
});

describe('npm run move', () => {
  it.each([
    ['the embedded database', 'a server', onEmbedded, onServer],
    ['a server', 'the embedded database', onServer, onEmbedded],
  ] as const)(
    'copies all data from %s to %s, and leaves the first as it is',
    async (_from, _to, one, other) => {
      const [source, target] = [await one(), await other()];
      await seeded(source, 20);
      const place = ({ DATA_DIR, DATABASE_URL }: Environment) => DATABASE_URL ?? DATA_DIR;
      const before = await backupOf(source);
      const printed = await succeeds('move', {}, '--from', place(source), '--to', place(target));
      expect(printed).toBe('Restored 20 users, 907 rows, and verified them.\n');
      for (const environment of [source, target]) {
        expect(await backupOf(environment)).toMatchObject({ rows: before.rows, trailer: before.trailer });
      }
      const again = await command('move', {}, '--from', place(source), '--to', place(target));
      expect(again).toMatchObject({ code: 1, output: expect.stringMatching(/^There are users in .+\n$/) });
    },
  );

  it('refuses a source that a service has open, since what it writes would stay behind', async () => {
    const DATA_DIR = dataDirectory();
    await startService({ DATA_DIR }).listening();
    const refused = await command('move', {}, '--from', DATA_DIR, '--to', await emptyUrl());
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is in use by another Steady.+\n$/),
    });
  });

  it.each([
    [['--to=postgres://a/b'], '--from is missing'],
    [['--from=somewhere'], '--to is missing'],
    [['--from=somewhere', '--to=postgres://a:99999/b'], '--to is not valid: '],
    [['--from=a', '--from=b'], '--from is given twice'],
  ])('refuses %j', async (args, problem) => {
    const { code, output } = await command('move', {}, ...args);
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^${problem}.*\n$`));
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  backupOf,
  command,
  kinds,
  newFile,
  onEmbedded,
  onServer,
  seeded,
  succeeds,
  withKinds,
} from '../support/backup-commands.js';
import { changed, FIXTURE, linesOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';

withKinds();

describe('A restore', () => {
  const ways: [string, string, () => Buffer][] = [
    ['a damaged file', 'is damaged', () => damaged(readFileSync(FIXTURE))],
    [
      'a row that somebody changed',
      'is damaged: its checksum',
      () => changed(FIXTURE, (text) => text.replace('"Swim"', '"Swam"')),
    ],
    ['a row too few', 'is damaged: its checksum', () => changed(FIXTURE, (text) => without(text, 9))],
    [
      'a line that is no row',
      'is damaged: it has a line',
      () => changed(FIXTURE, (text) => text.replace('\n', '\n1\n')),
    ],
    ['a file that is cut off', 'is cut off', () => readFileSync(FIXTURE).subarray(0, 1_000)],
    ['a file without its last line', 'is cut off', () => changed(FIXTURE, (text) => without(text, -2))],
    ['an empty file', 'is cut off', () => Buffer.alloc(0)],
    [
      'a line without an end',
      'is damaged, or not a backup',
      () => changed(FIXTURE, () => 'x'.repeat(2_000_000)),
    ],
    ['a file of something else', 'not a backup of Steady', () => Buffer.from('{"steady":"backup"}')],
    ['compressed text', 'is not a backup of Steady', () => changed(FIXTURE, () => 'Hello\n')],
    ['a newer format', 'by a newer Steady (format 2', () => changed(FIXTURE, newerFormat)],
    ['a newer migration', 'does not know 9999_later', () => changed(FIXTURE, newerMigration)],
    ['another table', 'is not that of migration', () => changed(FIXTURE, otherColumns)],
  ];

  it.each(kinds)(
    'refuses each file that it cannot trust, with one line, and leaves %s empty',
    async (_into, open) => {
      const target = await open();
      for (const [what, problem, bytes] of ways) {
        const { code, output } = await command('restore', target, newFile('refused.gz', bytes()));
        expect({ code, output }, what).toMatchObject({ code: 1, output: expect.stringContaining(problem) });
        expect(output.replace(MAKING, ''), what).toMatch(/^.+\n$/);
      }
      await succeeds('restore', target, FIXTURE);
    },
  );

  it('takes the place of a database in which nobody has signed up yet, and people can log in', async () => {
    const source = { DATA_DIR: dataDirectory() };
    const service = startService(source);
    const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
    await (await service.listening()).post('/api/auth/signup', account);
    await service.stop();
    const file = newFile();
    expect(await succeeds('backup', source, '--to', file)).toMatch(/^Backed up 1 user, \d+ rows, to .+\n$/);

    const target = await onServer();
    const empty = startService(target);
    await empty.listening();
    await empty.stop();
    await succeeds('restore', target, file);
    const rest = await startService(target).listening();
    expect(await rest.post('/api/auth/login', account)).toMatchObject({ status: 200 });
  });
});

it('A restore deletes again what the operator has deleted since, by the file beside the backups', async () => {
  const BACKUP_DIR = path.dirname(newFile());
  const source = { DATA_DIR: dataDirectory(), BACKUP_DIR };
  const file = path.join(BACKUP_DIR, 'before.gz');
  await succeeds('users', source, 'create', 'ana@example.com', '--name=Ana');
  await succeeds('backup', source, '--to', file);
  await succeeds('users', source, 'delete', 'ana@example.com', '--yes');
  const target = await onEmbedded();
  expect(await succeeds('restore', target, file)).toContain('1 account had been deleted since');
  const { rows } = await backupOf(target);
  const of = (table: string) => rows.filter((line) => line.startsWith(`["${table}"`));
  expect([of('users'), of('deleted_accounts')]).toMatchObject([[], { length: 1 }]);
});

const damaged = (bytes: Buffer) => {
  const middle = bytes.length / 2;
  return Buffer.concat([bytes.subarray(0, middle), Buffer.from('xxxx'), bytes.subarray(middle + 4)]);
};
const without = (text: string, index: number) => text.split('\n').toSpliced(index, 1).join('\n');
const newerFormat = (text: string) => text.replace('"format":1', '"format":2');
const newerMigration = (text: string) => text.replace(/"migration":"\w+"/, '"migration":"9999_later"');
/** What the first restore says that looks into the tables. */
const MAKING = /^Making a new database in .+\n/;

const otherColumns = (text: string) => text.replace('"idempotency_key"', '"idempotency"');

/** After the command holds reminders back, which the row says. */
const HELD = '["kept_values","reminders","held"]';

async function restoredRows(target: Parameters<typeof backupOf>[0]): Promise<string[]> {
  const { rows } = await backupOf(target);
  expect(rows).toContain(HELD);
  return rows.filter((row) => row !== HELD);
}

describe('A restore that is killed', () => {
  it('leaves a server as empty as it was, whatever it was doing', async () => {
    const file = newFile();
    await succeeds('backup', await seeded(await onEmbedded(), 2_000), '--to', file);
    const target = await onServer();
    const client = new pg.Client(target.DATABASE_URL);
    await client.connect();
    for (const moment of ['insert into "users"', 'insert into "task_completions"']) {
      const restoring = run('operation/commands/restore.js', target, [file]);
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
    expect(await restoredRows(target)).toEqual(linesOf(file).rows);
  });

  it('leaves a data directory as empty as it was, and what it left does no harm', async () => {
    const file = newFile();
    await succeeds('backup', await seeded(await onEmbedded(), 200), '--to', file);
    // While it is made, when it is made, and while it is filled.
    const moments = [/^postgresql\.new-/, /^postgresql$/, /^postgresql\/postmaster\.pid$/];
    for (const moment of moments) {
      const target = { DATA_DIR: temporaryFolder() };
      const restoring = run('operation/commands/restore.js', target, [file]);
      const within = (name: string) => {
        const folder = path.join(target.DATA_DIR, name);
        return existsSync(folder) ? readdirSync(folder).map((each) => path.join(name, each)) : [];
      };
      await eventually(() => [...within(''), ...within('postgresql')].some((name) => moment.test(name)));
      await restoring.stop('SIGKILL');
      const service = startService(target);
      await service.listening();
      await service.stop();
      await succeeds('restore', target, file);
      expect(await restoredRows(target)).toEqual(linesOf(file).rows);
      const left = readdirSync(target.DATA_DIR).filter((name) => name.startsWith('postgres'));
      expect(left.sort()).toEqual(['postgresql', 'postgresql-password']);
    }
  });
});

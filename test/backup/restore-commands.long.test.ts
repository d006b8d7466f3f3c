import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  backupOf,
  command,
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
  it('of a file that it cannot trust is refused in one line, and leaves nothing behind', async () => {
    const target = await onEmbedded();
    const file = newFile(
      'refused.gz',
      changed(FIXTURE, (text) => text.replace('"Swim"', '"Swam"')),
    );
    const { code, output } = await command('restore', target, file);
    expect(code).toBe(1);
    expect(output.replace(/^Making a new database in .+\n/, '')).toMatch(/^.+is damaged: its checksum.+\n$/);
    await succeeds('restore', target, FIXTURE);
  });

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

describe('A restore that is killed', () => {
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
      const held = '["kept_values","reminders","held"]'; // by the command
      expect((await backupOf(target)).rows.toSorted()).toEqual([...linesOf(file).rows, held].toSorted());
      const left = readdirSync(target.DATA_DIR).filter((name) => name.startsWith('postgres'));
      expect(left.sort()).toEqual(['postgresql', 'postgresql-password']);
    }
  });
});

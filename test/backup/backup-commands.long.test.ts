import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  backupOf,
  command,
  kinds,
  NOTHING_WRONG,
  newFile,
  onEmbedded,
  onServer,
  seeded,
  succeeds,
  withKinds,
} from '../support/backup-commands.js';
import { FIXTURE, linesOf, partOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { run, startService } from '../support/process.js';

withKinds();

describe('A backup', () => {
  it.each([
    ['the embedded database', 'a server', onEmbedded, onServer],
    ['a server', 'the embedded database', onServer, onEmbedded],
  ])(
    'of %s restores into %s, and is then backed up as the same bytes',
    async (_from, _into, openSource, openTarget) => {
      const source = await seeded(await openSource(), 30);
      const file = newFile();
      const printed = await succeeds('backup', source, '--to', file);
      expect(printed).toBe(`Backed up 30 users, 1,358 rows, to ${file}.\n`);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(path.dirname(file)), 'no draft is left').toEqual([path.basename(file)]);

      const target = await openTarget();
      const told = await succeeds('restore', target, file);
      expect(told).toContain('Restored 30 users, 1,358 rows, and verified them.\n');
      expect(told).toContain(`copy the file jwt-secret from the former DATA_DIR into ${target.DATA_DIR}`);
      await succeeds('reminders', target, 'on'); // the command holds them back
      const { rows, trailer } = linesOf(file);
      expect(await backupOf(target)).toMatchObject({ rows, trailer });
      expect(await succeeds('streaks-verify', target)).toBe(NOTHING_WRONG);
    },
  );

  it('goes to the standard output if asked to', async () => {
    const source = await onServer();
    await succeeds('restore', source, FIXTURE);
    await succeeds('reminders', source, 'on');
    const pieces: Buffer[] = [];
    const writing = run('operation/commands/backup.js', source, ['--to', '-']);
    writing.child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
    expect(await writing.exited).toBe(0);
    const { header, rows } = linesOf(FIXTURE);
    expect(partOf(linesOf(Buffer.concat(pieces)), header.tables).sort()).toEqual(rows.sort());
  });

  it('is proved by --verify, without being restored', async () => {
    expect(await succeeds('backup', {}, '--verify', FIXTURE)).toMatch(
      /^\S+ is whole: \d+ users, [\d,]+ rows, as of 2026-\S+Z\.\n$/,
    );
    const cut = newFile('cut.jsonl.gz', readFileSync(FIXTURE).subarray(0, -20));
    expect(await command('backup', {}, '--verify', cut)).toEqual({ code: 1, output: `${cut} is cut off.\n` });
  });

  it.each(kinds)(
    'is refused where there is nothing to back up, and makes nothing: in %s',
    async (_where, openSource) => {
      const source = await openSource();
      const file = newFile();
      const { code, output } = await command('backup', source, '--to', file);
      expect(code).toBe(1);
      expect(output).toMatch(/^There is no(thing| database) .+\n$/);
      expect(existsSync(file) || existsSync(source.DATA_DIR)).toBe(false);
    },
  );

  it('leaves no file under its name when it is killed, and replaces an older one when it is not', async () => {
    const source = await seeded(await onEmbedded());
    const file = newFile('backup.jsonl.gz', Buffer.from('older'));
    const killed = run('operation/commands/backup.js', source, ['--to', file]);
    await eventually(() => readdirSync(path.dirname(file)).length > 1);
    await killed.stop('SIGKILL');
    expect(readFileSync(file, 'utf8')).toBe('older');
    await succeeds('backup', source, '--to', file);
    expect(linesOf(file).rows.length).toBeGreaterThan(400);
  });
});

describe('A backup beside a running service', () => {
  it('is refused with one line when its file grows too large for the disk', async () => {
    const source = await seeded(await onEmbedded(), 50);
    const rest = await startService(source).listening();
    const file = newFile();
    const script = `ulimit -f 16; exec ${process.execPath} dist/src/operation/commands/backup.js --to ${file}`;
    const { status, stderr, stdout } = spawnSync('sh', ['-c', script], {
      env: { PATH: process.env.PATH, ...source },
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^.+cannot be (written|opened).+\n$/);
    expect(readdirSync(path.dirname(file))).toEqual([]);
    expect((await rest.get('/health/ready')).status).toBe(200);
  });
});

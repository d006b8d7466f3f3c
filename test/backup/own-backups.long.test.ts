import { mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameAt } from '../../src/operation/backup/folder.js';
import { newFile, onEmbedded, onServer, seeded, succeeds, withKinds } from '../support/backup-commands.js';
import { linesOf } from '../support/backups.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startService } from '../support/process.js';

withKinds();

const newFolder = () => path.dirname(newFile());

const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl.gz'));
const draftsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.partial'));

/** Resolves when the service has found a backup that is young enough, old or new. */
const restsOn = async (service: ServiceProcess): Promise<string> =>
  `${await eventually(() => /The last backup is (\S+?)"/.exec(service.output)?.[1])}`;

const madeBy = (...services: ServiceProcess[]) =>
  services.flatMap(({ output }) => output.match(/Made a backup/g) ?? []).length;

const ALONE = { WORKERS: '1' };

/** Starts a service and holds its backup up in the middle, by a lock that nothing else waits for, until it is let go. */
async function heldUp(environment: { DATABASE_URL: string }, folder: string) {
  const { default: pg } = await import('pg');
  const holder = new pg.Client(environment.DATABASE_URL);
  await holder.connect();
  await holder.query('begin; lock table api_tokens in access exclusive mode');
  const service = startService({ ...environment, BACKUP_DIR: folder, ...ALONE });
  await service.listening();
  await eventually(() => draftsIn(folder).length > 0);
  return { service, letGo: () => holder.end() };
}

describe('Backups', () => {
  it('begin at once, can be restored, are told by the health check, and are not repeated by a restart', async () => {
    const environment = await seeded(await onEmbedded(), 20);
    const BACKUP_DIR = path.join(newFolder(), 'made');
    const service = startService({ ...environment, BACKUP_DIR, ...ALONE });
    const rest = await service.listening();
    const file = await restsOn(service);
    expect(backupsIn(BACKUP_DIR)).toEqual([path.basename(file)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(BACKUP_DIR).mode & 0o777).toBe(0o700);
    const { body } = await rest.get('/health/ready');
    expect(body.backup).toMatchObject({ ageSeconds: expect.any(Number), isOverdue: false });
    expect(nameAt(new Date(body.backup.lastGoodAt))).toBe(path.basename(file));
    expect(await service.stop()).toBe(0);

    const again = startService({ ...environment, BACKUP_DIR });
    await again.listening();
    expect(await restsOn(again)).toBe(file);
    expect(await again.stop()).toBe(0);
    expect(readdirSync(BACKUP_DIR)).toEqual([path.basename(file)]);
    expect(madeBy(service, again)).toBe(1);
    expect(await succeeds('restore', await onServer(), file)).toContain('Restored 20 users');
  });

  it('leave nothing that counts when the service is killed, and the next start makes up for it', async () => {
    const environment = await seeded(await onServer(), 20);
    const folder = newFolder();
    const { service, letGo } = await heldUp(environment, folder);
    await service.stop('SIGKILL');
    await letGo();
    expect(backupsIn(folder)).toEqual([]);
    const again = startService({ ...environment, BACKUP_DIR: folder });
    await again.listening();
    const file = await restsOn(again);
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    expect(linesOf(file).header.tables).not.toEqual([]);
  });

  it('fail without harm, and succeed when the obstacle is gone', async () => {
    const environment = await onServer();
    const missing = path.join(newFolder(), 'not-mounted');
    const service = startService({ ...environment, BACKUP_DIR: path.join(missing, 'backups') });
    const rest = await service.listening();
    await eventually(() => /A backup failed and will be tried again/.test(service.output));
    const { status, body } = await rest.get('/health/ready');
    expect(status).toBe(200);
    expect(body.backup).toEqual({ lastGoodAt: null, ageSeconds: null, isOverdue: true });
    const line = service.output.split('\n').find((each) => each.includes('A backup failed')) as string;
    expect(JSON.parse(line)).toMatchObject({ level: 50, reason: expect.stringContaining('ENOENT') });
    mkdirSync(missing);
    await restsOn(service);
    expect((await rest.get('/health/ready')).body.backup.isOverdue).toBe(false);
  });
});

describe('Several processes', () => {
  it('make one backup, and the others tell of it', async () => {
    const environment = await seeded(await onServer(), 20);
    const folder = newFolder();
    const { service, letGo } = await heldUp(environment, folder);
    const other = startService({ ...environment, BACKUP_DIR: folder, LOG_LEVEL: 'debug', ...ALONE });
    const rest = await other.listening();
    await eventually(() => /Another instance is making a backup/.test(other.output));
    await letGo();
    expect(await restsOn(other)).toBe(await restsOn(service));
    expect(madeBy(service, other)).toBe(1);
    expect(backupsIn(folder)).toHaveLength(1);
    expect((await rest.get('/health/ready')).body.backup.isOverdue).toBe(false);
  });
});

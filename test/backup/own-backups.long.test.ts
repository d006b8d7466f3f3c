import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nameAt } from '../../src/operation/backup/folder.js';
import { kinds, newFile, onServer, seeded, succeeds, withKinds } from '../support/backup-commands.js';
import { FIXTURE, linesOf } from '../support/backups.js';
import { childrenOf } from '../support/children.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startService } from '../support/process.js';
import { SmallDisk } from '../support/small-disk.js';
import { needs } from '../support/tools.js';

withKinds();

const HOUR = 3_600_000;

/** The name of a backup made so many hours ago. */
const made = (hours: number) => nameAt(new Date(Date.now() - hours * HOUR));

/** A folder with good backups of those names. */
function folderWith(...names: string[]): string {
  const folder = path.dirname(newFile());
  for (const name of names) copyFileSync(FIXTURE, path.join(folder, name));
  return folder;
}

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

describe.each(kinds)('The backups that a service makes of %s', (_where, open) => {
  it('begin at once, can be restored, are told by the health check, and are not repeated by a restart', async () => {
    const environment = await seeded(await open(), 20);
    const BACKUP_DIR = path.join(folderWith(), 'made');
    const service = startService({ ...environment, BACKUP_DIR, ...ALONE });
    const rest = await service.listening();
    const file = await restsOn(service);
    expect(backupsIn(BACKUP_DIR)).toEqual([path.basename(file)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(BACKUP_DIR).mode & 0o777).toBe(0o700);
    const { body } = await rest.get('/health/ready');
    expect(body.backup).toEqual({
      lastGoodAt: expect.any(String),
      ageSeconds: expect.any(Number),
      isOverdue: false,
    });
    expect(nameAt(new Date(body.backup.lastGoodAt))).toBe(path.basename(file));
    expect(await service.stop()).toBe(0);

    const again = startService({ ...environment, BACKUP_DIR });
    await again.listening();
    expect(await restsOn(again)).toBe(file);
    expect(await again.stop()).toBe(0);
    expect(readdirSync(BACKUP_DIR)).toEqual([path.basename(file)]);
    expect(madeBy(service, again)).toBe(1);
    expect(await succeeds('restore', await open(), file)).toContain('Restored 20 users');
  });
});

describe('Backups', () => {
  const open = onServer;

  it('leave nothing when the service is stopped in the middle', async () => {
    const folder = folderWith();
    const { service, letGo } = await heldUp(await seeded(await open(), 20), folder);
    const stopped = service.stop();
    await letGo();
    expect(await stopped).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(service.output).not.toContain('A backup failed');
  });

  it('leave nothing that counts when the service is killed, and the next start makes up for it', async () => {
    const environment = await seeded(await open(), 20);
    const folder = folderWith();
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

  it('are due when the newest is too old, whatever is dated into the future, and only old ones of ours go', async () => {
    const others = ['notes.txt', 'steady.jsonl.gz', `${made(300)}.asc`, `other-${made(300)}`];
    const future = made(-300);
    const folder = folderWith(...[25, 49, 73, 97].map(made), future, ...others);
    writeFileSync(path.join(folder, `${made(98)}.12.partial`), 'left by a killed process');
    const environment = await seeded(await open(), 20);
    const service = startService({ ...environment, BACKUP_DIR: folder, BACKUP_KEEP: '2' });
    await service.listening();
    const file = path.basename(await restsOn(service));
    const kept = () => readdirSync(folder).filter((name) => !others.includes(name) && name !== future);
    await eventually(() => kept().length === 2);
    expect(kept()).toContain(file);
    expect(await service.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([...others, future]));
  });

  it('are not due while the newest is young, which is known from the first health check on', async () => {
    const folder = folderWith(made(1), made(3));
    const service = startService({ ...(await open()), BACKUP_DIR: folder, BACKUP_EVERY: '2' });
    const rest = await service.listening();
    const { body } = await rest.get('/health/ready');
    expect(body.backup).toMatchObject({ lastGoodAt: expect.any(String), isOverdue: false });
    expect(path.basename(await restsOn(service))).toBe(readdirSync(folder).sort().at(-1));
    expect(madeBy(service)).toBe(0);
  });

  it('that are much smaller than the one before are warned of', async () => {
    const folder = folderWith();
    writeFileSync(path.join(folder, made(25)), Buffer.alloc(2 ** 20));
    const service = startService({ ...(await open()), BACKUP_DIR: folder });
    await service.listening();
    const file = await restsOn(service);
    const warning = service.output.split('\n').find((line) => line.includes('much smaller'));
    expect(JSON.parse(`${warning}`)).toMatchObject({
      level: 40,
      bytes: statSync(file).size,
      bytesBefore: 2 ** 20,
      msg: `A backup is much smaller than the one before: ${file}`,
    });
  });

  it('are made and kept though those of another database lie in the folder, which are warned of and left alone', async () => {
    const folder = folderWith(made(30));
    const strangers = [1, 60].map((hours) => path.join(folder, made(hours)));
    for (const file of strangers) writeFileSync(file, gzipSync('{"steady":"backup","database":"another"}\n'));
    const service = startService({ ...(await open()), BACKUP_DIR: folder, BACKUP_KEEP: '1', ...ALONE });
    const rest = await service.listening();
    const file = await restsOn(service);
    expect(strangers).not.toContain(file);
    await eventually(() => backupsIn(folder).length === 3);
    expect(backupsIn(folder).sort()).toEqual([...strangers, file].map((each) => path.basename(each)).sort());
    expect((await rest.get('/health/ready')).body.backup).toMatchObject({ isOverdue: false });
    const warning = service.output.split('\n').find((line) => line.includes('is of another database'));
    expect(JSON.parse(`${warning}`)).toMatchObject({
      level: 40,
      msg: expect.stringContaining(strangers[0] ?? ''),
    });
  });

  it('fail without harm, and succeed when the obstacle is gone', async () => {
    const environment = await open();
    const missing = path.join(folderWith(), 'not-mounted');
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

  it('fail on a full disk, and leave the room they had taken', needs('leave to mount a disk'), async () => {
    const disk = await SmallDisk.make(2);
    disk.fill();
    const environment = { ...(await seeded(await open())), BACKUP_DIR: disk.place };
    const service = disk.startService(environment);
    const rest = await service.listening();
    await eventually(() => /ENOSPC/.test(service.output));
    expect((await rest.get('/health/ready')).status).toBe(200);
    expect(readdirSync(disk.file())).toEqual(['filler']);
    disk.empty();
    await restsOn(service);
    expect(readdirSync(disk.file())).toHaveLength(1);
  });
});

describe('Several processes', () => {
  it('make one backup, and the others tell of it', async () => {
    const environment = await seeded(await onServer(), 20);
    const folder = folderWith();
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

  it('behind one port have one of them make backups, and another when that one dies', async () => {
    const environment = { ...(await onServer()), WORKERS: '2' };
    const folder = folderWith(made(1));
    const service = startService({ ...environment, BACKUP_DIR: folder });
    await service.listening();
    await restsOn(service);
    expect(service.output.match(/The last backup is/g)).toHaveLength(1);
    const leader = /"worker":(\d+)[^\n]*The last backup is/.exec(service.output)?.[1];
    expect(leader).toBe('1');
    const [first] = childrenOf(service.child) as [number];
    process.kill(first, 'SIGKILL');
    for (const name of backupsIn(folder)) rmSync(path.join(folder, name));
    const line = await eventually(() => /"worker":(\d+)[^\n]*Made a backup/.exec(service.output));
    expect(line?.[1]).not.toBe('1');
    expect(backupsIn(folder)).toHaveLength(1);
  });
});

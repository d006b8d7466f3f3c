import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameAt } from '../../src/backup/folder.js';
import { kinds, newFile, onServer, seeded, succeeds, withKinds } from '../support/backup-commands.js';
import { FIXTURE, linesOf } from '../support/backups.js';
import { childrenOf } from '../support/children.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, type ServiceProcess, startService } from '../support/process.js';
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
const draftsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.unchecked'));

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Resolves when the service has found a backup that is young enough, old or new. */
const restsOn = async (service: ServiceProcess): Promise<string> =>
  `${await eventually(() => /The last backup is (\S+?)"/.exec(service.output)?.[1])}`;

const madeBy = (...services: ServiceProcess[]) =>
  services.flatMap(({ output }) => output.match(/Made a backup/g) ?? []).length;

/** So that its only child is the process of the backup, and every health check meets the process that makes it. */
const ALONE = { WORKERS: '1' };

/** Starts a service and holds its backup up in the middle of writing, until it is let go. */
async function heldUp(environment: object, folder: string) {
  const service = startService({ ...environment, BACKUP_DIR: folder, ...ALONE });
  await service.listening();
  const draft = await eventually(() =>
    draftsIn(folder).find((name) => sizeOf(path.join(folder, name)) > 0 && name.endsWith('.partial')),
  );
  const [child] = childrenOf(service.child) as [number];
  process.kill(child, 'SIGSTOP');
  expect(backupsIn(folder), 'the seed is too small to be held up').toEqual([]);
  return {
    service,
    child,
    draft: path.join(folder, draft as string),
    letGo: () => process.kill(child, 'SIGCONT'),
  };
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

  it('leave nothing when the service is stopped in the middle, which takes no longer for it', async () => {
    const folder = folderWith();
    const { service, child } = await heldUp(await seeded(await open()), folder);
    expect(await service.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(() => process.kill(child, 0)).toThrow('ESRCH');
    expect(service.output).not.toContain('A backup failed');
  });

  it('leave nothing that counts when the service is killed, and the next start makes up for it', async () => {
    const environment = await seeded(await open());
    const folder = folderWith();
    const { service, child, letGo } = await heldUp(environment, folder);
    await service.stop('SIGKILL');
    letGo();
    await eventually(() => !existsSync(`/proc/${child}`));
    expect(backupsIn(folder)).toEqual([]);
    const again = startService({ ...environment, BACKUP_DIR: folder });
    await again.listening();
    const file = await restsOn(again);
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    expect(linesOf(file).header.tables).not.toEqual([]);
    const copies = path.join(environment.DATA_DIR, 'copies');
    if (!environment.DATABASE_URL) await eventually(() => readdirSync(copies).length === 0);
  });
});

// These decide by the folder alone, so they have one kind of database: the other takes ten times as long to start.
describe('Backups', () => {
  const open = onServer;

  it('are due when the newest is too old, whatever is dated into the future, and only old ones of ours go', async () => {
    const others = ['notes.txt', 'steady.jsonl.gz', `${made(300)}.asc`, `other-${made(300)}`];
    const future = made(-300);
    const folder = folderWith(...[25, 49, 73, 97].map(made), future, ...others);
    writeFileSync(path.join(folder, `${made(98)}.unchecked`), 'left by a killed process');
    writeFileSync(path.join(folder, `${made(98)}.unchecked.12.partial`), 'left by a killed process');
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

  it('are not due while the newest good one is young, and one that somebody has cut does not count', async () => {
    const environment = await seeded(await open(), 20);
    const folder = folderWith(made(1), made(3));
    const service = startService({ ...environment, BACKUP_DIR: folder, BACKUP_EVERY: '2', BACKUP_KEEP: '2' });
    await service.listening();
    expect(path.basename(await restsOn(service))).toBe(readdirSync(folder).sort().at(-1));
    expect(madeBy(service)).toBe(0);
    await service.stop();

    const [older = '', newest = ''] = readdirSync(folder).sort();
    truncateSync(path.join(folder, newest), 500);
    const next = startService({ ...environment, BACKUP_DIR: folder, BACKUP_EVERY: '2', BACKUP_KEEP: '2' });
    await next.listening();
    const file = path.basename(await restsOn(next));
    expect(next.output).toContain(`${newest} is cut off.`);
    expect(await next.stop()).toBe(0); // it has removed by then what it would
    expect(readdirSync(folder).sort(), 'the cut one takes the place of no good one').toEqual(
      [older, newest, file].sort(),
    );
  });

  it('of a database with far fewer users take the place of none that has more', async () => {
    const good = [25, 49, 73].map(made);
    const folder = folderWith(...good);
    const service = startService({ ...(await open()), BACKUP_DIR: folder, BACKUP_KEEP: '2' });
    await service.listening();
    const file = path.basename(await restsOn(service));
    expect(await service.stop()).toBe(0); // it has removed by then what it would
    expect(service.output).toMatch(/far fewer users than the one before/);
    expect(backupsIn(folder).sort()).toEqual([...good, file].sort());
  });

  it('are known from the first health check on, and a check that is killed condemns none', async () => {
    const folder = folderWith(made(1));
    const service = startService({ ...(await open()), BACKUP_DIR: folder, ...ALONE });
    const rest = await service.listening();
    const [child] = await eventually(() => {
      const children = childrenOf(service.child);
      return children.length > 0 ? children : undefined;
    });
    process.kill(child as number, 'SIGSTOP');
    const { body } = await rest.get('/health/ready');
    expect(body.backup).toMatchObject({ lastGoodAt: expect.any(String), isOverdue: false });
    process.kill(child as number, 'SIGKILL');
    await restsOn(service);
    expect(service.output).toMatch(/ended with SIGKILL.*could not be checked and will be tried again/);
    expect(service.output).not.toContain('does not count');
    expect(madeBy(service)).toBe(0);
  });

  it('count only when they were read again: one that was changed while it was written is made anew', async () => {
    const environment = await seeded(await open());
    const folder = folderWith();
    const { service, draft, letGo } = await heldUp(environment, folder);
    truncateSync(draft, 0);
    letGo();
    await restsOn(service);
    expect(service.output).toMatch(/A backup failed and will be tried again/);
    expect(service.output.match(/unchecked is damaged/g)).toHaveLength(1);
    expect(readdirSync(folder)).toHaveLength(1);
    const restored = await succeeds('restore', await open(), path.join(folder, backupsIn(folder)[0] ?? ''));
    expect(restored).toContain('Restored 400 users');
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

describe('A backup of the embedded database', () => {
  it('is given up while its files are being copied, too, when the service stops', async () => {
    const environment = { DATA_DIR: dataDirectory() };
    const large = path.join(environment.DATA_DIR, 'postgres', 'base', 'large');
    writeFileSync(large, '');
    truncateSync(large, 3 * 2 ** 30);
    const folder = folderWith();
    const service = startService({ ...environment, BACKUP_DIR: folder });
    await service.listening();
    const copies = path.join(environment.DATA_DIR, 'copies');
    const filesIn = () =>
      existsSync(copies) ? readdirSync(copies, { recursive: true, encoding: 'utf8' }) : [];
    await eventually(() => filesIn().some((name) => sizeOf(path.join(copies, name)) > 64 * 2 ** 20));
    expect(await service.stop()).toBe(0);
    expect(service.output).not.toContain('Copied the database');
    expect(filesIn()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('Several processes', () => {
  it('make one backup, and the others tell of it', async () => {
    const environment = await seeded(await onServer());
    const folder = folderWith();
    const { service, letGo } = await heldUp(environment, folder);
    const other = startService({ ...environment, BACKUP_DIR: folder, LOG_LEVEL: 'debug', ...ALONE });
    const rest = await other.listening();
    await eventually(() => /Another instance is making a backup/.test(other.output));
    letGo();
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
    const keeper = /"worker":(\d+)[^\n]*The last backup is/.exec(service.output)?.[1];
    expect(keeper).toBe('1');
    const [first] = childrenOf(service.child) as [number];
    process.kill(first, 'SIGKILL');
    for (const name of backupsIn(folder)) rmSync(path.join(folder, name));
    const line = await eventually(() => /"worker":(\d+)[^\n]*Made a backup/.exec(service.output));
    expect(line?.[1]).not.toBe('1');
    expect(backupsIn(folder)).toHaveLength(1);
  });
});

describe('BACKUP_EVERY and BACKUP_KEEP', () => {
  it('are said to have no effect without BACKUP_DIR', async () => {
    const service = startService({ DATA_DIR: dataDirectory(), BACKUP_EVERY: '12' });
    const rest = await service.listening();
    expect(service.output).toContain('BACKUP_EVERY has no effect without BACKUP_DIR: no backups are made.');
    expect((await rest.get('/health/ready')).body).toEqual({
      status: 'ready',
      connections: expect.anything(),
    });
  });
});

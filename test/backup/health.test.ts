import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { nameAt } from '../../src/operation/backup/folder.js';
import { BackupSchedule } from '../../src/operation/backup/schedule.js';
import { FIXTURE } from '../support/backups.js';
import { ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TestClock } from '../support/world.js';

const MINUTE = 60_000;

async function folder() {
  const place = mkdtempSync(path.join(tmpdir(), 'steady-backups-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const clock = new TestClock();
  const database = await ownDatabase();
  const lines: { msg: string; level: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const schedule = () => new BackupSchedule({ folder: place, everyHours: 24, keep: 2, database, clock, log });
  /** The name of a backup of so many hours ago. */
  const made = (hours: number) => nameAt(new Date(clock.now().getTime() - hours * 60 * MINUTE));
  const said = (text: string) => lines.filter(({ msg }) => msg.includes(text));
  return { place, clock, schedule, made, said };
}

it('The first backup is overdue only when its time has passed, a later one by its age', async () => {
  const { place, clock, schedule } = await folder();
  const start = clock.now();
  const kept = schedule();
  const isOverdueAfter = async (minutes: number) => {
    clock.set(new Date(start.getTime() + minutes * MINUTE).toISOString());
    await kept.prepare();
    return kept.health().isOverdue;
  };
  expect(await isOverdueAfter(15)).toBe(false);
  expect(await isOverdueAfter(16)).toBe(true);
  writeFileSync(path.join(place, nameAt(start)), '');
  expect(await isOverdueAfter(24 * 60 + 15)).toBe(false);
  expect(await isOverdueAfter(24 * 60 + 16)).toBe(true);
});

it('A backup is due when the newest of this database is too old, and only old ones of it go', async () => {
  const { place, schedule, made, said } = await folder();
  const add = (name: string, contents: Buffer | string) => writeFileSync(path.join(place, name), contents);
  for (const hours of [49, 73, -300]) copyFileSync(FIXTURE, path.join(place, made(hours)));
  add(made(25), Buffer.alloc(2 ** 20));
  const strangers = [made(1), made(60)];
  for (const name of strangers) add(name, gzipSync('{"steady":"backup","database":"another"}\n'));
  const others = ['notes.txt', 'steady.jsonl.gz', `${made(300)}.asc`, `other-${made(300)}`];
  for (const name of others) add(name, '');
  add(`${made(98)}.12.partial`, 'left by a killed process');

  for (const _start of ['first', 'second']) {
    const kept = schedule();
    await kept.prepare();
    kept.keep();
    kept.start();
    const before = said('The last backup is').length;
    await eventually(() => said('The last backup is').length > before);
    await kept.stop();
    expect(kept.health()).toMatchObject({ ageSeconds: 0, isOverdue: false });
  }
  expect(said('Made a backup')).toHaveLength(1);
  const left = [made(0), made(25), made(-300), ...strangers, ...others];
  expect(readdirSync(place).sort()).toEqual(left.sort());
  for (const warning of ['is of another database', 'much smaller than the one before'])
    expect(said(warning), warning).toContainEqual(expect.objectContaining({ level: 40 }));
});

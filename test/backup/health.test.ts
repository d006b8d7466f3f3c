import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { DATABASE_ID, storedValue } from '../../src/features/reminders/channels/stored-values.js';
import { nameAt } from '../../src/operation/backup/folder.js';
import { BackupSchedule } from '../../src/operation/backup/schedule.js';
import { sharedDatabase } from '../support/database.js';
import { TestClock } from '../support/world.js';

const MINUTE = 60_000;

it('The first backup is overdue only when its time has passed, a later one by its age', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const start = new Date('2026-11-21T08:00:00Z');
  const clock = new TestClock();
  clock.set(start.toISOString());
  const database = await sharedDatabase();
  const log = pino({ enabled: false });
  const settings = { folder, everyHours: 24, keep: 3, database, clock, log };
  const schedule = new BackupSchedule(settings);
  const isOverdueAfter = async (minutes: number) => {
    clock.set(new Date(start.getTime() + minutes * MINUTE).toISOString());
    await schedule.prepare();
    return schedule.health().isOverdue;
  };
  expect(await isOverdueAfter(0)).toBe(false);
  expect(await isOverdueAfter(15)).toBe(false);
  expect(await isOverdueAfter(16)).toBe(true);
  writeFileSync(path.join(folder, nameAt(start)), '');
  expect(await isOverdueAfter(24 * 60 + 15)).toBe(false);
  expect(await isOverdueAfter(24 * 60 + 16)).toBe(true);
});

it('A backup of another database in the folder is none of this one', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-backups-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = new TestClock();
  const database = await sharedDatabase();
  const log = pino({ enabled: false });
  const schedule = new BackupSchedule({ folder, everyHours: 24, keep: 3, database, clock, log });
  const lastGoodAt = async (minutes: number, its: string) => {
    const madeAt = new Date(clock.now().getTime() - minutes * MINUTE);
    const header = JSON.stringify({ steady: 'backup', database: its });
    writeFileSync(path.join(folder, nameAt(madeAt)), gzipSync(`${header}\n`));
    await schedule.prepare();
    return schedule.health().lastGoodAt?.getTime();
  };
  const ours = (await storedValue(database.query(), DATABASE_ID)) ?? '';
  expect(await lastGoodAt(1, 'another')).toBeUndefined();
  expect(await lastGoodAt(60, ours)).toBe(Math.floor(clock.now().getTime() / 1_000) * 1_000 - 60 * MINUTE);
});

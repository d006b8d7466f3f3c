import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
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

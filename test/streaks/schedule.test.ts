import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StreakJob } from '../../src/features/history/streaks/streak.job.js';
import { streaksEachHour } from '../../src/features/history/streaks/streak.schedule.js';
import { ownDatabase } from '../support/database.js';
import { TestClock, world } from '../support/world.js';

/** The schedule on a database of its own, and what it logs. */
async function scheduled(offset = 0) {
  const clock = { now: () => new Date(Date.now() + offset) };
  const database = await ownDatabase();
  const lines: { level: number; msg: string; [key: string]: unknown }[] = [];
  const log = pino({ base: undefined }, { write: (line) => void lines.push(JSON.parse(line)) });
  const schedule = streaksEachHour(new StreakJob(database, clock), { database, clock, log });
  onTestFinished(() => schedule.stop());
  return { database, schedule, lines, query: database.query() };
}

describe('The schedule of the streak job', () => {
  it('logs how many rows each run corrected, leaves a row of each that changed something, and makes up for one that fails', async () => {
    const { database, schedule, lines, query } = await scheduled();
    const { newUser, clock, renewed } = await world({ database, clock: new TestClock() });
    const ana = await newUser();
    const swim = await ana.hasTask();
    clock.set('2026-01-01T12:00:00.000Z');
    await renewed(ana).completes(swim);
    await sql`alter table user_progress rename to elsewhere`.execute(query);
    await schedule.run(true);
    await sql`alter table elsewhere rename to user_progress`.execute(query);
    for (let run = 0; run < 2; run += 1) await schedule.run(true);
    const day = new Date().toISOString().slice(0, 10);
    expect(lines).toMatchObject([
      { level: 50, msg: 'The streak job failed and will be tried again' },
      { level: 30, msg: 'Streaks are up to date', corrected: 1, day },
      { level: 30, msg: 'Streaks are up to date', corrected: 0 },
    ]);
    const rows = sql`select day, corrected, started_at, ended_at from streak_runs where corrected > 0`;
    expect((await rows.execute(query)).rows).toEqual([
      { day, corrected: 1, started_at: expect.any(Date), ended_at: expect.any(Date) },
    ]);
  });

  it.each([60_000, -60_000])('warns when the clocks differ by %i ms', async (offset) => {
    const { schedule, lines } = await scheduled(offset);
    await schedule.run(true);
    const warning = lines.find(({ level }) => level === 40);
    expect(warning?.msg).toBe('The clocks of the database and of this process differ');
    expect(Math.abs(Number(warning?.milliseconds) + offset)).toBeLessThan(30_000);
  });
});

import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StreakJob } from '../../src/features/history/streaks/streak.job.js';
import { streaksEachHour } from '../../src/features/history/streaks/streak.schedule.js';
import { freshDatabase } from '../support/database.js';
import { TestClock, world } from '../support/world.js';

/** The schedule on a database of its own, and what it logs. */
async function scheduled(offset = 0) {
  const clock = { now: () => new Date(Date.now() + offset) };
  const database = await freshDatabase(2);
  const lines: { level: number; msg: string; [key: string]: unknown }[] = [];
  const log = pino({ base: undefined }, { write: (line) => void lines.push(JSON.parse(line)) });
  const schedule = streaksEachHour(new StreakJob(database, clock), { database, clock, log });
  onTestFinished(async () => {
    schedule.stop();
    await database.close();
  });
  return { database, schedule, lines, messages: () => lines.map(({ msg }) => msg) };
}

describe('The schedule of the streak job', () => {
  it('logs how many rows each run corrected, and leaves a row of each that changed something', async () => {
    const { database, schedule, lines } = await scheduled();
    const { newUser, clock, renewed } = await world({ database, clock: new TestClock() });
    const ana = await newUser();
    const swim = await ana.hasTask();
    clock.set('2026-01-01T12:00:00.000Z');
    await renewed(ana).completes(swim);
    for (let run = 0; run < 2; run += 1) await schedule.run(true);
    const day = new Date().toISOString().slice(0, 10);
    expect(lines).toMatchObject([
      { level: 30, msg: 'Streaks are up to date', corrected: 1, day },
      { level: 30, msg: 'Streaks are up to date', corrected: 0 },
    ]);
    const rows = sql`select day, corrected, started_at, ended_at from streak_runs`.execute(database.query());
    expect((await rows).rows).toEqual([
      { day, corrected: 1, started_at: expect.any(Date), ended_at: expect.any(Date) },
    ]);
  });

  it('survives a run that fails, says so, and makes up for it at the next', async () => {
    const { database, schedule, messages } = await scheduled();
    await sql`alter table user_progress rename to elsewhere`.execute(database.query());
    await schedule.run(true);
    await sql`alter table elsewhere rename to user_progress`.execute(database.query());
    await schedule.run(true);
    expect(messages()).toEqual(['The streak job failed and will be tried again', 'Streaks are up to date']);
  });

  it.each([60_000, -60_000])('warns when the clocks differ by %i ms', async (offset) => {
    const { schedule, lines } = await scheduled(offset);
    await schedule.run(true);
    const warning = lines.find(({ level }) => level === 40);
    expect(warning?.msg).toBe('The clocks of the database and of this process differ');
    expect(Math.abs(Number(warning?.milliseconds) + offset)).toBeLessThan(30_000);
  });
});

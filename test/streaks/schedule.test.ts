import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { StreakJob } from '../../src/features/history/streaks/streak.job.js';
import { streaksEachHour } from '../../src/features/history/streaks/streak.schedule.js';
import { freshDatabase } from '../support/database.js';
import { TestClock, world } from '../support/world.js';

interface LogLine {
  level: number;
  msg: string;
  [key: string]: unknown;
}

/** The schedule on a database of its own, and what it logs. */
async function scheduled(clock: Clock) {
  const database = await freshDatabase(2);
  const lines: LogLine[] = [];
  const log = pino({ base: undefined }, { write: (line) => void lines.push(JSON.parse(line)) });
  const job = new StreakJob(database, clock);
  const schedule = streaksEachHour(job, { database, clock, log });
  onTestFinished(() => schedule.stop());
  return { database, schedule, lines, messages: () => lines.map(({ msg }) => msg) };
}

const inStepWith = (offset: number): Clock => ({ now: () => new Date(Date.now() + offset) });

describe('The schedule of the streak job', () => {
  it('logs the day and how many rows each run corrected', async () => {
    const { database, schedule, lines } = await scheduled(inStepWith(0));
    const { newUser, clock, renewed } = await world({ database, clock: new TestClock() });
    const ana = await newUser();
    const swim = await ana.hasTask();
    clock.set('2026-01-01T12:00:00.000Z');
    await renewed(ana).completes(swim);
    await schedule.run(true);
    await schedule.run(true);
    const runs = lines.filter(({ msg }) => msg === 'Streaks are up to date');
    expect(runs).toMatchObject([
      { level: 30, corrected: 1, day: new Date().toISOString().slice(0, 10) },
      { level: 30, corrected: 0 },
    ]);
    await database.close();
  });

  it('survives a run that fails, says so, and makes up for it at the next', async () => {
    const { database, schedule, messages } = await scheduled(inStepWith(0));
    await sql`alter table user_progress rename to elsewhere`.execute(database.query());
    await schedule.run(true);
    await sql`alter table elsewhere rename to user_progress`.execute(database.query());
    await schedule.run(true);
    expect(messages()).toEqual(['The streak job failed and will be tried again', 'Streaks are up to date']);
    await database.close();
  });

  it.each([60_000, -60_000])('warns when the clocks differ by %i ms', async (offset) => {
    const { database, schedule, lines } = await scheduled(inStepWith(offset));
    await schedule.run(true);
    const warning = lines.find(({ level }) => level === 40);
    expect(warning?.msg).toBe('The clocks of the database and of this process differ');
    expect(Math.abs(Number(warning?.milliseconds) + offset)).toBeLessThan(30_000);
    await database.close();
  });

  it('does not warn when the clocks agree', async () => {
    const { database, schedule, messages } = await scheduled(inStepWith(0));
    await schedule.run(true);
    expect(messages()).toEqual(['Streaks are up to date']);
    await database.close();
  });
});

describe('A run of the streak job that changed something', () => {
  it('leaves a row that tells when, for which day, and how many', async () => {
    const database = await freshDatabase();
    const { newUser, clock, job } = await world({ database });
    clock.set('2026-11-01T12:00:00.000Z');
    for (const _user of [1, 2, 3]) {
      const user = await newUser();
      await user.completes(await user.hasTask());
    }
    clock.set('2026-11-21T00:00:05.000Z');
    expect(await job.run()).toEqual({ day: '2026-11-21', corrected: 3, skipped: false });
    expect(await job.run()).toEqual({ day: '2026-11-21', corrected: 0, skipped: false });
    const { rows } = await sql`select day, corrected, started_at, ended_at from streak_runs`.execute(
      database.query(),
    );
    const at = new Date('2026-11-21T00:00:05.000Z');
    expect(rows).toEqual([{ day: '2026-11-21', corrected: 3, started_at: at, ended_at: at }]);
    await database.close();
  });
});

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EachMinute, occurrenceAt, Recurring } from '../../src/jobs/cron.js';
import { sharedDatabase } from '../support/database.js';
import { TestClock } from '../support/world.js';

/** Processes that share a database and a clock. */
async function nights() {
  const database = await sharedDatabase();
  const clock = new TestClock();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const kind = `sweep ${randomUUID()}`;
  const counts = { begun: 0 };
  const count = async () => {
    counts.begun += 1;
  };
  const start = async (work = count, settings: { atStart?: boolean } = {}) => {
    const recurring = new Recurring(
      { kind, period: 'NIGHT', failure: 'The sweep failed', work, ...settings },
      { database, clock, log },
    );
    onTestFinished(() => recurring.stop());
    await recurring.begin();
    return recurring;
  };
  const keys = async () =>
    (
      await sql<{ key: string }>`select key from jobs where kind = ${kind}`.execute(database.query())
    ).rows.map(({ key }) => key);
  return { clock, lines, counts, start, keys };
}

describe('A night', () => {
  it('begins at three, and has the name of its day', () => {
    expect(occurrenceAt('NIGHT', new Date('2026-11-29T02:59:59Z'))).toBe('2026-11-28');
    expect(occurrenceAt('NIGHT', new Date('2026-11-29T03:00:00Z'))).toBe('2026-11-29');
    expect(occurrenceAt('HOUR', new Date('2026-11-29T00:00:04Z'))).toBe('2026-11-28T23');
    expect(occurrenceAt('HOUR', new Date('2026-11-29T00:00:05Z'))).toBe('2026-11-29T00');
  });

  it('is done once by several processes, and by none that starts later', async () => {
    const { counts, start, keys } = await nights();
    await Promise.all([start(), start(), start()]);
    await start();
    expect(counts.begun).toBe(1);
    expect(await keys()).toEqual(['2026-11-21']);
  });

  it('that was missed is made up for at the next start, once however many they were', async () => {
    const { clock, counts, start, keys } = await nights();
    const first = await start();
    await first.stop();
    clock.advance({ days: 3, hours: 1 });
    await start();
    await start();
    expect(counts.begun).toBe(2);
    expect(await keys()).toEqual(['2026-11-24']);
  });

  it('that fails stops no start, is logged, and is tried again', async () => {
    const { clock, counts, lines, start } = await nights();
    const first = await start(async () => {
      throw new Error('no broom');
    });
    await first.stop();
    expect(lines.filter((line) => line.includes('no broom'))).toHaveLength(1);
    const early = await start();
    await early.stop();
    expect(counts.begun).toBe(0);
    clock.advance({ seconds: 60 });
    await start();
    expect(counts.begun).toBe(1);
  });

  it('may be done at each start too', async () => {
    const { counts, start } = await nights();
    for (const _start of [1, 2, 3]) await (await start(undefined, { atStart: true })).stop();
    expect(counts.begun).toBe(3);
  });

  it('that a clock which was years ahead has named keeps none from being done', async () => {
    const { clock, counts, start, keys } = await nights();
    clock.set('2035-05-05T12:00:00Z');
    await (await start()).stop();
    clock.set('2026-11-22T06:00:00Z');
    await start();
    expect(counts.begun).toBe(2);
    expect(await keys()).toEqual(['2026-11-22']);
  });
});

describe('A minute', () => {
  it('is done one after the other, and one that fails does not end the next', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    let under = 0;
    const seen: number[] = [];
    const minutes = new EachMinute(
      async () => {
        under += 1;
        seen.push(under);
        await Promise.resolve();
        under -= 1;
        if (seen.length === 1) throw new Error('no clock');
      },
      { log, failure: 'The minute failed' },
    );
    await Promise.all([minutes.run(), minutes.run(), minutes.run()]);
    expect(seen).toEqual([1, 1, 1]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('The minute failed');
  });
});

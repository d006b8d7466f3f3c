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
  const start = async (work = count, atStart = false) => {
    const settings = { kind, period: 'NIGHT', failure: 'The sweep failed', work, atStart } as const;
    const recurring = new Recurring(settings, { database, clock, log });
    onTestFinished(() => recurring.stop());
    await recurring.begin();
    return recurring;
  };
  const keys = async () => {
    const { rows } = await sql<{ key: string }>`select key from jobs where kind = ${kind}`.execute(
      database.query(),
    );
    return rows.map(({ key }) => key);
  };
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
    expect([counts.begun, await keys()]).toEqual([1, ['2026-11-21']]);
  });

  it('that was missed is made up for at the next start, once however many they were', async () => {
    const { clock, counts, start, keys } = await nights();
    await (await start()).stop();
    clock.advance({ days: 3, hours: 1 });
    for (const _again of [1, 2]) await start();
    expect([counts.begun, await keys()]).toEqual([2, ['2026-11-24']]);
  });

  it('that fails stops no start, is logged, and is tried again', async () => {
    const { clock, counts, lines, start } = await nights();
    await (await start(() => Promise.reject(new Error('no broom')))).stop();
    expect(lines.filter((line) => line.includes('no broom'))).toHaveLength(1);
    await (await start()).stop(); // too early
    expect(counts.begun).toBe(0);
    clock.advance({ seconds: 60 });
    await start();
    expect(counts.begun).toBe(1);
  });

  it('may be done at each start too', async () => {
    const { counts, start } = await nights();
    for (const _start of [1, 2, 3]) await (await start(undefined, true)).stop();
    expect(counts.begun).toBe(3);
  });

  it('that a clock which was years ahead has named keeps none from being done', async () => {
    const { clock, counts, start, keys } = await nights();
    clock.set('2035-05-05T12:00:00Z');
    await (await start()).stop();
    clock.set('2026-11-22T06:00:00Z');
    await start();
    expect([counts.begun, await keys()]).toEqual([2, ['2026-11-22']]);
  });
});

it('A minute is done one after the other, and one that fails does not end the next', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  let under = 0;
  const seen: number[] = [];
  const work = async () => {
    under += 1;
    seen.push(under);
    await Promise.resolve();
    under -= 1;
    if (seen.length === 1) throw new Error('no clock');
  };
  const minutes = new EachMinute(work, { log, failure: 'The minute failed' });
  await Promise.all([minutes.run(), minutes.run(), minutes.run()]);
  expect(seen).toEqual([1, 1, 1]);
  expect(lines).toEqual([expect.stringContaining('The minute failed')]);
});

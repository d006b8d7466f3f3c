import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EachMinute, occurrenceAt, Recurring } from '../../src/jobs/cron.js';
import { ownDatabase } from '../support/database.js';
import { TestClock } from '../support/world.js';

/** Processes that share a database and a clock. */
async function nights() {
  const database = await ownDatabase();
  const clock = new TestClock();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const start = async (work: () => Promise<void>, settings: { atStart?: boolean } = {}) => {
    const recurring = new Recurring(
      { kind: 'sweep', period: 'NIGHT', failure: 'The sweep failed', work, ...settings },
      { database, clock, log },
    );
    onTestFinished(() => recurring.stop());
    await recurring.begin();
    return recurring;
  };
  const rows = async () =>
    (await sql<{ key: string }>`select key from jobs order by key`.execute(database.query())).rows;
  return { database, clock, lines, start, rows };
}

function counted() {
  const counts = { begun: 0 };
  const work = async () => {
    counts.begun += 1;
  };
  return { counts, work };
}

describe('A night', () => {
  it('begins at three, and has the name of its day', () => {
    expect(occurrenceAt('NIGHT', new Date('2026-11-29T02:59:59Z'))).toBe('2026-11-28');
    expect(occurrenceAt('NIGHT', new Date('2026-11-29T03:00:00Z'))).toBe('2026-11-29');
    expect(occurrenceAt('HOUR', new Date('2026-11-29T00:00:04Z'))).toBe('2026-11-28T23');
    expect(occurrenceAt('HOUR', new Date('2026-11-29T00:00:05Z'))).toBe('2026-11-29T00');
  });

  it('is done once by several processes, and by none that starts later', async () => {
    const { start, rows } = await nights();
    const { counts, work } = counted();
    await Promise.all([start(work), start(work), start(work)]);
    await start(work);
    expect(counts.begun).toBe(1);
    expect(await rows()).toEqual([{ key: '2026-11-21' }]);
  });

  it('that was missed is made up for at the next start, once however many they were', async () => {
    const { clock, start, rows } = await nights();
    const { counts, work } = counted();
    const first = await start(work);
    await first.stop();
    clock.advance({ days: 3, hours: 1 });
    await start(work);
    await start(work);
    expect(counts.begun).toBe(2);
    expect(await rows()).toEqual([{ key: '2026-11-24' }]);
  });

  it('that fails stops no start, is logged, and is tried again', async () => {
    const { clock, lines, start } = await nights();
    const first = await start(async () => {
      throw new Error('no broom');
    });
    await first.stop();
    expect(lines.filter((line) => line.includes('no broom'))).toHaveLength(1);
    const { counts, work } = counted();
    const early = await start(work);
    await early.stop();
    expect(counts.begun).toBe(0);
    clock.advance({ seconds: 60 });
    await start(work);
    expect(counts.begun).toBe(1);
  });

  it('may be done at each start too', async () => {
    const { start } = await nights();
    const { counts, work } = counted();
    for (const _start of [1, 2, 3]) await (await start(work, { atStart: true })).stop();
    expect(counts.begun).toBe(3);
  });

  it('that a clock which was years ahead has named keeps none from being done', async () => {
    const { clock, start, rows } = await nights();
    const { counts, work } = counted();
    clock.set('2035-05-05T12:00:00Z');
    await (await start(work)).stop();
    clock.set('2026-11-22T06:00:00Z');
    await start(work);
    expect(counts.begun).toBe(2);
    expect(await rows()).toEqual([{ key: '2026-11-22' }]);
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

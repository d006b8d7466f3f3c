import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertJob } from '../../src/jobs/jobs.queries.js';
import { type Kind, type Outcome, Runner } from '../../src/jobs/runner.js';
import { sharedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TestClock } from '../support/world.js';

type Letter = { text?: string };

/** What the test decides of each job. */
type Decide = Kind<Letter>['carryOut'];

const done: Decide = async () => ({ is: 'DONE' });

/** What a process does that is killed in the middle. */
const dies: Decide = () => new Promise(() => {});

const ONE = { atOnce: 1, ofLane: 1, ofUser: 1, together: 1 };

/** As many processes as a test needs, on one database, for jobs of a kind that no other test has. */
async function post(settings: Partial<Kind<Letter>> = {}) {
  const database = await sharedDatabase();
  const clock = new TestClock();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const kind = `letter ${randomUUID()}`;
  const leave = (lane = 'host', { key = `${randomUUID()}`, userId = null as string | null } = {}) =>
    insertJob(database.query(), {
      ...{ id: randomUUID(), kind, key, userId, lane, payload: {}, now: clock.now() },
    });
  const process = (carryOut: Decide, isKilled = carryOut === dies) => {
    const runner = new Runner<Letter>(
      {
        ...{ kind, failure: 'A letter failed' },
        limits: { atOnce: 8, ofLane: 4, ofUser: 2, together: 2 },
        ...{ leaseMs: 60_000, lastsMs: 3_600_000, lookMs: 600_000 },
        backOff: { firstMs: 10_000, factor: 6, longestMs: 300_000 },
        ...{ ...settings, carryOut },
      },
      { database, clock, log },
    );
    if (!isKilled) onTestFinished(() => runner.stop());
    return runner;
  };
  const rows = async () =>
    (
      await sql<{ attempts: number; runAt: Date | null; payload: Letter }>`
        select attempts, run_at as "runAt", payload from jobs where kind = ${kind}`.execute(database.query())
    ).rows;
  const untilTaken = () => eventually(async () => (await rows()).some(({ attempts }) => attempts === 1));
  return { database, clock, lines, kind, leave, process, rows, untilTaken };
}

/** Work that notes what it is at. */
function noting() {
  const seen: string[] = [];
  const note: Decide = async ({ key }) => {
    seen.push(key);
    return { is: 'DONE' };
  };
  return { seen, note };
}

/** Work that goes on until it is let go. */
function held() {
  const begun: { lane: string; userId: string | null }[] = [];
  const ends: (() => void)[] = [];
  const carryOut: Decide = (job) => {
    begun.push(job);
    return new Promise<Outcome<Letter>>((resolve) => ends.push(() => resolve({ is: 'DONE' })));
  };
  const letGo = () => {
    for (const end of ends.splice(0)) end();
  };
  onTestFinished(letGo);
  return { begun, carryOut, letGo };
}

describe('A job', () => {
  it('is done once, however many processes look for it', async () => {
    const { leave, process, rows } = await post();
    const keys = Array.from({ length: 40 }, (_, index) => `letter ${index}`);
    for (const [index, key] of keys.entries()) await leave(`host ${index % 3}`, { key });
    const { seen, note } = noting();
    await Promise.all([process(note).run(), process(note).run(), process(note).run()]);
    expect(seen.toSorted()).toEqual(keys.toSorted());
    expect(await rows()).toEqual([]);
  });

  it('wakes every process that has begun, by an announcement', async () => {
    const { database, leave, process } = await post();
    const { seen, note } = noting();
    const runner = process(note);
    await database.announcements.open();
    runner.begin();
    await runner.run();
    await leave('host', { key: 'heard' });
    await eventually(() => seen.includes('heard'));
  });

  it('that fails is tried again after pauses that grow up to a bound, with what was noted', async () => {
    const { clock, leave, process, rows } = await post();
    await leave();
    const runner = process(async () => ({ is: 'AGAIN', note: { text: 'noted' } }));
    for (const [index, seconds] of [10, 60, 300, 300].entries()) {
      await runner.run();
      await runner.run(); // too early
      const runAt = new Date(clock.now().getTime() + seconds * 1_000);
      expect(await rows()).toEqual([{ attempts: index + 1, runAt, payload: { text: 'noted' } }]);
      clock.advance({ seconds });
    }
  });

  it('that throws is logged in one line, tried again, and given up after its last attempt', async () => {
    const { clock, leave, lines, process, rows } = await post({ attempts: 2 });
    await leave();
    const runner = process(() => Promise.reject(new Error('no ink')));
    await runner.run();
    expect(lines.filter((line) => line.includes('no ink'))).toHaveLength(1);
    expect(await rows()).toHaveLength(1);
    clock.advance({ seconds: 10 });
    await runner.run();
    expect(await rows()).toEqual([]);
  });

  it('is given up when it is too old, and somebody is told how many', async () => {
    const given: number[] = [];
    const { clock, leave, process, rows } = await post({ givenUp: (count) => given.push(count) });
    await leave();
    await leave();
    clock.advance({ hours: 1 });
    await leave();
    const { seen, note } = noting();
    await process(note).run();
    expect([given, seen.length, await rows()]).toEqual([[2], 1, []]);
  });

  it('that this process cannot begin does not count, and is left alone for a while', async () => {
    const { leave, process, rows } = await post({ limits: ONE });
    await leave();
    let tried = 0;
    const runner = process(async () => {
      tried += 1;
      return { is: 'UNTRIED', restMs: 3_600_000 };
    });
    await runner.run();
    await runner.run();
    expect([tried, await rows()]).toMatchObject([1, [{ attempts: 0 }]]);
    await process(done).run();
    expect(await rows()).toEqual([]);
  });

  it('that is done, and cannot be written down, is not done again once it can', async () => {
    const { database, clock, kind, leave, lines, process, rows } = await post();
    await leave();
    const { seen, note } = noting();
    const runner = process(note);
    const query = database.query();
    await sql`
      create function full_disk() returns trigger language plpgsql as $$
        begin raise exception using errcode = '53100', message = 'full'; end $$`.execute(query);
    await sql`
      create trigger full_disk before delete on jobs for each row when (old.kind = ${sql.lit(kind)})
        execute function full_disk()`.execute(query);
    const working = runner.run();
    await eventually(() => lines.some((line) => line.includes('could not be written down yet')));
    clock.advance({ seconds: 60 });
    await sql`drop function full_disk cascade`.execute(query);
    await working;
    expect([await rows(), seen.length]).toEqual([[], 1]);
  });
});

describe('A process that dies', () => {
  it.each([
    ['', {}],
    [' in a lane for one process at a time', { limits: { ...ONE, isAlone: true } }],
  ])('is followed by another when its lease is over, and not before%s', async (_lane, settings) => {
    const { clock, leave, process, rows, untilTaken } = await post(settings);
    for (const _job of [1, 2]) await leave();
    void process(dies).run();
    await untilTaken();
    const other = process(done);
    await other.run();
    expect(await rows()).toHaveLength(2);
    clock.advance({ seconds: 60 });
    await other.run();
    expect(await rows()).toEqual([]);
  });

  it('or is only slow, can keep no note and not go on once another one has the job', async () => {
    const { clock, leave, process, untilTaken } = await post();
    await leave();
    const answers: boolean[] = [];
    const { promise: waited, resolve: goOn } = Promise.withResolvers<void>();
    const slow = process(async (_, hold) => {
      await waited;
      answers.push(await hold.note({ text: 'late' }), await hold.giveUpOthers());
      return { is: 'AGAIN' };
    }).run();
    const { begun, carryOut, letGo } = held();
    await untilTaken();
    clock.advance({ seconds: 60 });
    const other = process(carryOut).run();
    await eventually(() => begun.length > 0);
    goOn();
    await slow;
    expect(answers).toEqual([false, false]);
    letGo();
    await other;
  });

  it('at what may be done once only, is followed by nobody', async () => {
    const { clock, leave, process, rows } = await post();
    await leave();
    const first: Decide = async (job, hold) => {
      expect(await hold.giveUpOthers()).toBe(true);
      return dies(job, hold);
    };
    void process(first, true).run();
    await eventually(async () => (await rows())[0]?.runAt === null);
    clock.advance({ seconds: 600 });
    const { seen, note } = noting();
    await process(note).run();
    expect(seen).toEqual([]);
  });
});

describe('A lane holds', () => {
  const [ana, ben] = [randomUUID(), randomUUID()];
  const few = { atOnce: 8, ofLane: 4, ofUser: 2, ofUserInAll: 3, together: 2 };
  it.each([
    ['so many at a time in a process', {}, null, () => 'slow', 4],
    ['so many of one user', {}, ana, () => 'host', 2],
    ['few of a user who names many', { limits: few }, ana, (index: number) => `host ${index}`, 4],
  ])('%s, and the others do not wait for them', async (_what, settings, userId, laneOf, most) => {
    const { leave, process } = await post(settings);
    for (let index = 0; index < 12; index += 1) await leave(laneOf(index), { userId });
    await leave(laneOf(0) === 'host' ? 'host' : 'swift', { userId: ben });
    const { begun, carryOut, letGo } = held();
    const working = process(carryOut).run();
    const isOfBen = (job: { userId: string | null }) => job.userId === ben;
    await eventually(() => begun.some(isOfBen));
    expect(begun.filter((job) => !isOfBen(job)).length).toBeLessThanOrEqual(most);
    await eventually(() => {
      letGo();
      return begun.length === 13;
    });
    letGo();
    await working;
  });
});

it('A stop takes nothing new, asks what is under way to give up, and waits for it, but for nothing that hangs', async () => {
  const [asking, hanging] = [await post({ limits: ONE }), await post()];
  for (const { leave } of [asking, asking, hanging]) await leave();
  const runners = [
    asking.process(async (_, { giveUp }) => {
      await new Promise((resolve) => giveUp.addEventListener('abort', resolve, { once: true }));
      return { is: 'UNTRIED' };
    }),
    hanging.process(dies),
  ];
  for (const runner of runners) void runner.run();
  await Promise.all([asking.untilTaken(), hanging.untilTaken()]);
  await Promise.all(runners.map((runner) => runner.stop()));
  expect(await asking.rows()).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  expect(await hanging.rows()).toHaveLength(1);
});

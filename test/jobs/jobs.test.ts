import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertJob } from '../../src/jobs/jobs.queries.js';
import { type Kind, type Outcome, Runner } from '../../src/jobs/runner.js';
import { sharedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { TestClock } from '../support/world.js';

interface Letter {
  text?: string;
}

/** What the test decides of each job. */
type Decide = Kind<Letter>['carryOut'];

const done: Decide = async () => ({ is: 'DONE' });

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
  const process = (carryOut: Decide) => {
    const runner = new Runner<Letter>(
      {
        ...{ kind, failure: 'A letter failed' },
        limits: { atOnce: 8, ofLane: 4, ofUser: 2, together: 2 },
        ...{ leaseMs: 60_000, lastsMs: 3_600_000, lookMs: 600_000 },
        backOff: { firstMs: 10_000, factor: 6, longestMs: 300_000 },
        ...settings,
        carryOut,
      },
      { database, clock, log },
    );
    if (carryOut !== dies) onTestFinished(() => runner.stop());
    return runner;
  };
  const rows = async () =>
    (
      await sql<{ lane: string; attempts: number; runAt: Date | null; payload: Letter }>`
        select lane, attempts, run_at as "runAt", payload from jobs where kind = ${kind} order by created_at, lane
      `.execute(database.query())
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
  const untilAllAreDone = async (working: Promise<void>, count: number) => {
    await eventually(() => {
      letGo();
      return begun.length === count;
    });
    letGo();
    await working;
  };
  return { begun, carryOut, letGo, untilAllAreDone };
}

/** What a process does that is killed in the middle. */
const dies: Decide = () => new Promise(() => {});

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
    const pauses: number[] = [];
    const runner = process(async () => ({ is: 'AGAIN', note: { text: 'noted' } }));
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await runner.run();
      const [job] = await rows();
      expect(job).toMatchObject({ attempts: attempt, payload: { text: 'noted' } });
      const pause = (job?.runAt?.getTime() ?? 0) - clock.now().getTime();
      pauses.push(pause / 1_000);
      await runner.run(); // too early
      clock.advance({ ms: pause });
    }
    expect(pauses).toEqual([10, 60, 300, 300]);
  });

  it('that throws is logged in one line, tried again, and given up after its last attempt', async () => {
    const { clock, leave, lines, process, rows } = await post({ attempts: 2 });
    await leave();
    const runner = process(async () => {
      throw new Error('no ink');
    });
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
    expect(tried).toBe(1);
    expect(await rows()).toMatchObject([{ attempts: 0 }]);
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
  it('is followed by another when its lease is over, and not before', async () => {
    const { clock, leave, process, rows, untilTaken } = await post();
    await leave();
    void process(dies).run();
    await untilTaken();
    const other = process(done);
    await other.run();
    expect(await rows()).toHaveLength(1);
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
    const first = process(async (_, hold) => {
      expect(await hold.giveUpOthers()).toBe(true);
      return dies({} as never, hold);
    });
    void first.run();
    await eventually(async () => (await rows())[0]?.runAt === null);
    clock.advance({ seconds: 600 });
    const { begun, carryOut } = held();
    await process(carryOut).run();
    expect(begun).toEqual([]);
  });
});

describe('A lane', () => {
  it('holds so many at a time in a process, and the others do not wait for it', async () => {
    const { leave, process } = await post();
    for (let index = 0; index < 10; index += 1) await leave('slow');
    await leave('swift');
    const { begun, carryOut, untilAllAreDone } = held();
    const working = process(carryOut).run();
    await eventually(() => begun.some(({ lane }) => lane === 'swift'));
    expect(begun.filter(({ lane }) => lane === 'slow').length).toBeLessThanOrEqual(4);
    await untilAllAreDone(working, 11);
  });

  it('holds so many of one user, and those of others do not wait for them', async () => {
    const { leave, process } = await post();
    const [ana, ben] = [randomUUID(), randomUUID()];
    for (let index = 0; index < 6; index += 1) await leave('host', { userId: ana });
    await leave('host', { userId: ben });
    const { begun, carryOut, untilAllAreDone } = held();
    const working = process(carryOut).run();
    await eventually(() => begun.some(({ userId }) => userId === ben));
    expect(begun.filter(({ userId }) => userId === ana)).toHaveLength(2);
    await untilAllAreDone(working, 7);
  });

  it('is one of few for a user who names many, and those of others do not wait for them', async () => {
    const limits = { atOnce: 8, ofLane: 4, ofUser: 2, ofUserInAll: 3, together: 2 };
    const { leave, process } = await post({ limits });
    const [ana, ben] = [randomUUID(), randomUUID()];
    for (let index = 0; index < 12; index += 1) await leave(`host ${index}`, { userId: ana });
    await leave('host of Ben', { userId: ben });
    const { begun, carryOut, untilAllAreDone } = held();
    const working = process(carryOut).run();
    await eventually(() => begun.some(({ userId }) => userId === ben));
    expect(begun).toHaveLength(5); // two at a time, while she has fewer than three
    await untilAllAreDone(working, 13);
  });

  it('may be for one process at a time, until that has died', async () => {
    const { clock, leave, process, rows, untilTaken } = await post({ limits: { ...ONE, isAlone: true } });
    for (let index = 0; index < 3; index += 1) await leave('session');
    void process(dies).run();
    await untilTaken();
    const other = process(done);
    await other.run();
    expect(await rows()).toHaveLength(3);
    clock.advance({ seconds: 60 });
    await other.run();
    expect(await rows()).toEqual([]);
  });
});

describe('A stop', () => {
  it('takes nothing new, asks what is under way to give up, and waits for it', async () => {
    const { leave, process, rows } = await post({ limits: ONE });
    await leave();
    await leave();
    let isBegun = false;
    const runner = process(async (_, { giveUp }) => {
      isBegun = true;
      await new Promise((resolve) => giveUp.addEventListener('abort', resolve, { once: true }));
      return { is: 'UNTRIED' };
    });
    void runner.run();
    await eventually(() => isBegun);
    await runner.stop();
    expect(await rows()).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
  });

  it('does not wait for what hangs for ever', async () => {
    const { leave, process, rows, untilTaken } = await post();
    await leave();
    const runner = process(dies);
    void runner.run();
    await untilTaken();
    await runner.stop();
    expect(await rows()).toHaveLength(1);
  });
});

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Drift } from '../../src/features/history/completions/recount.js';
import { Verification } from '../../src/features/history/completions/verification.js';
import { StreakJob } from '../../src/features/history/streaks/streak.job.js';
import { ownDatabase } from '../support/database.js';
import { people } from '../support/people.js';
import { type TestUser, world } from '../support/world.js';

// Verification looks at everyone: each test has a database of its own.
async function scene() {
  const database = await ownDatabase();
  const here = await world({ database });
  const execute = (statement: string) => sql.raw(statement).execute(database.query());
  const completesAt = async (user: TestUser, task: { id: number }, ...instants: string[]) => {
    for (const iso of instants) {
      here.clock.set(iso);
      expect((await here.renewed(user).completes(task)).status).toBe(201);
    }
  };
  const verify = async (options = {}): Promise<Drift[]> => {
    const drifts: Drift[] = [];
    for await (const drift of new Verification(database, here.clock).run(options)) drifts.push(drift);
    return drifts;
  };
  /** How many streaks are left to the job. */
  const due = async () => {
    const verification = new Verification(database, here.clock);
    for await (const drift of verification.run()) expect.fail(`${drift.kind} differs`);
    return verification.due;
  };
  /** Counters of everyone, by user and by task. */
  const stored = async () => [
    (await execute('select * from user_progress order by user_id')).rows,
    (await execute('select * from tasks order by id')).rows,
  ];
  return { ...here, execute, completesAt, verify, due, stored };
}

/** Ana has swum on two days in a row, twice on the second, and Ben once. */
async function swimmers() {
  const here = await scene();
  const [ana, ben] = [await here.newUser(), await here.newUser()];
  const [swim, bens] = [await ana.hasTask({ points: 2.5 }), await ben.hasTask()];
  await here.completesAt(ana, swim, '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z');
  await here.completesAt(ana, swim, '2026-11-21T09:30:00.000Z');
  await here.completesAt(ben, bens, '2026-11-21T10:00:00.000Z');
  return { ...here, ana, ben, swim, bens };
}

describe('Verification finds no drift', () => {
  it('where a run of the job for a day to come has ended streaks, which the next run takes back', async () => {
    const { ana, ben, bens, clock, job, renewed, completesAt, due, stored } = await swimmers();
    const before = await stored();
    expect(await job.run(new Date('2027-11-21T00:00:00.000Z'))).toMatchObject({ corrected: 2 });
    expect(await renewed(ana).profile()).toMatchObject({ current_streak: 0, max_streak: 2 });
    expect(await due()).toBe(2);
    await job.run(clock.now());
    expect(await due()).toBe(0);
    expect(await stored()).toEqual(before);
    const now = clock.now().toISOString();
    for (const [at, count] of [
      ['2026-11-22T23:59:59.999Z', 0],
      ['2026-11-23T00:00:00.000Z', 2], // a day went by without a run
      [now, 0],
    ] as const) {
      clock.set(at);
      expect(await due()).toBe(count);
    }

    // Whoever is active before that next run has a streak of 0 on the same day, and of 1 on the next.
    await job.run(new Date('2027-11-21T00:00:00.000Z'));
    await completesAt(ben, bens, '2026-11-21T23:00:00.000Z', '2026-11-22T01:00:00.000Z');
    expect(await due()).toBe(3);
    expect(await job.run(clock.now())).toMatchObject({ corrected: 2 });
    expect(await renewed(ana).profile()).toMatchObject({ current_streak: 2, max_streak: 2 });
    expect(await renewed(ben).profile()).toMatchObject({ current_streak: 2, max_streak: 2 });
    expect(await due()).toBe(0);
  });

  it('in what it has just repaired, and counts only what is left to the job', async () => {
    const { execute, database, ana, clock, stored } = await swimmers();
    const before = await stored();
    await execute('update user_progress set current_streak = 9');
    await execute(`update user_progress set points = 0 where user_id = '${ana.id}'`);
    const verification = new Verification(database, clock);
    for await (const { kind } of verification.run({ fix: true })) expect(kind).toBe('points');
    expect(verification.due).toBe(1);
    await new StreakJob(database, clock).run();
    expect(await stored()).toEqual(before);
  });
});

describe('Verification finds', () => {
  it('drift of every kind, names the user and the task, and repairs it', async () => {
    const { execute, clock, newUser, verify, renewed, completesAt, stored } = await scene();
    const ana = await newUser();
    const swim = await ana.hasTask();
    clock.set('2026-11-20T12:00:00Z');
    const move = 'mutation { updateProfile(input: { timeZone: "Pacific/Kiritimati" }) { user { id } } }';
    await renewed(ana).query(move);
    // Two days in UTC, and one in Kiritimati.
    await completesAt(ana, swim, '2026-11-20T12:00:00Z', '2026-11-21T09:00:00Z');
    expect(await verify()).toEqual([]);
    const before = await stored();
    const [day, next] = ['2026-11-21', '2026-11-22'];
    const last = expect.stringMatching(/^2026-11-21 09:00:00/);
    const drifts: [kind: Drift['kind'], change: string, stored: string | null, recounted: unknown][] = [
      ['points', 'points = points + 0.1', '20.1', '20'],
      ['current run', `run_started_on = '2026-11-19'`, `2026-11-19 to ${day}`, `2026-11-20 to ${day}`],
      ['longest run', 'longest_run = 3', '3', '2'],
      ['user run', `last_user_day = '${next}'`, `${day} to ${next}`, `${day} to ${day}`],
      ['days of the user run', 'user_run_count = 9', '9', '1'],
      ['longest user run', 'longest_user_run = 9', '9', '1'],
      ['completion count', 'completion_count = 4', '4', '2'],
      ['last completion', 'last_completed_at = null', null, last],
      ['task run', `last_day = '${next}'`, `${day} to ${next}`, `${day} to ${day}`],
      ['days of the task run', 'run_count = 3', '3', '1'],
      ['longest task run', 'longest_run = 3', '3', '1'],
    ];
    for (const [kind, change, stored, recounted] of drifts) {
      const ofTask = /task|complet/.test(kind);
      await execute(`update ${ofTask ? 'tasks' : 'user_progress'} set ${change}`);
      const found = [{ kind, userId: ana.id, taskId: ofTask ? swim.id : null, stored, recounted }];
      expect(await verify({ fix: true }), kind).toEqual(found);
      expect(await verify(), kind).toEqual([]);
    }
    expect(await stored()).toEqual(before);
  });

  it('every user with drift once among thousands, and nobody else', async () => {
    const { execute, verify } = await scene();
    await execute(`${people(2_001)} select 1`);
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const wrong = [1, 1_000, 1_001, 2_000, 2_001].map(id);
    await execute(`update user_progress set points = 1 where user_id in ('${wrong.join("', '")}')`);
    expect((await verify({ fix: true })).map(({ userId }) => userId)).toEqual(wrong);
    expect(await verify()).toEqual([]);
  });
});

describe('Verification repairs', () => {
  it('the streak too, by the day it is repaired on, and nothing of a user without drift', async () => {
    const { execute, ana, ben, bens, clock, completesAt, verify } = await swimmers();
    await completesAt(ben, bens, '2026-11-24T10:00:00.000Z');
    const wrong = 'points = 0, current_streak = 9, max_streak = 9';
    await execute(`update user_progress set ${wrong} where user_id = '${ana.id}'`);
    clock.set('2026-11-25T00:00:00.000Z');
    expect(await verify({ fix: true })).toHaveLength(1);
    expect(await ana.profile()).toMatchObject({ points: 7.5, current_streak: 0, max_streak: 2 });
    expect(await ben.profile()).toMatchObject({ points: 20, current_streak: 2 }); // which the job will correct
  });

  it('while tasks are completed, and loses no completion', async () => {
    const { execute, ana: anaOfThen, renewed, swim, verify } = await swimmers();
    const ana = renewed(anaOfThen);
    await execute('update user_progress set points = 0');
    await execute('update tasks set completion_count = 0');
    const [, , ...answers] = await Promise.all([
      verify({ fix: true }),
      verify({ fix: true }),
      ...Array.from({ length: 20 }, () => ana.completes(swim)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    await verify({ fix: true });
    expect(await ana.profile()).toMatchObject({ points: 57.5, current_streak: 2 });
    expect(await verify()).toEqual([]);
  });
});

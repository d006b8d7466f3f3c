import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { loopExportFrom } from '../../src/takeout/loop/habits.js';
import { LoopService } from '../../src/takeout/loop/loop.service.js';
import { driftsOf } from '../support/drifts.js';
import { HEADS, loopFiles, zipOf } from '../support/loop.js';
import { type TestUser, type World, world } from '../support/world.js';

const NOW = '2026-11-21T12:00:00.000Z';

const habitsOf = (files: Record<string, string>) => loopExportFrom(zipOf(files));

const bringingIn =
  ({ database, clock }: Pick<World, 'database' | 'clock'>) =>
  ({ account }: TestUser, files = loopFiles(), isTrial = false) =>
    new LoopService(database, clock).run(account.email, habitsOf(files), { isTrial });

const tasksOf = async (user: TestUser) =>
  (
    await user.query(
      '{ tasks(archived: null) { nodes { title completionCount archivedAt points streak { longest } } } }',
    )
  ).tasks.nodes;

const completionsOf = async (user: TestUser) =>
  (
    await user.query(
      '{ completions(first: 100) { nodes { day completedAt recordedAt points task { title } } } }',
    )
  ).completions.nodes;

const movesTo = (user: TestUser, timeZone: string, dayStartsAt = 0) =>
  user.query(
    'mutation ($timeZone: TimeZone, $dayStartsAt: Int) { updateProfile(input: { timeZone: $timeZone, dayStartsAt: $dayStartsAt }) { user { id } } }',
    { timeZone, dayStartsAt },
  );

describe('An import from Loop', () => {
  it('makes tasks of habits and completions of days, beside what is there', async () => {
    const here = await world();
    const ana = await here.newUser();
    const run = await ana.hasTask({ title: 'Run', points: 3 });
    await ana.completes(run);
    const report = await bringingIn(here)(ana);
    expect(report).toMatchObject({
      ...{ habits: 6, days: 10, first: '2020-02-28', last: '2026-11-21', zone: 'UTC' },
      ...{ tasksMade: 6, tasksPutAway: 1, recorded: 10 },
    });
    const tasks = await tasksOf(ana);
    expect(
      tasks.map(({ title, completionCount }: { title: string; completionCount: number }) => [
        title,
        completionCount,
      ]),
    ).toEqual([
      ['Run', 1],
      ['Meditate', 3],
      ['Wake up, early', 1],
      ['Lauf 😀', 2],
      ['Cigarettes', 2],
      ['Old "habit"', 2],
      ['Meditate', 0],
    ]);
    expect(
      tasks.map(({ archivedAt }: { archivedAt: string | null }) => archivedAt !== null).indexOf(true),
    ).toBe(5);
    expect(await ana.query('{ me { points currentStreak maxStreak streak { days longest } } }')).toEqual({
      me: { points: 103, currentStreak: 5, maxStreak: 5, streak: { days: 5, longest: 5 } },
    });
    expect(await driftsOf(here, ana)).toEqual([]);
    expect((await ana.completes(run)).status).toBe(201);
  });

  it('adds nothing the second time, and later only what is new, whatever the tasks are called by then', async () => {
    const here = await world();
    const ana = await here.newUser();
    const bringIn = bringingIn(here);
    await bringIn(ana);
    const before = [await tasksOf(ana), await completionsOf(ana)];
    expect(await bringIn(ana)).toMatchObject({ tasksMade: 0, recorded: 0, days: 10 });
    expect([await tasksOf(ana), await completionsOf(ana)]).toEqual(before);

    const { tasks } = await ana.query('{ tasks { nodes { id title } } }');
    for (const { id } of tasks.nodes.slice(0, 2))
      await ana.query(
        'mutation ($id: ID!) { updateTask(id: $id, input: { title: "Renamed" }) { task { id } } }',
        { id },
      );
    const files = loopFiles();
    files['002 Wake up early/Checkmarks.csv'] += '2026-11-01,YES_MANUAL,\n';
    expect(await bringIn(ana, files)).toMatchObject({ tasksMade: 0, recorded: 1, days: 11 });
    const after = await tasksOf(ana);
    expect(after).toHaveLength(6);
    expect(after[1]).toMatchObject({ title: 'Renamed', completionCount: 2 });
    expect(await driftsOf(here, ana)).toEqual([]);
  });

  it('goes on with a task of the same title, at its points, and leaves out a day that it has already', async () => {
    const here = await world();
    here.clock.set('2026-11-18T20:00:00.000Z');
    const ana = await here.newUser();
    const meditate = await ana.hasTask({ title: 'Meditate', points: 2.5 });
    await ana.completes(meditate);
    here.clock.set(NOW);
    const report = await bringingIn(here)(ana);
    expect(report).toMatchObject({ tasksMade: 5, days: 10, recorded: 9 });
    const [first] = await tasksOf(ana);
    expect(first).toMatchObject({ title: 'Meditate', completionCount: 3 });
    expect(await ana.query('{ me { points } }')).toEqual({ me: { points: 3 * 2.5 + 7 * 10 } });
    expect(await driftsOf(here, ana)).toEqual([]);
  });

  it('records each day as that day of the user, at noon or as near to it as the UTC day allows, and none after today', async () => {
    const here = await world();
    const oneHabit = {
      'Habits.csv': `${HEADS.first}\nRun,,1,1,#000000\n`,
      '001 Run/Checkmarks.csv': '2026-11-22,2\n2026-11-21,2\n2026-11-20,2\n2026-07-01,2\n2011-12-30,2\n',
    };
    const found: Record<string, string[]> = {};
    for (const [zone, startsAt] of [
      ['Europe/Berlin', 4],
      ['Pacific/Kiritimati', 0],
      ['America/Los_Angeles', 6],
      ['Etc/GMT+12', 0],
      ['Pacific/Apia', 0],
    ] as const) {
      const ana = await here.newUser();
      await movesTo(ana, zone, startsAt);
      const report = await bringingIn(here)(ana, oneHabit);
      found[zone] = (await completionsOf(ana)).map(
        ({ day, completedAt }: { day: string; completedAt: string }) => `${day} ${completedAt.slice(0, 16)}`,
      );
      expect(report.left.tooNew, zone).toBe(5 - report.days);
      expect(await driftsOf(here, ana), zone).toEqual([]);
    }
    expect(found).toEqual({
      'Europe/Berlin': [
        '2026-11-21 2026-11-21T11:00',
        '2026-11-20 2026-11-20T11:00',
        '2026-07-01 2026-07-01T10:00',
        '2011-12-30 2011-12-30T11:00',
      ],
      'Pacific/Kiritimati': [
        '2026-11-22 2026-11-21T12:00', // it is two in the night there: not in the future
        '2026-11-21 2026-11-21T00:00',
        '2026-11-20 2026-11-20T00:00',
        '2026-07-01 2026-07-01T00:00',
        '2011-12-30 2011-12-30T00:00',
      ],
      'America/Los_Angeles': [
        '2026-11-20 2026-11-20T20:00',
        '2026-07-01 2026-07-01T19:00',
        '2011-12-30 2011-12-30T20:00',
      ],
      'Etc/GMT+12': [
        '2026-11-21 2026-11-21T12:00',
        '2026-11-20 2026-11-20T23:59',
        '2026-07-01 2026-07-01T23:59',
        '2011-12-30 2011-12-30T23:59',
      ],
      'Pacific/Apia': [
        '2026-11-22 2026-11-21T12:00',
        '2026-11-21 2026-11-21T00:00',
        '2026-11-20 2026-11-20T00:00',
        '2026-07-01 2026-07-01T00:00',
        '2011-12-30 2011-12-30T22:00', // the day that Samoa skipped
      ],
    });
  });

  it('that is a trial says the same, and changes nothing', async () => {
    const here = await world();
    const ana = await here.newUser();
    const bringIn = bringingIn(here);
    const tried = await bringIn(ana, loopFiles(), true);
    expect(await tasksOf(ana)).toEqual([]);
    expect(await bringIn(ana)).toEqual(tried);
  });

  it('is all or nothing, whoever else is at it', async () => {
    const here = await world();
    const ana = await here.newUser();
    const bringIn = bringingIn(here);
    const files = loopFiles();
    files['006 Meditate/Checkmarks.csv'] += '1999-09-09,YES_MANUAL,\n';
    await sql
      .raw(`alter table task_completions add constraint stumble check (day <> '1999-09-09')`)
      .execute(here.database.query());
    try {
      await expect(bringIn(ana, files)).rejects.toThrow('stumble');
    } finally {
      await sql.raw('alter table task_completions drop constraint stumble').execute(here.database.query());
    }
    expect([await tasksOf(ana), await completionsOf(ana)]).toEqual([[], []]);
    const reports = await Promise.all([bringIn(ana), bringIn(ana), bringIn(ana)]);
    expect(reports.map(({ recorded }) => recorded).sort()).toEqual([0, 0, 10]);
    expect(await tasksOf(ana)).toHaveLength(6);
  });

  it('refuses an unknown address, and more tasks than a user may have', async () => {
    const here = await world();
    const ana = await here.newUser();
    const bringIn = bringingIn(here);
    const nobody = { ...ana, account: { ...ana.account, email: 'nobody@example.com' } } as TestUser;
    await expect(bringIn(nobody)).rejects.toThrow(
      'An account with the e-mail address nobody@example.com not found',
    );
    await sql`
      insert into tasks (user_id, title, points, is_daily_routine, completion_count, created_at, updated_at)
      select ${ana.id}::uuid, 'Task', 1, false, 0, ${here.clock.now()}, ${here.clock.now()}
      from generate_series(1, 1995)`.execute(here.database.query());
    await expect(bringIn(ana)).rejects.toThrow('You can have at most 2000 tasks');
    expect(await completionsOf(ana)).toEqual([]);
  });
});

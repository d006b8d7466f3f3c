import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { CompletionTables } from '../../src/features/history/completions/completion-list.queries.js';
import { historyLimits } from '../../src/features/history/limits.js';
import { person, STREAK, TODAY } from '../schedules/person.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/locks.js';
import { allQueriesOf } from '../support/statements.js';

describe('A day that was skipped, or lies in a pause', () => {
  it('breaks nothing, counts nothing, and is kept if it was done all the same', async () => {
    const { ana, makes, at, does, read, states } = await person();
    const floss = await makes('title: "Floss"');
    await does(floss, [2, 3]);
    at(5);
    const { skipDay } = await ana.query(
      `mutation { skipDay(taskId: ${floss}, date: "2026-11-04", note: "at the dentist") { date task { ${STREAK} } } }`,
    );
    expect(skipDay).toMatchObject({ date: '2026-11-04', task: { streak: { count: 2, atRisk: true } } });
    expect(await read(floss, 'calendar(from: "2026-11-04", to: "2026-11-05") { notes }')).toEqual({
      calendar: [{ notes: ['at the dentist'] }, { notes: [] }],
    });
    await does(floss, [5]);
    expect((await read(floss, STREAK)).streak).toMatchObject({ count: 3, longest: 3 });
    expect((await states(floss, 2, 5)).map(({ state }) => state)).toEqual([
      'KEPT',
      'KEPT',
      'SKIPPED',
      'KEPT',
    ]);
    await ana.query(`mutation { unskipDay(taskId: ${floss}, date: "2026-11-04") { date } }`);
    expect((await read(floss, STREAK)).streak).toMatchObject({ count: 1, longest: 2 });
  });

  it('of everything is neutral for the streak of the user, and a skip is not', async () => {
    const { ana, makes, at, does } = await person();
    const floss = await makes('title: "Floss"');
    await does(floss, [2, 3]);
    at(4);
    const { createPause: pause } = await ana.query(
      `mutation { createPause(input: { from: "2026-11-04", until: "2026-11-06" }) { pause { id from until task { id } } user { ${STREAK} pauses { id } } } }`,
    );
    expect(pause.pause).toMatchObject({ from: '2026-11-04', until: '2026-11-06', task: null });
    expect(pause.user.pauses).toEqual([{ id: pause.pause.id }]);
    expect(pause.user.streak).toMatchObject({ count: 2, aliveUntil: '2026-11-08T00:00:00.000Z' });
    await does(floss, [7]);
    expect((await ana.query(`{ me { ${STREAK} currentStreak } }`)).me).toMatchObject({
      streak: { count: 3 },
    });
    at(8);
    const { id } = pause.pause;
    const { deletePause: deleted } = await ana.query(
      `mutation { deletePause(id: "${id}") { deletedId user { ${STREAK} pauses { id } } } }`,
    );
    expect(deleted).toMatchObject({ deletedId: id, user: { streak: { count: 1, longest: 2 }, pauses: [] } });
  });

  it('is considered in each of several calendars, which read a day once', async () => {
    const { ana, makes, at, does, read } = await person();
    const floss = await makes('title: "Floss"');
    await does(floss, [2, 3, 3]);
    at(4);
    await ana.query(
      `mutation { createPause(input: { taskId: ${floss}, from: "2026-11-04", until: "2026-11-19" }) { pause { id } } }`,
    );
    await does(floss, [20]);
    const days = 'completionCount streakEffect';
    expect(
      await read(
        floss,
        `first: calendar(from: "2026-11-02", to: "2026-11-03") { ${days} } last: calendar(from: "2026-11-20", to: "2026-11-20") { ${days} }`,
      ),
    ).toEqual({
      first: [
        { completionCount: 1, streakEffect: 'STARTED' },
        { completionCount: 2, streakEffect: 'CONTINUED' },
      ],
      last: [{ completionCount: 1, streakEffect: 'CONTINUED' }],
    });
  });

  it('is at most 366 days ahead', async () => {
    const { makes, refusal } = await person();
    const floss = await makes('title: "Floss"');
    const skip = (date: string) =>
      refusal(`mutation { skipDay(taskId: ${floss}, date: "${date}") { date } }`);
    expect(await skip('2027-11-03')).toEqual({});
    expect(await skip('2027-11-04')).toMatchObject({ reason: 'IN_FUTURE' });
  });

  it('is one of a bounded number of pauses of a thing', async () => {
    const { ana, database, makes, refusal } = await person();
    const floss = await makes('title: "Floss"');
    await sql`
      insert into pauses (id, user_id, first_day, last_day)
      select gen_random_uuid(), ${ana.id}, date '2020-01-01' + day, date '2020-01-01' + day
      from generate_series(1, ${historyLimits.pauses}) as day`.execute(database.query());
    expect(
      await refusal('mutation { createPause(input: { from: "2026-11-02" }) { pause { id } } }'),
    ).toMatchObject({
      message: 'There can be at most 1,000 pauses of one task, and of everything',
    });
    await ana.query(
      `mutation { createPause(input: { taskId: ${floss}, from: "2026-11-02" }) { pause { id } } }`,
    );
  });

  it.each(['title: "Floss"', 'title: "Floss", schedule: { everyDays: 365 }'])(
    'until the end of the calendar is without an end for %s',
    async (input) => {
      const { ana, makes, does, read } = await person();
      const floss = await makes(input);
      await does(floss, [2]);
      await ana.query(
        'mutation { createPause(input: { from: "2026-11-03", until: "9999-12-31" }) { pause { id } } }',
      );
      const expected = { streak: { count: 1, aliveUntil: null } };
      expect(await read(floss, STREAK)).toMatchObject(expected);
      expect((await ana.query(`{ me { ${STREAK} } }`)).me).toMatchObject(expected);
    },
  );

  it('is read once for a list of many tasks', async () => {
    const { ana, makes, database } = await person();
    await makes('title: "Floss", schedule: { everyDays: 3 }');
    const query = database.query<CompletionTables>();
    await sql`
      insert into tasks (user_id, title, points, is_daily_routine, every_days, run_count, completion_count, longest_run,
        created_at, updated_at)
      select user_id, title, points, is_daily_routine, every_days, run_count, completion_count, longest_run,
        created_at, updated_at
      from tasks, generate_series(1, 999) where user_id = ${ana.id}`.execute(query);
    await sql`
      insert into pauses (id, user_id, first_day, last_day)
      select gen_random_uuid(), ${ana.id}, date '2020-01-01' + 2 * n, date '2020-01-01' + 2 * n
      from generate_series(1, 900) n`.execute(query);
    // For each task by itself they would be 50 MB, more than a request may read.
    const { tasks } = await ana.query(
      '{ tasks(today: OPEN, first: 1) { totalCount nodes { today { state } } } }',
    );
    expect(tasks).toEqual({ totalCount: 1_000, nodes: [{ today: { state: 'OPEN' } }] });
  });

  it('of everything is counted for some tasks at a time where they were done often', async () => {
    const here = await person();
    const { ana, makes, database } = here;
    const first = await makes('title: "Floss"');
    await makes('title: "Swim"');
    // More than half of what one statement counts.
    await sql`update tasks set completion_count = 15000 where user_id = ${ana.id}`.execute(
      database.query<CompletionTables>(),
    );
    const asked = await allQueriesOf(here, () =>
      ana.query('mutation { createPause(input: { from: "2026-11-03" }) { pause { id } } }'),
    );
    const counting = asked.find(({ sql }) => sql.includes('from tasks join user_progress'));
    expect(counting?.parameters).toContainEqual([Number(first)]);
  });

  it('of everything waits for others of its kind, as a new start of the week does, and holds up nobody else', async () => {
    const { database, newUser, ana } = await person();
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser()));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = database.transaction(async (tx) => {
      await tx.execute(`select from user_progress where user_id <> '${ana.id}' for update`);
      await released;
    });
    const changes = users.map((user, index) =>
      user.query(
        index % 2 === 0
          ? 'mutation { createPause(input: { from: "2026-11-20" }) { pause { id } } }'
          : 'mutation { updateProfile(input: { weekStartsOn: SUNDAY }) { user { id } } }',
      ),
    );
    const waiting = () => lockWaits(database.query());
    await eventually(async () => (await waiting()) === 4);
    await ana.query('mutation { createTask(input: { title: "Swim" }) { task { id } } }');
    expect(await waiting()).toBe(4);
    release();
    await Promise.all([held, ...changes]);
  });

  it('is one of a bounded number of skips of a task', async () => {
    const { ana, database, makes, refusal } = await person();
    const floss = await makes('title: "Floss"');
    await sql`
      insert into skips (user_id, task_id, day)
      select ${ana.id}, ${floss}, date '2020-01-01' + day from generate_series(1, ${historyLimits.skips}) as day`.execute(
      database.query(),
    );
    const skip = () =>
      refusal(`mutation { skipDay(taskId: ${floss}, date: "2026-11-02", note: "tired") { date } }`);
    expect(await skip()).toMatchObject({ message: 'A task can have at most 2,000 skipped days' });
    await sql`delete from skips where user_id = ${ana.id} and day = '2020-01-02'`.execute(database.query());
    expect(await skip()).toEqual({});
    expect(await skip()).toEqual({}); // it changes the note
  });

  it('has a note, which is read for whoever asks for it and for nobody else', async () => {
    const here = await person();
    const { ana, makes, read } = here;
    const floss = await makes('title: "Floss", schedule: { everyDays: 2 }');
    const calendar = (fields: string) =>
      read(floss, `calendar(from: "2026-11-01", to: "2026-11-03") { ${fields} }`);
    const asked = await allQueriesOf(here, async () => {
      await ana.query(
        `mutation { skipDay(taskId: ${floss}, date: "2026-11-02", note: "ill") { task { ${STREAK} } } }`,
      );
      await ana.query(`mutation { completeTask(taskId: ${floss}) { task { ${STREAK} ${TODAY} } } }`);
      await ana.query(`mutation { createPause(input: { from: "2026-11-05" }) { user { ${STREAK} } } }`);
      await ana.query(`{ tasks(today: OPEN) { nodes { ${STREAK} ${TODAY} } } }`);
      await calendar('state amount');
    });
    const readsSkips = asked.filter(({ sql }) => /from skips/.test(sql));
    expect(readsSkips.length).toBeGreaterThan(2);
    for (const { sql } of readsSkips) expect(sql).not.toMatch(/skips\.note|select note/);
    expect(await calendar('notes')).toEqual({ calendar: [{ notes: [] }, { notes: ['ill'] }, { notes: [] }] });
  });

  it('keeps its note when it is skipped again without one', async () => {
    const { ana, makes, read } = await person();
    const floss = await makes('title: "Floss"');
    const noted = async (how: string) => {
      await ana.query(`mutation { skipDay(taskId: ${floss}, date: "2026-11-02"${how}) { date } }`);
      return (await read(floss, 'calendar(from: "2026-11-02", to: "2026-11-02") { notes }')).calendar[0]
        .notes;
    };
    expect(await noted(', note: "ill"')).toEqual(['ill']);
    expect(await noted('')).toEqual(['ill']);
    expect(await noted(', note: "tired"')).toEqual(['tired']);
    expect(await noted(', note: null')).toEqual([]);
  });

  it('may be more than a request may read, and the service still counts all of them', async () => {
    const { ana, database, read } = await person();
    const query = database.query<CompletionTables>();
    await sql`
      insert into tasks (user_id, title, points, is_daily_routine, completion_count, longest_run, created_at, updated_at)
      select ${ana.id}, 'Floss', 1, false, 0, 0, now(), now() from generate_series(1, 170)`.execute(query);
    await sql`
      insert into pauses (id, user_id, task_id, first_day, last_day)
      select gen_random_uuid(), user_id, id, date '2020-01-01' + 2 * n, date '2020-01-01' + 2 * n
      from tasks, generate_series(1, 1000) n where user_id = ${ana.id}`.execute(query);
    const { createPause: pause } = await ana.query(
      'mutation { createPause(input: { from: "2026-11-03" }) { pause { id task { id } } } }',
    );
    expect(pause.pause.task).toBeNull();
    const { tasks } = await ana.query('{ tasks(today: OPEN, first: 1) { totalCount nodes { id } } }');
    expect(tasks.totalCount).toBe(170); // by the rests of its days alone
    expect((await read(tasks.nodes[0].id, TODAY)).today.state).toBe('OPEN');
  });
});

it('An import without a time zone leaves the days of the account, and so its pauses, as they are', async () => {
  const { ana, newUser } = await person();
  const bea = await newUser();
  await bea.hasTask();
  await ana.query('mutation { createPause(input: { from: "2026-11-02" }) { pause { id } } }');
  await ana.query(
    'mutation { updateProfile(input: { timeZone: "Asia/Tokyo", dayStartsAt: 3 }) { user { id } } }',
  );
  const { body } = await bea.rest.get('/account/export');
  expect(body.account.timeZone).toBeNull();
  expect((await ana.rest.post('/account/import', body)).status).toBe(201);
  const after = await ana.rest.get('/account/export');
  expect(after.body.account).toMatchObject({ timeZone: 'Asia/Tokyo', dayStartsAt: 3 });
});

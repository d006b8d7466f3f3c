import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { historyLimits } from '../../src/features/history/limits.js';
import { person, STREAK } from '../schedules/person.js';
import { eventually } from '../support/eventually.js';
import { holding, lockWaits } from '../support/locks.js';

describe('A day that was skipped, or lies in a pause', () => {
  it('breaks nothing, counts nothing, and is kept if it was done all the same', async () => {
    const { ana, makes, at, does, read, states, change } = await person();
    const floss = await makes('title: "Floss"');
    await does(floss, [2, 3]);
    at(5);
    const { skipDay } = await ana.query(
      `mutation { skipDay(taskId: ${floss}, date: "2026-11-04") { date task { ${STREAK} } } }`,
    );
    expect(skipDay).toMatchObject({ date: '2026-11-04', task: { streak: { count: 2, atRisk: true } } });
    await does(floss, [5]);
    expect((await read(floss, STREAK)).streak).toMatchObject({ count: 3, longest: 3 });
    const days = await states(floss, 3, 5);
    expect(days.map(({ state }) => state)).toEqual(['KEPT', 'SKIPPED', 'KEPT']);
    await change(`unskipDay(taskId: ${floss}, date: "2026-11-04")`);
    expect((await read(floss, STREAK)).streak).toMatchObject({ count: 1, longest: 2 });
  });

  it('of everything is neutral for the streak of the user, and a skip is not', async () => {
    const { ana, makes, at, does } = await person();
    const floss = await makes('title: "Floss"');
    await does(floss, [2, 3]);
    at(4);
    const { createPause } = await ana.query(
      `mutation { createPause(input: { from: "2026-11-04", until: "2026-11-06" }) { pause { id from until task { id } } user { ${STREAK} pauses { id } } } }`,
    );
    const { id } = createPause.pause;
    expect(createPause).toMatchObject({
      pause: { from: '2026-11-04', until: '2026-11-06', task: null },
      user: { pauses: [{ id }], streak: { count: 2, aliveUntil: '2026-11-08T00:00:00.000Z' } },
    });
    await does(floss, [7]);
    expect((await ana.query(`{ me { ${STREAK} } }`)).me.streak.count).toBe(3);
    at(8);
    const { deletePause: deleted } = await ana.query(
      `mutation { deletePause(id: "${id}") { deletedId user { ${STREAK} pauses { id } } } }`,
    );
    expect(deleted).toMatchObject({ deletedId: id, user: { streak: { count: 1, longest: 2 }, pauses: [] } });
  });

  it('is one of a bounded number of pauses of a thing, or of skips of a task', async () => {
    const { ana, database, makes, refusal } = await person();
    const floss = await makes('title: "Floss"');
    const days = (most: number) => sql`(
      select date '2020-01-01' + number as day from generate_series(1, ${most}) as number) as days`;
    await sql`
      insert into pauses (id, user_id, first_day, last_day)
      select gen_random_uuid(), ${ana.id}, day, day from ${days(historyLimits.pauses)}`.execute(
      database.query(),
    );
    await sql`
      insert into skips (user_id, task_id, day)
      select ${ana.id}, ${floss}, day from ${days(historyLimits.skips)}`.execute(database.query());
    const pause = (of: string) =>
      refusal(`mutation { createPause(input: { ${of} from: "2026-11-02" }) { pause { id } } }`);
    expect(await pause('')).toMatchObject({
      message: 'There can be at most 1,000 pauses of one task, and of everything',
    });
    expect(await pause(`taskId: ${floss},`)).toEqual({});
    const skip = () =>
      refusal(`mutation { skipDay(taskId: ${floss}, date: "2026-11-02", note: "tired") { date } }`);
    expect(await skip()).toMatchObject({ message: 'A task can have at most 2,000 skipped days' });
    await sql`delete from skips where user_id = ${ana.id} and day = '2020-01-02'`.execute(database.query());
    for (const _again of [1, 2]) expect(await skip()).toEqual({}); // it changes the note
  });

  it('of everything is counted for every task, though they were done too often to be counted together', async () => {
    const { ana, database, makes, does, read, change } = await person();
    const tasks = [await makes('title: "Floss"'), await makes('title: "Swim"')];
    for (const task of tasks) await does(task, [2, 4]);
    await sql`update tasks set completion_count = 15000 where user_id = ${ana.id}`.execute(database.query());
    await change('createPause(input: { from: "2026-11-03", until: "2026-11-03" })');
    for (const task of tasks) expect((await read(task, STREAK)).streak).toMatchObject({ count: 2 });
  });

  it('until the end of the calendar is without an end', async () => {
    const { ana, makes, does, read, change } = await person();
    const floss = await makes('title: "Floss", schedule: { everyDays: 365 }');
    await does(floss, [2]);
    await change('createPause(input: { from: "2026-11-03", until: "9999-12-31" })');
    const expected = { streak: { count: 1, aliveUntil: null } };
    expect(await read(floss, STREAK)).toMatchObject(expected);
    expect((await ana.query(`{ me { ${STREAK} } }`)).me).toMatchObject(expected);
  });

  it('of everything waits for others of its kind, as a new start of the week does, and holds up nobody else', async () => {
    const { database, newUser, ana } = await person();
    const users = await Promise.all(Array.from({ length: 6 }, () => newUser()));
    const release = await holding(
      database,
      sql`select from user_progress where user_id <> ${ana.id} for update`,
    );
    const changes = users.map((user, index) =>
      user.query(
        index % 2 === 0
          ? 'mutation { createPause(input: { from: "2026-11-20" }) { pause { id } } }'
          : 'mutation { updateProfile(input: { weekStartsOn: SUNDAY }) { user { id } } }',
      ),
    );
    await eventually(async () => (await lockWaits(database.query())) === 4);
    await ana.hasTask();
    expect(await lockWaits(database.query())).toBe(4);
    await release();
    await Promise.all(changes);
  });

  it('has a note, which is kept until another is given', async () => {
    const { ana, makes, read } = await person();
    const floss = await makes('title: "Floss"');
    for (const [given, notes] of [
      [', note: "ill"', ['ill']],
      ['', ['ill']],
      [', note: "tired"', ['tired']],
      [', note: null', []],
    ] as const) {
      await ana.query(`mutation { skipDay(taskId: ${floss}, date: "2026-11-02"${given}) { date } }`);
      const day = 'calendar(from: "2026-11-02", to: "2026-11-02") { notes }';
      expect(await read(floss, day)).toEqual({ calendar: [{ notes }] });
    }
  });
});

it('An import without a time zone leaves the days of the account, and so its pauses, as they are', async () => {
  const { ana, newUser, change } = await person();
  const days = { timeZone: 'Asia/Tokyo', dayStartsAt: 3 };
  await change('updateProfile(input: { timeZone: "Asia/Tokyo", dayStartsAt: 3 })');
  const { body } = await (await newUser()).rest.get('/account/export');
  expect(body.account.timeZone).toBeNull();
  expect((await ana.rest.post('/account/import', body)).status).toBe(201);
  expect((await ana.rest.get('/account/export')).body.account).toMatchObject(days);
});

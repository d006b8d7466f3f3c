import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { CompletionTables } from '../../src/features/history/completions/completion-list.queries.js';
import { historyLimits } from '../../src/features/history/limits.js';
import { person, STREAK, TODAY } from '../schedules/person.js';
import { eventually } from '../support/eventually.js';
import { holding, lockWaits } from '../support/locks.js';
import { allQueriesOf } from '../support/statements.js';

describe('A day that was skipped, or lies in a pause', () => {
  it('breaks nothing, counts nothing, and is kept if it was done all the same', async () => {
    const { ana, makes, at, does, read, states, change } = await person();
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

  it('is at most 366 days ahead', async () => {
    const { makes, refusal } = await person();
    const floss = await makes('title: "Floss"');
    const skip = (date: string) =>
      refusal(`mutation { skipDay(taskId: ${floss}, date: "${date}") { date } }`);
    expect(await skip('2027-11-03')).toEqual({});
    expect(await skip('2027-11-04')).toMatchObject({ reason: 'IN_FUTURE' });
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
    const most = 'There can be at most 1,000 pauses of one task, and of everything';
    expect(await pause('')).toMatchObject({ message: most });
    expect(await pause(`taskId: ${floss},`)).toEqual({});
    const skip = () =>
      refusal(`mutation { skipDay(taskId: ${floss}, date: "2026-11-02", note: "tired") { date } }`);
    expect(await skip()).toMatchObject({ message: 'A task can have at most 2,000 skipped days' });
    await sql`delete from skips where user_id = ${ana.id} and day = '2020-01-02'`.execute(database.query());
    for (const _again of [1, 2]) expect(await skip()).toEqual({}); // it changes the note
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
    const waiting = () => lockWaits(database.query());
    await eventually(async () => (await waiting()) === 4);
    await ana.query('mutation { createTask(input: { title: "Swim" }) { task { id } } }');
    expect(await waiting()).toBe(4);
    await release();
    await Promise.all(changes);
  });

  it('has a note, which is kept until another is given, and read for nobody who does not ask for it', async () => {
    const here = await person();
    const { ana, makes, read } = here;
    const floss = await makes('title: "Floss", schedule: { everyDays: 2 }');
    const day = 'calendar(from: "2026-11-02", to: "2026-11-02")';
    const notesAfter = async (how: string) => {
      const skip = `skipDay(taskId: ${floss}, date: "2026-11-02"${how}) { task { ${STREAK} } }`;
      await ana.query(`mutation { ${skip} }`);
      return (await read(floss, `${day} { notes }`)).calendar[0].notes;
    };
    expect(await notesAfter(', note: "ill"')).toEqual(['ill']);
    expect(await notesAfter('')).toEqual(['ill']);
    expect(await notesAfter(', note: "tired"')).toEqual(['tired']);
    const asked = await allQueriesOf(here, async () => {
      await ana.query(`mutation { completeTask(taskId: ${floss}) { task { ${STREAK} ${TODAY} } } }`);
      await ana.query(`{ tasks(today: OPEN) { nodes { ${STREAK} ${TODAY} } } }`);
      await read(floss, `${day} { state amount }`);
    });
    const readsSkips = asked.filter(({ sql }) => /from skips/.test(sql));
    expect(readsSkips.length).toBeGreaterThan(2);
    for (const { sql } of readsSkips) expect(sql).not.toMatch(/skips\.note|select note/);
    expect(await notesAfter(', note: null')).toEqual([]);
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

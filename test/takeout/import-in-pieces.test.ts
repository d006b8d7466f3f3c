import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { load } from '../../src/backup/load.js';
import { readSnapshot } from '../../src/backup/snapshot.js';
import type { Database } from '../../src/database/database.js';
import { insertCompletions, insertTasks, setDays } from '../../src/takeout/import.queries.js';
import { importedFrom } from '../../src/takeout/imported.js';
import type { TaskTables } from '../../src/tasks/task.queries.js';
import { noteUnfinished } from '../../src/tasks/unfinished-import.queries.js';
import { freshDatabase } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { eventually } from '../support/eventually.js';
import { refusal, TestClock, type TestUser, type World, world } from '../support/world.js';

const at = '2026-11-20T08:00:00.000Z';

const fileOf = (completions: number) => ({
  ...{ format: 'steady-export', version: 1 },
  account: { timeZone: 'Europe/Berlin', dayStartsAt: 4 },
  tasks: [{ id: 7, title: 'Swim', points: 2, isDailyRoutine: true, createdAt: at, updatedAt: at }],
  challenges: [],
  completions: Array(completions).fill({
    task: 7,
    points: 2,
    completedAt: at,
    recordedAt: at,
    day: '2026-11-20',
  }),
});

const STATE =
  '{ me { points currentStreak timeZone dayStartsAt } tasks { nodes { completionCount } } completions { totalCount } }';

const LOG_IN =
  'mutation ($input: LogInInput!) { logIn(input: $input) { user { points currentStreak timeZone dayStartsAt } } }';

const WHOLE = (count: number) => ({
  me: { points: 2 * count, currentStreak: 1, timeZone: 'Europe/Berlin', dayStartsAt: 4 },
  tasks: { nodes: [{ completionCount: count }] },
  completions: { totalCount: count },
});

const NOTHING = {
  me: { points: 0, currentStreak: 0, timeZone: 'Asia/Tokyo', dayStartsAt: 1 },
  tasks: { nodes: [] },
  completions: { totalCount: 0 },
};

const inTokyo = async ({ newUser }: World) => {
  const user = await newUser();
  await user.query(
    'mutation { updateProfile(input: { timeZone: "Asia/Tokyo", dayStartsAt: 1 }) { user { id } } }',
  );
  return user;
};

const underWay = async (database: Database) =>
  (await sql`select from unfinished_imports`.execute(database.query())).rows.length > 0;

const completionsOf = async (database: Database, { id }: TestUser) =>
  (await sql`select from task_completions where user_id = ${id}`.execute(database.query())).rows.length;

/** What a process that is killed in the middle leaves behind. */
async function leftHalf(database: Database, { id }: TestUser) {
  const file = await importedFrom(fileOf(4_500), { now: new Date('2026-11-21'), templates: [] });
  const ids = await database.transaction(async (tx) => {
    const ids = await insertTasks(tx.getKysely(), id, file.tasks);
    await noteUnfinished(tx.getKysely(), id, [...ids.values()]);
    await setDays(tx.getKysely(), id, file.account);
    return ids;
  });
  await insertCompletions(database.query<TaskTables>(), id, file.completions, ids);
}

const embedded = describe.skipIf(inject('template').kind !== 'embedded');

embedded('A large import into the embedded database', () => {
  it('leaves others their turns, and its own account waits for all of it', async () => {
    const here = await world({ database: await freshDatabase() });
    const { database } = here;
    const [ana, bea] = [await inTokyo(here), await here.newUser()];
    const task = await bea.hasTask();
    let isOver = false;
    const importing = ana.rest.post('/account/import', fileOf(12_000)).finally(() => {
      isOver = true;
    });
    await eventually(() => underWay(database));
    const asked = ana.query(STATE);
    const credentials = { email: ana.account.email, password: ana.account.password };
    const loggedIn = here.rest.post('/api/auth/login', credentials);
    const loggedInThere = here.graphql.request(LOG_IN, { input: credentials });
    let [done, parts] = [0, 0];
    while (!isOver) {
      expect((await bea.completes(task)).status).toBe(201);
      const count = await completionsOf(database, ana);
      if (!isOver) done += 1;
      if (count > 0 && count < 12_000) parts += 1;
    }
    expect([done > 2, parts > 2]).toEqual([true, true]); // in one transaction there would be none of either
    expect((await importing).body).toEqual({ tasks: 1, challenges: 0, completions: 12_000 });
    expect(await asked).toEqual(WHOLE(12_000));
    expect((await loggedIn).body.user).toMatchObject({ points: 24_000 });
    expect(await loggedInThere).toEqual({ logIn: { user: WHOLE(12_000).me } });
    expect(await ana.query(STATE)).toEqual(WHOLE(12_000));
    expect([await underWay(database), await driftsOf(here)]).toEqual([false, []]);
  });

  it('lets many connections in meanwhile, of which Node accepts one in each turn of the event loop', async () => {
    const here = await world({ database: await freshDatabase() });
    const ana = await inTokyo(here);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const { status } = await ana.rest.post('/account/import', fileOf(12_000));
    isOver = true;
    expect(status).toBe(201);
    expect(turns).toBeGreaterThan(500); // for 24 parts of the file that are checked, and 12 that are inserted
  });

  it('is taken back when it breaks off, and can be tried again', async () => {
    const here = await world({ database: await freshDatabase() });
    const { database } = here;
    const ana = await inTokyo(here);
    const { completions, ...file } = fileOf(5_000);
    await sql`alter table task_completions add constraint stumble check (points <> 3)`.execute(
      database.query(),
    );
    const wrong = { ...file, completions: [...completions, { ...completions[0], points: 3 }] };
    expect(await ana.rest.post('/account/import', wrong)).toEqual(refusal(500, 'Internal server error'));
    expect([await ana.query(STATE), await underWay(database)]).toEqual([NOTHING, false]);
    expect(await driftsOf(here)).toEqual([]);
    expect((await ana.rest.post('/account/import', fileOf(5_000))).status).toBe(201);
    expect(await ana.query(STATE)).toEqual(WHOLE(5_000));
  });

  it('does not take back what is not its own', async () => {
    const here = await world({ database: await freshDatabase() });
    const ana = await inTokyo(here);
    await ana.hasTask({ title: 'Run' });
    expect(await ana.rest.post('/account/import', fileOf(2_000))).toEqual(refusal(400));
    const { tasks } = await ana.query('{ tasks { nodes { title } } }');
    expect(tasks.nodes).toEqual([{ title: 'Run' }]);
  });

  it('that a killed process left behind is taken back before the next one listens', async () => {
    const database = await freshDatabase();
    const ana = await inTokyo(await world({ database }));
    await leftHalf(database, ana);
    const { newUser: _, ...next } = await world({ database });
    expect(await ana.query(STATE)).toEqual(NOTHING);
    expect([await underWay(database), await driftsOf(next)]).toEqual([false, []]);
  });
});

it('A restore takes back an import of which the backup holds a part', async () => {
  const database = await freshDatabase();
  const ana = await inTokyo(await world({ database }));
  await leftHalf(database, ana);
  const target = await freshDatabase();
  const restored = await readSnapshot(database, (contents) =>
    load(target, contents, { clock: new TestClock() }),
  );
  expect(restored).toMatchObject({ drifts: 0 });
  expect([await underWay(target), await completionsOf(target, ana)]).toEqual([false, 0]);
});

import { sql } from 'kysely';
import { expect, inject, it, onTestFinished } from 'vitest';
import { Verification } from '../../src/features/history/completions/verification.js';
import { Random } from '../chaos/random.js';
import { databaseAt, freshUrl } from '../support/database.js';
import { eventsOf, kindsOf, setFeed } from '../support/feed.js';
import { TestClock, TestUser, type World, world } from '../support/world.js';
import { Mirror } from './mirror.js';

const RUNS = Number(process.env.FEED_LIVES ?? 4);
const STEPS = Number(process.env.FEED_STEPS ?? 60);

interface Life {
  random: Random;
  here: World;
  clock: TestClock;
  /** The same account at each of the services. */
  users: TestUser[];
}

const idsIn = async (user: TestUser, list: string): Promise<string[]> =>
  (await user.query(`{ page: ${list} { nodes { id } } }`)).page.nodes.map(({ id }: { id: string }) => id);

const inDays = (clock: TestClock, days: number) =>
  new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);

/** Something that somebody does, by either API, or that is done for them. A refusal is fine. */
async function act({ random, here, clock, users }: Life): Promise<void> {
  const user = random.pick(users);
  const tasks = await idsIn(user, 'tasks(archived: ANY)');
  const task = tasks.length > 0 ? random.pick(tasks) : '1';
  const send = (mutation: string, variables?: object) => user.rest.ask(`mutation ${mutation}`, variables);
  const completion = async () => random.pick([...(await idsIn(user, 'completions')), '1']);
  const pause = async () => {
    const { me } = await user.query('{ me { pauses { id } } }');
    const { page } = await user.query('{ page: tasks { nodes { pauses { id } } } }');
    const found = [...me.pauses, ...page.nodes.flatMap(({ pauses }: { pauses: object[] }) => pauses)];
    return found.length > 0 ? random.pick(found).id : 'none';
  };
  const day = inDays(clock, random.whole(-1, 3));
  const word = random.whole(1, 1_000);
  const things: (() => Promise<unknown>)[] = [
    () => user.hasTask({ title: `Habit ${word}`, points: word / 8 }),
    () =>
      send('($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }', {
        input: {
          title: `Habit ${word}`,
          ...(random.chance(0.5) && { schedule: { everyDays: 2 } }),
          ...(random.chance(0.3) && { target: { amount: 2, unit: 'cups', kind: 'AT_MOST', per: 'DAY' } }),
          ...(random.chance(0.5) && { section: random.pick(['Dawn', 'Dusk']) }),
          reminders: random.chance(0.3) ? [{ at: '08:00' }] : [],
        },
      }),
    ...[1, 2, 3].map(() => () => user.completes({ id: Number(task) })),
    () => send(`{ completeTask(taskId: "${task}", at: "${inDays(clock, -1)}T11:00:00Z") { user { id } } }`),
    () =>
      send('($input: [CompletionInput!]!) { completeTasks(input: $input) { user { id } } }', {
        input: [task, random.pick([...tasks, '1']), task].map((taskId) => ({
          taskId,
          idempotencyKey: `key-${random.whole(1, 60)}`,
        })),
      }),
    async () => send(`{ undoCompletion(id: "${await completion()}") { completionId } }`),
    async () =>
      send(`{ updateCompletionNote(id: "${await completion()}", note: "${word}") { completion { id } } }`),
    () => send(`{ updateTask(id: "${task}", input: { title: "Habit ${word}" }) { task { id } } }`),
    () =>
      user.rest.put(`/api/tasks/${task}`, {
        title: `By REST ${word}`,
        challengeTemplateId: random.pick([1, 2, null]),
      }),
    () =>
      send(
        `{ updateTask(id: "${task}", input: { reminders: [{ at: "09:00" }], tags: ["t${word}"] }) { task { id } } }`,
      ),
    () =>
      send(
        `{ updateTask(id: "${task}", input: { schedule: { everyDays: ${random.whole(1, 3)} } }) { task { id } } }`,
      ),
    () =>
      send(`{ moveTask(id: "${task}", behindTaskId: "${random.pick([...tasks, '1'])}") { task { id } } }`),
    () =>
      send(
        `{ moveTask(id: "${task}", section: "${random.pick(['Dawn', 'Dusk', 'Noon'])}") { task { id } } }`,
      ),
    () =>
      send(
        `{ renameSection(name: "Dawn", newName: "${random.pick(['Dusk', 'Dawn', 'Noon'])}") { taskCount } }`,
      ),
    () => send(`{ archiveTask(id: "${task}") { task { id } } }`),
    () => send(`{ unarchiveTask(id: "${task}") { task { id } } }`),
    () => (random.chance(0.4) ? send(`{ deleteTask(id: "${task}") { deletedId } }`) : Promise.resolve()),
    () => send(`{ skipDay(taskId: "${task}", date: "${day}", note: "${word}") { date } }`),
    () => send(`{ unskipDay(taskId: "${task}", date: "${day}") { date } }`),
    () =>
      send('($input: CreatePauseInput!) { createPause(input: $input) { pause { id } } }', {
        input: { from: day, until: inDays(clock, 4), ...(random.chance(0.6) && { taskId: task }) },
      }),
    async () =>
      send(
        `{ updatePause(id: "${await pause()}", input: { until: "${inDays(clock, 6)}" }) { pause { id } } }`,
      ),
    async () => send(`{ deletePause(id: "${await pause()}") { deletedId } }`),
    () => user.hasAccepted(random.whole(1, 7)),
    async () => {
      const ids = await idsIn(user, 'challenges');
      const id = random.pick([...ids, '1']);
      const change = random.pick(['completeChallenge', 'abandonChallenge']);
      if (random.chance(0.5))
        await send(`{ updateChallengeNotes(id: "${id}", notes: "${word}") { challenge { id } } }`);
      else await send(`{ ${change}(id: "${id}") { challenge { id } } }`);
    },
    () => send(`{ updateProfile(input: { name: "Ana ${word}", dayReminder: "20:00" }) { user { id } } }`),
    () => user.rest.put('/api/user/profile', { name: `By REST ${word}` }),
    () =>
      send(
        `{ updateProfile(input: { timeZone: "${random.pick(['UTC', 'Europe/Berlin', 'Asia/Tokyo'])}" }) { user { id } } }`,
      ),
    async () => {
      clock.advance({ hours: random.whole(1, 30) });
      await here.job.run();
    },
    async () => {
      const { body } = await user.rest.get('/account/export');
      if (random.chance(0.3)) await user.rest.post('/account/import?into=existing', body);
    },
    async () => {
      const { rows } = await sql`
        update user_progress set points = points + 1, current_streak = 7 where user_id = ${user.id} returning 1
      `.execute(here.database.query());
      expect(rows).toHaveLength(1);
      for await (const _ of new Verification(here.database, clock).run({ fix: true }));
    },
  ];
  await random.pick(things)();
}

/** The connections of the services are cut, wherever their statements are. */
const cut = ({ database }: World) =>
  sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      and state <> 'idle' and query !~* '^listen'`
    .execute(database.query())
    .catch(() => {});

async function life(seed: number): Promise<Life> {
  const url = await freshUrl(inject('template').url);
  const clock = new TestClock();
  const [here, there] = [
    await world({ database: await databaseAt(url), clock }),
    await world({ database: await databaseAt(url), clock }),
  ];
  const ana = await here.newUser();
  const users = [ana, new TestUser(there.base, ana.token, ana.account)];
  return { random: new Random(seed), here, clock, users };
}

const seeds = Array.from({ length: RUNS }, (_, index) => index + Number(process.env.FEED_SEED ?? 1));

it.each(seeds)('A copy that follows the events is the account at every number, life %i', async (seed) => {
  const lived = await life(seed);
  const [ana] = lived.users as [TestUser];
  for (let step = 0; step < 12; step += 1) await act(lived);
  await setFeed(ana, true);
  const mirror = await Mirror.of(ana);
  for (let step = 0; step < STEPS; step += 1) {
    await act(lived);
    await mirror.equals();
  }
  expect(new Set(await kindsOf(ana)).size).toBeGreaterThan(6); // it was no idle life
});

it.each(seeds)(
  'So it is when many things are done at once, while connections break, life %i',
  async (seed) => {
    const lived = await life(1_000 + seed);
    const { random, here, users } = lived;
    const [ana, there] = users as [TestUser, TestUser];
    const turnedOn = setFeed(there, true); // while others change something
    await Promise.all(Array.from({ length: 6 }, () => act(lived).catch(() => {})));
    await turnedOn;
    const mirror = await Mirror.of(ana);
    let isOver = false;
    onTestFinished(() => {
      isOver = true;
    });
    const following = (async () => {
      while (!isOver) await mirror.follow().catch(() => {});
    })();
    for (let step = 0; step < STEPS / 4; step += 1) {
      const acts = Array.from({ length: random.whole(2, 6) }, () => act(lived).catch(() => {}));
      if (random.chance(0.3)) acts.push(cut(here).then(() => {}));
      await Promise.all(acts);
    }
    isOver = true;
    await following;
    await mirror.equals();
    const numbers = (await eventsOf(ana)).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  },
);

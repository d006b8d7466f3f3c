import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { Verification } from '../../src/features/history/completions/verification.js';
import { Random } from '../chaos/random.js';
import { databaseAt, freshUrl } from '../support/database.js';
import { kindsOf, setFeed } from '../support/feed.js';
import { TestClock, TestUser, world } from '../support/world.js';
import { Mirror } from './mirror.js';

const RUNS = Number(process.env.FEED_LIVES ?? 4);
const STEPS = Number(process.env.FEED_STEPS ?? 60);

const idsIn = async (user: TestUser, list: string): Promise<string[]> =>
  (await user.query(`{ page: ${list} { nodes { id } } }`)).page.nodes.map(({ id }: { id: string }) => id);

const inDays = (clock: TestClock, days: number) =>
  new Date(clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);

/** Something that somebody does, by either API, or that is done for them. A refusal is fine. */
async function act({ random, here, clock, users }: Awaited<ReturnType<typeof life>>): Promise<void> {
  const user = random.pick(users);
  const tasks = await idsIn(user, 'tasks(archived: ANY)');
  const task = tasks.length > 0 ? random.pick(tasks) : '1';
  const completion = async () => random.pick([...(await idsIn(user, 'completions')), '1']);
  const pause = async () => {
    const { me } = await user.query('{ me { pauses { id } } }');
    const { page } = await user.query('{ page: tasks { nodes { pauses { id } } } }');
    const found = [...me.pauses, ...page.nodes.flatMap(({ pauses }: { pauses: object[] }) => pauses)];
    return found.length > 0 ? random.pick(found).id : 'none';
  };
  const day = inDays(clock, random.whole(-1, 3));
  const word = random.whole(1, 1_000);
  const section = random.pick(['Dawn', 'Dusk', 'Noon']);
  const other = random.pick([...tasks, '1']);
  const challenge = async () => random.pick([...(await idsIn(user, 'challenges')), '1']);
  const change = (mutation: string) => user.rest.ask(`mutation { ${mutation} }`);
  const mutations: string[] = [
    `createTask(input: { title: "Habit ${word}", schedule: { everyDays: 2 }, section: "${section}" }) { task { id } }`,
    'createTask(input: { title: "Limit", target: { amount: 2, unit: "cups", kind: AT_MOST, per: DAY } }) { task { id } }',
    `completeTask(taskId: "${task}", at: "${inDays(clock, -1)}T11:00:00Z") { user { id } }`,
    `updateTask(id: "${task}", input: { title: "Habit ${word}" }) { task { id } }`,
    `updateTask(id: "${task}", input: { reminders: [{ at: "09:00" }], tags: ["t${word}"] }) { task { id } }`,
    `updateTask(id: "${task}", input: { schedule: { everyDays: ${random.whole(1, 3)} } }) { task { id } }`,
    `moveTask(id: "${task}", behindTaskId: "${other}") { task { id } }`,
    `moveTask(id: "${task}", section: "${section}") { task { id } }`,
    `renameSection(name: "Dawn", newName: "${section}") { taskCount }`,
    `archiveTask(id: "${task}") { task { id } }`,
    `unarchiveTask(id: "${task}") { task { id } }`,
    ...(random.chance(0.4) ? [`deleteTask(id: "${task}") { deletedId }`] : []),
    `skipDay(taskId: "${task}", date: "${day}", note: "${word}") { date }`,
    `unskipDay(taskId: "${task}", date: "${day}") { date }`,
    `createPause(input: { from: "${day}", until: "${inDays(clock, 4)}" }) { pause { id } }`,
    `createPause(input: { from: "${day}", until: "${inDays(clock, 4)}", taskId: "${task}" }) { pause { id } }`,
    `updateProfile(input: { name: "Ana ${word}", dayReminder: "20:00" }) { user { id } }`,
    `updateProfile(input: { timeZone: "${random.pick(['UTC', 'Europe/Berlin', 'Asia/Tokyo'])}" }) { user { id } }`,
  ];
  const input = [task, other, task].map((taskId) => ({
    ...{ taskId, idempotencyKey: `key-${random.whole(1, 60)}` },
  }));
  const RECORD = 'mutation ($input: [CompletionInput!]!) { completeTasks(input: $input) { user { id } } }';
  const things: (() => Promise<unknown>)[] = [
    ...mutations.map((mutation) => () => change(mutation)),
    async () => change(`undoCompletion(id: "${await completion()}") { completionId }`),
    async () =>
      change(`updateCompletionNote(id: "${await completion()}", note: "${word}") { completion { id } }`),
    async () =>
      change(`updatePause(id: "${await pause()}", input: { until: "${inDays(clock, 6)}" }) { user { id } }`),
    async () => change(`deletePause(id: "${await pause()}") { deletedId }`),
    async () => change(`updateChallengeNotes(id: "${await challenge()}", notes: "${word}") { user { id } }`),
    async () => change(`completeChallenge(id: "${await challenge()}") { user { id } }`),
    async () => change(`abandonChallenge(id: "${await challenge()}") { user { id } }`),
    () => user.hasTask({ title: `Habit ${word}`, points: word / 8 }),
    ...[1, 2, 3].map(() => () => user.completes({ id: Number(task) })),
    () => user.rest.ask(RECORD, { input }),
    () => user.rest.put(`/api/tasks/${task}`, { title: `By REST ${word}`, challengeTemplateId: 1 }),
    () => user.hasAccepted(random.whole(1, 7)),
    () => user.rest.put('/api/user/profile', { name: `By REST ${word}` }),
    async () => {
      clock.advance({ hours: random.whole(1, 30) });
      await here.job.run();
    },
    async () => {
      const { body } = await user.rest.get('/account/export');
      if (random.chance(0.3)) await user.rest.post('/account/import?into=existing', body);
    },
    async () => {
      await sql`
        update user_progress set points = points + 1, current_streak = 7 where user_id = ${user.id}
      `.execute(here.database.query());
      for await (const _ of new Verification(here.database, clock).run({ fix: true }));
    },
  ];
  await random.pick(things)();
}

async function life(seed: number) {
  const url = await freshUrl(inject('template').url);
  const clock = new TestClock();
  const here = await world({ database: await databaseAt(url), clock });
  const there = await world({ database: await databaseAt(url), clock });
  const ana = await here.newUser();
  /** The same account at each of the services. */
  const users = [ana, new TestUser(there.base, ana.token, ana.account)] as const;
  return { random: new Random(seed), here, clock, users };
}

const seeds = Array.from({ length: RUNS }, (_, index) => index + Number(process.env.FEED_SEED ?? 1));

it.each(seeds)('A copy that follows the events is the account at every number, life %i', async (seed) => {
  const lived = await life(seed);
  const [ana] = lived.users;
  for (let step = 0; step < 12; step += 1) await act(lived);
  await setFeed(ana, true);
  const mirror = await Mirror.of(ana);
  for (let step = 0; step < STEPS; step += 1) {
    await act(lived);
    await mirror.equals();
  }
  expect(new Set(await kindsOf(ana)).size).toBeGreaterThan(6); // it was no idle life
});

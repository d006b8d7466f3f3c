import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../examples/clients/apollo.ts';
import { follow, isOfYesterday, open, shown, tap, undo } from '../../examples/first-screen/app.ts';
import { FIRST_SCREEN, TAP, UNDO } from '../../examples/first-screen/documents.ts';
import { graphcache } from '../../examples/first-screen/graphcache.ts';
import { typePolicies } from '../../examples/first-screen/typePolicies.ts';
import { eventually } from '../support/eventually.js';
import { type TestUser, worldOf } from '../support/world.js';

/** The way to the service for a client of this user, and the operations that it has sent. */
function wayOf({ base, token }: TestUser) {
  const asked: string[] = [];
  const send: typeof fetch = (input, init) => {
    asked.push(/(?:query|mutation) (\w+)/.exec(String(init?.body))?.[1] ?? '');
    return fetch(input, init);
  };
  return { url: `${base}/graphql`, headers: { authorization: `Bearer ${token}` }, fetch: send, asked };
}

/** An app of this user that counts what it sends. */
function appOf(user: TestUser) {
  const { url: uri, asked, ...way } = wayOf(user);
  const client = new ApolloClient({
    link: new HttpLink({ uri, ...way }),
    cache: new InMemoryCache({ typePolicies }),
  });
  onTestFinished(() => client.stop());
  return {
    client,
    asked,
    open: () => open(client),
    tap: (taskId: string, options?: { at?: string; amount?: number }) => tap(client, taskId, options),
    undo: (taskId: string) => undo(client, taskId),
    shown: () => shown(client) ?? expect.unreachable('A part of the screen is missing'),
  };
}

type App = ReturnType<typeof appOf>;

/** What an app shows that has just been installed. */
const anew = (user: TestUser) => appOf(user).open();

const SET_DAYS = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';

const MAKE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';

const makes = async (ana: TestUser, input: object): Promise<string> =>
  (await ana.query(MAKE, { input })).createTask.task.id;

/** Swim is linked to a challenge, and the gym is due on Mondays alone. */
async function habits() {
  const { ana, clock } = await worldOf('ana');
  const { acceptChallenge } = await ana.query(
    'mutation { acceptChallenge(templateId: "1") { challenge { template { id } } } }',
  );
  const challengeTemplateId: string = acceptChallenge.challenge.template.id;
  return {
    ana,
    clock,
    swim: await makes(ana, { title: 'Swim', challengeTemplateId }),
    water: await makes(ana, { title: 'Drink', target: { amount: 8, unit: 'glasses' } }),
    call: await makes(ana, { title: 'Call', schedule: { timesPer: { count: 3, period: 'WEEK' } } }),
    gym: await makes(ana, { title: 'Gym', schedule: { weekdays: ['MONDAY'] } }),
  };
}

/** Swim is skipped today, and plants want water again three days after they had some. */
async function lists() {
  const { ana } = await worldOf('ana');
  const swim = await makes(ana, { title: 'Swim' });
  const plants = await makes(ana, { title: 'Plants', schedule: { everyDays: 3 } });
  const skip = 'mutation ($id: ID!) { skipDay(taskId: $id, date: "2026-11-21") { task { id } } }';
  await ana.query(skip, { id: swim });
  return { ana, swim, plants };
}

/** A screen of urql. */
function urqlOf(ana: TestUser) {
  const { url, asked, headers, fetch } = wayOf(ana);
  const exchanges = [cacheExchange(graphcache), fetchExchange];
  const client = new Client({ url, fetch, exchanges, preferGetMethod: false, fetchOptions: { headers } });
  const screen = async () => (await client.query(FIRST_SCREEN, {})).data ?? expect.unreachable();
  return { client, asked, screen };
}

const ticks = (app: App) => app.shown().tasks.nodes.map(({ today }) => today.completionCount);

describe('The first screen of an app', () => {
  it('is one query without a date: what is due, with amounts, run, week, month and challenge', async () => {
    const { ana, swim, water, call, gym } = await habits();
    const app = appOf(ana);
    const { me, tasks, others } = await app.open();
    expect(me).toMatchObject({ today: '2026-11-21', streak: { count: 0, doneToday: false } });
    expect(me.calendar.map(({ date }) => date).at(-1)).toBe('2026-11-21');
    expect(me.calendar).toHaveLength(31);
    expect(me.activeChallenge).toMatchObject({ progress: { daysDone: 0, daysElapsed: 1 } });
    expect(tasks.nodes.map(({ id }) => id)).toEqual([swim, water, call]);
    expect(tasks.nodes[1]).toMatchObject({
      target: { amount: 8, unit: 'glasses' },
      today: { state: 'OPEN', periodAmount: 0, remaining: 8 },
      thisPeriod: null,
    });
    expect(tasks.nodes[2]?.thisPeriod).toMatchObject({ goal: 3, done: 0, remaining: 3, to: '2026-11-22' });
    expect(tasks.nodes.map(({ calendar }) => calendar.length)).toEqual([7, 7, 7]);
    expect(others.nodes).toMatchObject([{ id: gym, nextDueOn: '2026-11-23' }]);
    expect(app.shown()).toEqual({ me, tasks, others });
    expect(app.asked).toEqual(['FirstScreen']);
  });

  it('is right through a whole day: each tap is one answer, and the cache is as a new read would be', async () => {
    const { ana, clock, swim, water, call } = await habits();
    await ana.query(SET_DAYS, { input: { timeZone: 'Europe/Berlin', dayStartsAt: 3 } });
    const app = appOf(ana);
    await app.open();
    await app.tap(water, { amount: 3 });
    await app.tap(call);
    await app.tap(swim);
    const [, glasses, calls] = app.shown().tasks.nodes;
    expect(glasses?.today).toMatchObject({ state: 'PARTIAL', periodAmount: 3, remaining: 5 });
    expect(calls?.thisPeriod).toMatchObject({ done: 1, remaining: 2 });
    expect(app.shown().me.activeChallenge?.progress.daysDone).toBe(1);
    expect(app.shown()).toEqual(await anew(ana));

    clock.set('2026-11-22T00:30:00.000Z'); // midnight has passed, in UTC and in Berlin, and the day goes on until 3
    await app.undo(swim);
    expect(app.asked).toEqual(['FirstScreen', 'Tap', 'Tap', 'Tap', 'Undo']);
    expect(app.shown().me.today).toBe('2026-11-21');
    expect(ticks(app)).toEqual([0, 1, 1]);
    expect(app.shown()).toEqual(await anew(ana));

    clock.set('2026-11-22T01:59:59.999Z');
    expect(isOfYesterday(app.shown(), clock.now())).toBe(false);
    clock.set('2026-11-22T02:00:00.000Z');
    expect(isOfYesterday(app.shown(), clock.now())).toBe(true);
    await app.tap(swim); // whose answer tells that the day is another one
    expect(app.asked.slice(5)).toEqual(['Tap', 'FirstScreen']);
    expect(ticks(app)).toEqual([1, 0, 0]);
    expect(app.shown().me.streak).toMatchObject({ count: 2, doneToday: true });
    expect(app.shown()).toEqual(await anew(ana));
  });

  it('shows what another device does, and is read anew when that is of a new day', async () => {
    const { ana, clock, swim } = await habits();
    const client = connect(ana.base, { token: () => ana.token, loggedOut: () => {} });
    onTestFinished(() => client.stop());
    await open(client);
    onTestFinished(follow(client));
    const phone = appOf(ana);
    await phone.open();
    await eventually(async () => {
      await phone.tap(swim); // the first one may be too early
      return (shown(client)?.me.points ?? 0) > 0;
    });
    await eventually(() => shown(client)?.me.points === phone.shown().me.points);
    expect(shown(client)).toEqual(await anew(ana));
    await ana.hasTask({ title: 'Run' });
    await eventually(() => shown(client)?.tasks.nodes.at(-1)?.title === 'Run');
    clock.set('2026-11-22T12:00:00.000Z');
    await phone.tap(swim);
    await eventually(() => shown(client)?.tasks.nodes.every(({ today }) => today.date === '2026-11-22'));
    expect(shown(client)).toEqual(await anew(ana));
  });
});

describe('With urql, the first screen', () => {
  it('is one request, and a tap changes all of it that is cached', async () => {
    const { ana, swim, water } = await habits();
    const { client, asked, screen } = urqlOf(ana);
    expect(await anew(ana)).toMatchObject(await screen());
    await client.mutation(TAP, { taskId: water, key: 'glass', amount: 1 });
    await client.mutation(TAP, { taskId: swim, key: 'lane' });
    expect(await anew(ana)).toMatchObject(await screen());
    const completionId = (await screen()).tasks.nodes[0]?.today.lastCompletion?.id ?? '';
    await client.mutation(UNDO, { completionId });
    expect(await anew(ana)).toMatchObject(await screen());
    expect(asked).toEqual(['FirstScreen', 'Tap', 'Tap', 'Undo']);
  });

  it('has its lists read again after whatever moves a task from one to another', async () => {
    const { ana, swim, plants } = await lists();
    const { client, asked, screen } = urqlOf(ana);
    const change = async (document: string) => {
      await screen();
      const { error, data } = await client.mutation(document, {});
      expect(error).toBeUndefined();
      expect(await anew(ana)).toMatchObject(await screen());
      return data;
    };
    const ofSwim = `taskId: "${swim}", date: "2026-11-21"`;
    for (const mutation of [`unskipDay(${ofSwim}) { date }`, `skipDay(${ofSwim}) { date }`])
      await change(`mutation { ${mutation} }`);
    const { createPause } = await change(
      'mutation { createPause(input: { from: "2026-11-21" }) { pause { id } } }',
    );
    const { id } = createPause.pause;
    for (const mutation of [
      `updatePause(id: "${id}", input: { from: "2026-11-22" }) { user { id } }`,
      `deletePause(id: "${id}") { deletedId }`,
      `completeTask(taskId: "${plants}", at: "2026-11-20T12:00:00.000Z") { isReplayed }`,
      'updateProfile(input: { timeZone: "Pacific/Auckland" }) { user { id } }',
    ])
      await change(`mutation { ${mutation} }`);
    expect(asked.filter((name) => name === 'FirstScreen')).toHaveLength(8);
  });
});

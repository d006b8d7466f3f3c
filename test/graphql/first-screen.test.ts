import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../examples/clients/apollo.ts';
import { follow, isOfYesterday, open, shown, tap, todayOf, undo } from '../../examples/first-screen/app.ts';
import { FIRST_SCREEN } from '../../examples/first-screen/documents.ts';
import { typePolicies } from '../../examples/first-screen/typePolicies.ts';
import { eventually } from '../support/eventually.js';
import { type TestUser, type World, world } from '../support/world.js';

/** An app of this user that counts what it sends. */
function appOf({ base, token }: TestUser, { clock }: World) {
  const asked: string[] = [];
  const link = new HttpLink({
    uri: `${base}/graphql`,
    headers: { authorization: `Bearer ${token}` },
    fetch: (input, init) => {
      asked.push(/(?:query|mutation) (\w+)/.exec(String(init?.body))?.[1] ?? '');
      return fetch(input, init);
    },
  });
  const client = new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) });
  onTestFinished(() => client.stop());
  return {
    client,
    asked,
    open: () => open(client, clock.now()),
    tap: (taskId: string, options?: { at: string }) => tap(client, taskId, clock.now(), options),
    undo: (taskId: string) => undo(client, taskId, clock.now()),
    shown: () => shown(client, clock.now()) ?? expect.unreachable('A part of the screen is missing'),
  };
}

type App = ReturnType<typeof appOf>;

/** What an app shows that has just been installed. */
const anew = (user: TestUser, place: World) => appOf(user, place).open();

const SET_DAYS = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';

async function berliner() {
  const place = await world();
  const ana = await place.newUser();
  await ana.query(SET_DAYS, { input: { timeZone: 'Europe/Berlin', dayStartsAt: 3 } });
  const swim = String((await ana.hasTask({ title: 'Swim' })).id);
  const read = String((await ana.hasTask({ title: 'Read' })).id);
  return { place, ana, clock: place.clock, swim, read };
}

const ticks = (app: App) => app.shown().tasks.nodes.map(({ today }) => today.completions);
const dayOn = (app: App, date: string) => app.shown().me.calendar.find((day) => day.date === date);

describe('The first screen of an app', () => {
  it('is one query: the ticks of today, the streaks and the year', async () => {
    const { place, ana, swim } = await berliner();
    const app = appOf(ana, place);
    const screen = await app.open();
    expect(screen.me).toMatchObject({ today: '2026-11-21', streak: { count: 0, doneToday: false } });
    expect(screen.me.calendar).toHaveLength(366);
    expect(screen.tasks.nodes[0]).toMatchObject({
      id: swim,
      today: { completions: 0 },
      streak: { count: 0 },
    });
    expect(app.shown()).toEqual(screen);
    expect(app.asked).toEqual(['FirstScreen']);
  });

  it('is right through a whole day: each tap is one answer, and the cache is as a new read would be', async () => {
    const { place, ana, clock, swim, read } = await berliner();
    const app = appOf(ana, place);
    clock.set('2026-11-21T13:00:00.000Z');
    await app.open();

    await app.tap(swim);
    expect(ticks(app)).toEqual([1, 0]);
    expect(dayOn(app, '2026-11-21')).toMatchObject({ completions: 1, streakEffect: 'STARTED' });
    expect(app.shown()).toEqual(await anew(ana, place));

    await app.undo(swim);
    expect(ticks(app)).toEqual([0, 0]);
    expect(dayOn(app, '2026-11-21')).toMatchObject({ completions: 0, streakEffect: 'NONE' });
    expect(app.shown()).toEqual(await anew(ana, place));

    clock.set('2026-11-21T20:00:00.000Z');
    await app.tap(read);
    await app.tap(swim);
    await app.tap(swim);
    expect(ticks(app)).toEqual([2, 1]);
    expect(app.shown().me.streak).toMatchObject({ count: 1, doneToday: true, atRisk: false });
    expect(app.shown()).toEqual(await anew(ana, place));

    clock.set('2026-11-22T00:30:00.000Z'); // midnight has passed, in UTC and in Berlin, and the day goes on until 3
    expect(app.asked).toEqual(['FirstScreen', 'Tap', 'Undo', 'Tap', 'Tap', 'Tap']);
    await app.undo(swim);
    expect(app.asked.slice(6)).toEqual(['FirstScreen', 'Undo']); // the year ends a day later
    expect(app.shown().me.today).toBe('2026-11-21');
    expect(ticks(app)).toEqual([1, 1]);
    expect(app.shown()).toEqual(await anew(ana, place));

    clock.set('2026-11-22T01:59:59.999Z');
    expect(isOfYesterday(app.shown(), clock.now())).toBe(false);
    clock.set('2026-11-22T02:00:00.000Z');
    expect(isOfYesterday(app.shown(), clock.now())).toBe(true);
    await app.open();
    expect(ticks(app)).toEqual([0, 0]);
    expect(app.shown().me.streak).toMatchObject({ count: 1, doneToday: false, atRisk: true });

    await app.tap(read);
    expect(ticks(app)).toEqual([0, 1]);
    expect(app.shown().me.streak).toMatchObject({ count: 2, doneToday: true });
    expect(dayOn(app, '2026-11-22')).toMatchObject({ completions: 1, streakEffect: 'CONTINUED' });
    expect(app.shown()).toEqual(await anew(ana, place));
  });

  it('is read anew when the answer to a tap tells that the day is another one', async () => {
    const { place, ana, clock, swim, read } = await berliner();
    const app = appOf(ana, place);
    clock.set('2026-11-22T01:00:00.000Z');
    await app.open();
    await app.tap(swim);
    clock.set('2026-11-22T02:00:00.000Z');
    await app.tap(read);
    expect(app.asked).toEqual(['FirstScreen', 'Tap', 'Tap', 'FirstScreen']);
    expect(ticks(app)).toEqual([0, 1]);
    expect(app.shown()).toEqual(await anew(ana, place));
  });

  it('keeps the neighbours of a day right too when something was done a while ago', async () => {
    const { place, ana, clock, swim, read } = await berliner();
    const app = appOf(ana, place);
    await app.open();
    await app.tap(swim);
    clock.advance({ hours: 1 });
    await app.tap(read, { at: '2026-11-20T12:00:00.000Z' });
    expect(dayOn(app, '2026-11-20')).toMatchObject({ completions: 1, streakEffect: 'STARTED' });
    expect(dayOn(app, '2026-11-21')).toMatchObject({ completions: 1, streakEffect: 'CONTINUED' });
    expect(app.shown()).toEqual(await anew(ana, place));
    expect(app.asked).toEqual(['FirstScreen', 'Tap', 'Tap']);
  });

  it('shows what another device does', async () => {
    const { place, ana, clock, swim } = await berliner();
    const client = connect(ana.base, { token: () => ana.token, loggedOut: () => {} });
    onTestFinished(() => client.stop());
    await open(client, clock.now());
    onTestFinished(follow(client, clock.now()));
    const phone = appOf(ana, place);
    await phone.open();
    await eventually(async () => {
      await phone.tap(swim); // the first one may be too early
      return (shown(client, clock.now())?.me.points ?? 0) > 0;
    });
    await eventually(() => shown(client, clock.now())?.me.points === phone.shown().me.points);
    expect(shown(client, clock.now())).toEqual(await anew(ana, place));
  });

  it('may hold a year of the user, and not one of each task as well', async () => {
    const { ana } = await berliner();
    const years = `{ tasks(first: 100) { nodes { calendar(from: "2025-11-22", to: "2026-11-22") { date } } } }`;
    await expect(ana.query(years)).rejects.toMatchObject({
      response: { errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] },
    });
  });

  it('can be tried on the command line', async () => {
    const { ana, swim } = await berliner();
    const env = { PATH: process.env.PATH, STEADY_URL: ana.base, STEADY_TOKEN: ana.token };
    const main = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['examples/first-screen/main.ts', ...args], { env });
    expect((await main('tap', swim)).stdout).toContain(`[x] ${swim} Swim, 1 days\n`);
    expect((await main('undo', swim)).stdout).toContain(`[ ] ${swim} Swim, 0 days\n`);
  });
});

describe('The type policies', () => {
  const PART = gql`
    mutation Part($id: ID!) {
      completeTask(taskId: $id) { user { streak { count } } task { id streak { count } } }
    }
  `;
  const DAY_OF_TAP: TypedDocumentNode<{ completeTask: { completion: { id: string } } }> = gql`
    mutation DayOfTap($id: ID!) {
      completeTask(taskId: $id) { completion { id } day { date completions points streakEffect } }
    }
  `;
  const DAY_OF_UNDO = gql`
    mutation DayOfUndo($id: ID!) { undoCompletion(id: $id) { day { date completions points streakEffect } } }
  `;

  it('turn no streak into null when a payload has a part of it only, even without the id of the user', async () => {
    const { place, ana, swim } = await berliner();
    const app = appOf(ana, place);
    const before = await app.open();
    await app.client.mutate({ mutation: PART, variables: { id: swim } });
    expect(app.shown().me.streak).toEqual({ ...before.me.streak, count: 1 });
    expect(app.shown().tasks.nodes[0]?.streak).toMatchObject({ count: 1, longest: 0 });
  });

  it('put the day of a payload into every calendar of the user that holds it', async () => {
    const { place, ana, clock, swim } = await berliner();
    const app = appOf(ana, place);
    await app.open();
    clock.advance({ hours: 1 });
    const done = await app.client.mutate({ mutation: DAY_OF_TAP, variables: { id: swim } });
    expect(dayOn(app, '2026-11-21')).toMatchObject({ completions: 1, points: 10, streakEffect: 'STARTED' });
    expect(app.shown().me.calendar).toEqual((await anew(ana, place)).me.calendar);
    const { id } = done.data?.completeTask.completion ?? {};
    await app.client.mutate({ mutation: DAY_OF_UNDO, variables: { id } });
    expect(app.shown().me.calendar).toEqual((await anew(ana, place)).me.calendar);
    expect(app.asked).toHaveLength(3);
  });

  it('read any range of days from those that are known, and ask for others', async () => {
    const { place, ana } = await berliner();
    const app = appOf(ana, place);
    await app.open();
    const variables = { from: '2026-11-01', recent: '2026-11-20', to: '2026-11-21' };
    const cached = app.client.readQuery({ query: FIRST_SCREEN, variables });
    expect(cached?.me.calendar.map(({ date }) => date).slice(-2)).toEqual(['2026-11-20', '2026-11-21']);
    expect(cached?.me.calendar).toHaveLength(21);
    const earlier = { ...variables, from: '2025-10-01', to: '2025-10-31' };
    expect(app.client.readQuery({ query: FIRST_SCREEN, variables: earlier })).toBeNull();
    const { data } = await app.client.query({
      query: FIRST_SCREEN,
      variables: { ...earlier, recent: '2025-10-30' },
    });
    expect(data?.me.calendar).toHaveLength(31);
    expect(app.asked).toEqual(['FirstScreen', 'FirstScreen']);
    expect(app.shown().me.calendar).toHaveLength(366);
  });
});

describe('The day of the user, as the app works it out', () => {
  it.each([
    ['UTC', 0],
    ['Europe/Berlin', 3],
    ['America/New_York', 0],
    ['Asia/Kathmandu', 6],
    ['Pacific/Kiritimati', 0],
    ['Pacific/Niue', 6],
  ])('is the one of the service, in %s with days from %i', async (timeZone, dayStartsAt) => {
    const { newUser, renewed, clock } = await world();
    const ana = await newUser();
    const input = { timeZone, dayStartsAt };
    await ana.query(SET_DAYS, { input });
    for (const morning of [
      '2026-11-21T12:30:00.000Z',
      '2027-03-14T00:30:00.000Z',
      '2027-03-28T00:30:00.000Z',
    ]) {
      clock.set(morning); // the later ones are those at which the wall clock jumps
      const { graphql } = renewed(ana);
      for (let hour = 0; hour < 26; hour += 1) {
        clock.advance({ hours: 1 });
        const { me } = await graphql.request<{ me: { today: string } }>('{ me { today } }');
        expect(todayOf(input, clock.now()), clock.now().toISOString()).toBe(me.today);
      }
    }
  });
});

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { EVENTS, eventsOf, kindsOf, reasonOf, setFeed, withFeed } from '../support/feed.js';
import { statementsOf } from '../support/statements.js';
import { type TestUser, world, worldOf } from '../support/world.js';

const ME = '{ me { eventFeed lastEventNumber } }';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const change = (user: TestUser, mutation: string) => user.query(`mutation { ${mutation} }`);

describe('A feed', () => {
  it('is off until it is turned on, which is no event, and forgets all when it is turned off', async () => {
    const { ana } = await worldOf('ana');
    expect(await ana.query(ME)).toEqual({ me: { eventFeed: false, lastEventNumber: null } });
    expect(await reasonOf(ana, EVENTS)).toBe('FEED_OFF');
    await ana.hasTask();
    for (const again of [1, 2]) {
      const { updateProfile } = await setFeed(ana, true);
      expect(updateProfile.user, `${again}`).toEqual({ eventFeed: true, lastEventNumber: 0 });
    }
    expect(await eventsOf(ana)).toEqual([]);
    await ana.hasTask();
    expect(await ana.query(ME)).toEqual({ me: { eventFeed: true, lastEventNumber: 1 } });
    const off = { eventFeed: false, lastEventNumber: null };
    expect((await setFeed(ana, false)).updateProfile.user).toEqual(off);
    expect(await reasonOf(ana, EVENTS)).toBe('FEED_OFF');
    await setFeed(ana, true);
    expect(await eventsOf(ana)).toEqual([]);
  });

  it('has one of each completion of a batch, and one of an import', async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    const [swim, run] = [await ana.hasTask({ title: 'Swim' }), await ana.hasTask({ title: 'Run' })];
    await withFeed(ana);
    const input = [run, swim, run].map(({ id }, index) => ({ taskId: id, idempotencyKey: `key-${index}` }));
    const batch = 'mutation ($input: [CompletionInput!]!) { completeTasks(input: $input) { user { id } } }';
    await ana.query(batch, { input });
    const recorded = await eventsOf(ana);
    expect(recorded.map(({ kind, taskId }) => [kind, taskId])).toEqual(
      [run, swim, run].map(({ id }) => ['COMPLETION_RECORDED', String(id)]),
    );
    await withFeed(ben);
    const file = (await ana.rest.get('/account/export')).body;
    expect((await ben.rest.post('/account/import', file)).status).toBe(201);
    expect(await kindsOf(ben)).toEqual(['IMPORTED']);
  });

  it('has what a check-in link and the night do', async () => {
    const { ana, clock, job, renewed } = await worldOf('ana');
    const swim = await ana.hasTask();
    const { createCheckInLink } = await change(
      ana,
      `createCheckInLink(taskId: "${swim.id}", name: "Tag") { url }`,
    );
    await ana.completes(swim);
    await withFeed(ana);
    clock.advance({ days: 3 });
    await job.run();
    clock.advance({ seconds: 1 });
    const { pathname } = new URL(createCheckInLink.url);
    const checkedIn = await ana.rest.post(pathname, undefined, { accept: 'application/json' });
    expect(checkedIn.status).toBe(200);
    const later = renewed(ana);
    expect(await kindsOf(later)).toEqual(['STREAK_CORRECTED', 'COMPLETION_RECORDED']);
  });

  it('goes on without a gap when twenty changes come at once, over both APIs', async () => {
    const { ana } = await worldOf('ana');
    await withFeed(ana);
    const swim = await ana.hasTask();
    const each = Array.from({ length: 20 }, (_, index) =>
      index % 2
        ? ana.completes(swim)
        : change(ana, `updateProfile(input: { name: "Ana ${index}" }) { user { id } }`),
    );
    await Promise.all(each);
    expect((await eventsOf(ana)).map(({ number }) => number)).toEqual(numbers(1, 21));
  });

  it('is of one user alone', async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    await withFeed(ana);
    await withFeed(ben);
    await ana.hasTask();
    expect(await eventsOf(ben)).toEqual([]);
    const [{ id }] = (await eventsOf(ana)) as [{ id: string }];
    expect(await reasonOf(ben, EVENTS, { after: id })).toBe('FEED_TRUNCATED');
  });

  it('goes with the account, and is in no export', async () => {
    const { ana, database } = await worldOf('ana');
    await withFeed(ana);
    await ana.hasTask();
    const { body } = await ana.rest.get('/account/export');
    expect(JSON.stringify(body)).not.toMatch(/eventFeed|TASK_CREATED/);
    await change(ana, `deleteMyAccount(password: "${ana.account.password}") { deletedId }`);
    for (const table of ['event_feeds', 'events']) {
      const { rows } = await sql`select from ${sql.table(table)} where user_id = ${ana.id}`.execute(
        database.query(),
      );
      expect(rows, table).toEqual([]);
    }
  });
});

describe('A cursor', () => {
  it('is a number too, and pages lead from the oldest to the end', async () => {
    const { ana } = await worldOf('ana');
    await withFeed(ana);
    for (let made = 0; made < 5; made += 1) await ana.hasTask();
    const { events: first } = await ana.query(EVENTS, { first: 2 });
    expect(first.nodes.map(({ number }: { number: number }) => number)).toEqual([1, 2]);
    expect(first).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const { events: next } = await ana.query(EVENTS, { first: 2, after: first.pageInfo.endCursor });
    expect(next.nodes.map(({ number }: { number: number }) => number)).toEqual([3, 4]);
    expect(next.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    expect((await ana.query(EVENTS, { first: 2, after: '2' })).events).toEqual(next);
    const { events: last } = await ana.query(EVENTS, { after: next.nodes[1].id });
    expect(last.nodes).toHaveLength(1);
    expect(last.nodes[0].id).toBe(last.pageInfo.endCursor);
    for (const after of [last.pageInfo.endCursor, '5'])
      expect((await ana.query(EVENTS, { after })).events).toMatchObject({
        nodes: [],
        pageInfo: { startCursor: null, endCursor: after, hasNextPage: false },
      });
  });

  it('that is ahead, of another feed, or of what is no longer kept is FEED_TRUNCATED', async () => {
    const { ana, database } = await worldOf('ana');
    await withFeed(ana);
    for (let made = 0; made < 3; made += 1) await ana.hasTask();
    const [first] = await eventsOf(ana);
    for (const after of ['4', first.id.replace(/^./, (letter: string) => (letter === 'a' ? 'b' : 'a'))])
      expect(await reasonOf(ana, EVENTS, { after }), after).toBe('FEED_TRUNCATED');
    await sql`delete from events where user_id = ${ana.id} and number < 3`.execute(database.query());
    for (const after of ['0', '1', first.id])
      expect(await reasonOf(ana, EVENTS, { after }), after).toBe('FEED_TRUNCATED');
    expect(await kindsOf(ana, '2')).toEqual(['TASK_CREATED']);
    expect(await kindsOf(ana)).toEqual(['TASK_CREATED']);
    await setFeed(ana, false);
    await setFeed(ana, true);
    expect(await reasonOf(ana, EVENTS, { after: first.id })).toBe('FEED_TRUNCATED');
    for (const after of ['', 'x', '-1', '1.5', '9999999999', '99999999999', 'a b-1', `${first.id}x`])
      expect(await reasonOf(ana, EVENTS, { after }), after).toMatch(/INVALID_INPUT|FEED_TRUNCATED/);
  });
});

it('What events are of is read for all of them together', async () => {
  const here = await world();
  const ana = await withFeed(await here.newUser());
  const swim = await ana.hasTask();
  for (let made = 0; made < 10; made += 1) await ana.completes(swim);
  await change(ana, 'createPause(input: { from: "2026-12-01" }) { pause { id } }');
  await ana.hasAccepted(1);
  const query =
    '{ events { nodes { task { id } completion { id task { id } } challenge { id } pause { id } } } }';
  const found = (await ana.query(query)).events.nodes;
  expect(found[1].completion.task).toEqual(found[0].task);
  expect(found.at(-1).challenge).not.toBeNull();
  expect(found.at(-2).pause).not.toBeNull();
  const asked = await statementsOf(here, () => ana.query(query));
  expect(asked.length).toBeLessThanOrEqual(6);
});

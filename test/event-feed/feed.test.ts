import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { EVENTS, eventsOf, kindsOf, reasonOf, setFeed, withFeed } from '../support/feed.js';
import { statementsOf } from '../support/statements.js';
import { type TestUser, world, worldOf } from '../support/world.js';

const ME = '{ me { eventFeed lastEventNumber } }';

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
    for (const user of [ana, ben]) await withFeed(user);
    const input = [run, swim, run].map(({ id }, index) => ({ taskId: id, idempotencyKey: `key-${index}` }));
    const batch = 'mutation ($input: [CompletionInput!]!) { completeTasks(input: $input) { user { id } } }';
    await ana.query(batch, { input });
    expect(await eventsOf(ana)).toMatchObject(
      [run, swim, run].map(({ id }) => ({ kind: 'COMPLETION_RECORDED', taskId: String(id) })),
    );
    const file = (await ana.rest.get('/account/export')).body;
    expect((await ben.rest.post('/account/import', file)).status).toBe(201);
    expect(await kindsOf(ben)).toEqual(['IMPORTED']);
  });

  it('has what a check-in link and the night do', async () => {
    const { ana, clock, job, renewed } = await worldOf('ana');
    const swim = await ana.hasTask();
    const link = `createCheckInLink(taskId: "${swim.id}", name: "Tag") { url }`;
    const { createCheckInLink } = await change(ana, link);
    await ana.completes(swim);
    await withFeed(ana);
    clock.advance({ days: 3 });
    await job.run();
    clock.advance({ seconds: 1 });
    const { pathname } = new URL(createCheckInLink.url);
    await ana.rest.post(pathname, undefined, { accept: 'application/json' });
    expect(await kindsOf(renewed(ana))).toEqual(['STREAK_CORRECTED', 'COMPLETION_RECORDED']);
  });

  it('is of one user alone, goes with the account, and is in no export', async () => {
    const { ana, ben, database } = await worldOf('ana', 'ben');
    for (const user of [ana, ben]) await withFeed(user);
    await ana.hasTask();
    expect(await eventsOf(ben)).toEqual([]);
    const [{ id }] = (await eventsOf(ana)) as [{ id: string }];
    expect(await reasonOf(ben, EVENTS, { after: id })).toBe('FEED_TRUNCATED');
    const { text } = await ana.rest.get('/account/export');
    expect(text).not.toMatch(/eventFeed|TASK_CREATED/);
    await change(ana, `deleteMyAccount(password: "${ana.account.password}") { deletedId }`);
    const { rows } = await sql`
      select user_id from event_feeds where user_id = ${ana.id}
      union all select user_id from events where user_id = ${ana.id}`.execute(database.query());
    expect(rows).toEqual([]);
  });
});

describe('A cursor', () => {
  it('is a number too, and pages lead from the oldest to the end', async () => {
    const { ana } = await worldOf('ana');
    await withFeed(ana);
    for (let made = 0; made < 5; made += 1) await ana.hasTask();
    const pageOf = async (variables: object) => {
      const { nodes, pageInfo } = (await ana.query(EVENTS, variables)).events;
      return { numbers: nodes.map(({ number }: { number: number }) => number), pageInfo };
    };
    const first = await pageOf({ first: 2 });
    expect(first).toMatchObject({
      numbers: [1, 2],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    const next = await pageOf({ first: 2, after: first.pageInfo.endCursor });
    expect(next).toMatchObject({ numbers: [3, 4], pageInfo: { hasNextPage: true, hasPreviousPage: true } });
    expect(await pageOf({ first: 2, after: '2' })).toEqual(next);
    const last = await pageOf({ after: next.pageInfo.endCursor });
    expect(last.numbers).toEqual([5]);
    for (const after of [last.pageInfo.endCursor, '5'])
      expect(await pageOf({ after })).toMatchObject({
        ...{ numbers: [], pageInfo: { startCursor: null, endCursor: after, hasNextPage: false } },
      });
  });

  it('that is ahead, of another feed, or of what is no longer kept is FEED_TRUNCATED', async () => {
    const { ana, database } = await worldOf('ana');
    await withFeed(ana);
    for (let made = 0; made < 3; made += 1) await ana.hasTask();
    const [{ id }] = (await eventsOf(ana)) as [{ id: string }];
    const areTruncated = async (...cursors: string[]) => {
      for (const after of cursors)
        expect(await reasonOf(ana, EVENTS, { after }), after).toBe('FEED_TRUNCATED');
    };
    await areTruncated(
      '4',
      id.replace(/^./, (letter) => (letter === 'a' ? 'b' : 'a')),
    );
    await sql`delete from events where user_id = ${ana.id} and number < 3`.execute(database.query());
    await areTruncated('0', '1', id);
    for (const after of ['2', null]) expect(await kindsOf(ana, after)).toEqual(['TASK_CREATED']);
    for (const isOn of [false, true]) await setFeed(ana, isOn);
    await areTruncated(id);
    for (const after of ['', 'x', '-1', '1.5', '9999999999', '99999999999', 'a b-1', `${id}x`])
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
    '{ events { nodes { task { id } completion { task { id } } challenge { id } pause { id } } } }';
  const asked = await statementsOf(here, async () => {
    const { nodes } = (await ana.query(query)).events;
    expect(nodes[1].completion.task).toEqual(nodes[0].task);
    expect(nodes.at(-2).pause).not.toBeNull();
    expect(nodes.at(-1).challenge).not.toBeNull();
  });
  expect(asked.length).toBeLessThanOrEqual(6);
});

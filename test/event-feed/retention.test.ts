import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { FeedService } from '../../src/features/event-feed/feed.service.js';
import { load } from '../../src/operation/backup/load.js';
import { readSnapshot } from '../../src/operation/backup/snapshot.js';
import { ownDatabase } from '../support/database.js';
import { EVENTS, eventsOf, reasonOf, withFeed } from '../support/feed.js';
import { TestUser, world, worldOf } from '../support/world.js';

const numbersOf = async (user: TestUser, after?: string) =>
  (await eventsOf(user, after)).map(({ number }) => number);

it('An event is kept for 30 days, and those before it are gone first', async () => {
  const { ana, clock, database, renewed } = await worldOf('ana');
  await withFeed(ana);
  for (const hours of [0, 24, -2]) {
    clock.advance({ hours }); // in the end of another process, whose clock is behind
    await ana.hasTask();
  }
  const [first, second, third] = await eventsOf(ana);
  expect(third.at).toBe(second.at);
  const feed = new FeedService(database, clock);
  clock.set(first.at);
  clock.advance({ days: 30 });
  await feed.tidy();
  expect(await numbersOf(renewed(ana))).toEqual([1, 2, 3]);
  clock.advance({ ms: 1 });
  await feed.tidy();
  const later = renewed(ana);
  expect(await numbersOf(later)).toEqual([2, 3]);
  expect(await numbersOf(later, first.id)).toEqual([2, 3]);
  expect(await reasonOf(later, EVENTS, { after: '0' })).toBe('FEED_TRUNCATED');
  clock.advance({ days: 2 });
  await feed.tidy();
  expect(await numbersOf(later)).toEqual([]);
  expect(await reasonOf(later, EVENTS, { after: second.id })).toBe('FEED_TRUNCATED');
  await later.hasTask();
  expect(await numbersOf(later, third.id)).toEqual([4]);
});

it('The last 100,000 events of an account are kept', async () => {
  const { ana, database } = await worldOf('ana');
  await withFeed(ana);
  for (let made = 0; made < 4; made += 1) await ana.hasTask();
  await sql`update event_feeds set last_number = 100000 where user_id = ${ana.id}`.execute(database.query());
  await ana.hasTask();
  await ana.hasTask();
  expect((await eventsOf(ana)).map(({ number }) => number)).toEqual([3, 4, 100_001, 100_002]);
  expect(await reasonOf(ana, EVENTS, { after: '1' })).toBe('FEED_TRUNCATED');
});

it('A backup keeps the feed, and one that is restored has another word: cursors of before are truncated', async () => {
  const here = await world({ database: await ownDatabase() });
  const ana = await withFeed(await here.newUser());
  await ana.hasTask();
  const [first] = await eventsOf(ana);
  const copy = await ownDatabase();
  await readSnapshot(here.database, (contents) => load(copy, contents, { clock: here.clock }));
  const there = await world({ database: copy });
  const restored = new TestUser(there.base, ana.token, ana.account);
  const [again] = await eventsOf(restored);
  expect(again).toEqual({ ...first, id: expect.not.stringMatching(first.id) });
  expect(await reasonOf(restored, EVENTS, { after: first.id })).toBe('FEED_TRUNCATED');
  await restored.hasTask();
  expect(await numbersOf(restored, again.id)).toEqual([2]);
});

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, databaseAt, ownDatabase, urlOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { eventsOf, setFeed, withFeed } from '../support/feed.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { holding, lockWaits, untilSomeoneWaits } from '../support/locks.js';
import { statementsOf } from '../support/statements.js';
import { TestUser, world, worldOf } from '../support/world.js';

const subscription = (after?: string | number) =>
  `subscription { events${after === undefined ? '' : `(after: "${after}")`} { id number kind task { id title } } }`;

describe('The subscription to events', () => {
  it('sends first what came since, and then what comes', async () => {
    const { ana } = await worldOf('ana');
    await withFeed(ana);
    for (let made = 0; made < 3; made += 1) await ana.hasTask();
    const [first] = await eventsOf(ana);
    const streams = [];
    for (const [after, before] of [[], [0, [1, 2, 3]], ['1', [2, 3]], [first.id, [2, 3]]] as const) {
      const stream = await streamOf(ana, subscription(after));
      for (const number of before ?? []) expect((await stream.next()).data.events.number).toBe(number);
      streams.push(stream);
    }
    const { id } = await ana.hasTask({ title: 'Dive' });
    const event = { id: expect.any(String), number: 4, kind: 'TASK_CREATED' };
    for (const stream of streams)
      expect((await stream.next()).data.events).toEqual({
        ...event,
        task: { id: String(id), title: 'Dive' },
      });
  });

  it('is refused while the feed is off, of what is not known, and of what is no cursor', async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    await withFeed(ana);
    for (const [user, after, reason] of [
      [ben, undefined, 'FEED_OFF'],
      [ben, '0', 'FEED_OFF'],
      [ana, '7', 'FEED_TRUNCATED'],
      [ana, 'other-0', 'FEED_TRUNCATED'],
      [ana, 'nonsense', 'INVALID_INPUT'],
    ] as const) {
      const { errors } = await (await streamOf(user, subscription(after))).next();
      expect(errors, `${after}`).toMatchObject([{ extensions: { reason } }]);
    }
  });

  it('ends when the feed is turned off', async () => {
    const { ana } = await worldOf('ana');
    await withFeed(ana);
    const stream = await streamOf(ana, subscription());
    await setFeed(ana, false);
    await ana.hasTask(); // which tells that something came
    expect((await stream.next()).errors).toMatchObject([{ extensions: { reason: 'FEED_OFF' } }]);
  });

  it('reads no further once who follows has left, however much there is', async () => {
    const here = await world({ config: { ...configOf(), liveMaxPerUser: 1 } });
    const ana = await here.newUser();
    await withFeed(ana);
    const query = here.database.query();
    await sql`
      insert into events (user_id, number, kind, at)
      select ${ana.id}, number, 'PROFILE_CHANGED', now() from generate_series(1, 9000) as number`.execute(
      query,
    );
    await sql`update event_feeds set last_number = 9000 where user_id = ${ana.id}`.execute(query);
    const sent = await statementsOf(here, async () => {
      const stream = await streamOf(ana, subscription(0));
      await stream.next();
      stream.close();
      // It gives back the only place that there is.
      await eventually(async () => (await streamOf(ana, PROGRESS)).response.status === 200);
    });
    const reads = sent.filter((statement) => /from events .*limit/.test(statement));
    expect(reads.length).toBeLessThan(30); // of ninety
  });

  it('misses nothing that was being changed when it began', async () => {
    const { ana, database } = await worldOf('ana');
    await withFeed(ana);
    const change = sql`select tell(${ana.id}::uuid, now(), json_build_object('kind', 'PROFILE_CHANGED'))`;
    const release = await holding(database, change);
    const stream = streamOf(ana, subscription(0));
    await untilSomeoneWaits(database);
    await release();
    expect((await (await stream).next()).data.events.number).toBe(1);
  });

  it('has each event once and in order, of two services, through reconnections', async () => {
    const database = await ownDatabase();
    const here = await world({ database });
    const there = await world({ database: await databaseAt(urlOf(database)) });
    const ana = await withFeed(await here.newUser());
    const elsewhere = new TestUser(there.base, ana.token, ana.account);
    const swim = await ana.hasTask();
    const COUNT = 60;
    const changing = (async () => {
      for (let done = 0; done < COUNT; done += 6)
        await Promise.all([1, 2, 3].flatMap(() => [ana.completes(swim), elsewhere.completes(swim)]));
    })();
    const heard: number[] = [];
    let after = '0';
    while (heard.length < COUNT + 1) {
      const stream = await streamOf(heard.length % 2 ? ana : elsewhere, subscription(after));
      for (let left = 17; left > 0 && heard.length < COUNT + 1; left -= 1) {
        const { events } = (await stream.next()).data;
        heard.push(events.number);
        after = left % 2 ? events.id : String(events.number);
      }
      stream.close();
    }
    await changing;
    expect(heard).toEqual(Array.from({ length: COUNT + 1 }, (_, index) => index + 1));
  });
});

describe('Turning a feed on', () => {
  const turnOn = 'mutation { updateProfile(input: { eventFeed: true }) { user { lastEventNumber } } }';

  it('waits for what is being changed, so that whoever reads the lists then has it', async () => {
    const { ana, database } = await worldOf('ana');
    const swim = await ana.hasTask();
    for (const changed of [
      sql`update tasks set title = 'Run' where id = ${swim.id} and user_id = ${ana.id}`,
      sql`update user_progress set points = 7 where user_id = ${ana.id}`,
      sql`update users set name = 'Anna' where id = ${ana.id}`,
    ]) {
      const release = await holding(database, changed);
      const turnedOn = ana.query(turnOn);
      await untilSomeoneWaits(database);
      await release();
      await turnedOn;
      await setFeed(ana, false);
    }
  });

  it('has a completion that had begun, and waits for it, as its first event', async () => {
    const { ana, database } = await worldOf('ana');
    const swim = await ana.hasTask();
    const row = sql`select from tasks where user_id = ${ana.id} and id = ${swim.id} for update`;
    const release = await holding(database, row);
    const turnedOn = ana.query(turnOn);
    await untilSomeoneWaits(database);
    const completed = ana.completes(swim);
    await eventually(async () => (await lockWaits(database.query())) === 2);
    await release();
    await Promise.all([turnedOn, completed]);
    expect(await eventsOf(ana)).toMatchObject([{ number: 1, kind: 'COMPLETION_RECORDED' }]);
  });
});

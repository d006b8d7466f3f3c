import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, databaseAt, ownDatabase, urlOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { eventsOf, setFeed, withFeed } from '../support/feed.js';
import { PROGRESS, type Result, streamOf } from '../support/live.js';
import { holding, lockWaits, untilSomeoneWaits } from '../support/locks.js';
import { statementsOf } from '../support/statements.js';
import { TestUser, world, worldOf } from '../support/world.js';

const subscription = (after?: string | number) =>
  `subscription { events${after === undefined ? '' : `(after: "${after}")`} { id number kind task { id title } } }`;

const numberIn = ({ data }: Result): number => data.events.number;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('The subscription to events', () => {
  it('sends first what came since, and then what comes', async () => {
    const { ana } = await worldOf('ana');
    await withFeed(ana);
    for (let made = 0; made < 3; made += 1) await ana.hasTask();
    const [first] = await eventsOf(ana);
    const streams = [await streamOf(ana, subscription('1')), await streamOf(ana, subscription(first.id))];
    const [fresh, whole] = [await streamOf(ana, subscription()), await streamOf(ana, subscription(0))];
    for (const stream of streams)
      expect([numberIn(await stream.next()), numberIn(await stream.next())]).toEqual([2, 3]);
    for (const number of numbers(3)) expect(numberIn(await whole.next())).toBe(number);
    const { id } = await ana.hasTask({ title: 'Dive' });
    for (const stream of [...streams, fresh, whole])
      expect((await stream.next()).data.events).toEqual({
        ...{ id: expect.any(String), number: 4, kind: 'TASK_CREATED' },
        task: { id: String(id), title: 'Dive' },
      });
  });

  it('is refused while the feed is off, of what is not known, and of what is no cursor', async () => {
    const { ana, ben } = await worldOf('ana', 'ben');
    await withFeed(ana);
    const refusals: [TestUser, string | undefined, string][] = [
      [ben, undefined, 'FEED_OFF'],
      [ben, '0', 'FEED_OFF'],
      [ana, '7', 'FEED_TRUNCATED'],
      [ana, 'other-0', 'FEED_TRUNCATED'],
      [ana, 'nonsense', 'INVALID_INPUT'],
    ];
    for (const [user, after, reason] of refusals) {
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
    await sql`
      select tell(${ana.id}::uuid, now(), json_build_object('kind', 'PROFILE_CHANGED')) from generate_series(1, 9000)
    `.execute(here.database.query());
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
    const release = await holding(
      database,
      sql`select tell(${ana.id}::uuid, now(), json_build_object('kind', 'PROFILE_CHANGED'))`,
    );
    const stream = streamOf(ana, subscription(0));
    await untilSomeoneWaits(database);
    await release();
    expect(numberIn(await (await stream).next())).toBe(1);
  });

  it('has each event once and in order, of two services, through reconnections', async () => {
    const database = await ownDatabase();
    const [here, there] = [
      await world({ database }),
      await world({ database: await databaseAt(urlOf(database)) }),
    ];
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
    expect(heard).toEqual(numbers(COUNT + 1));
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
    const release = await holding(
      database,
      sql`select from tasks where user_id = ${ana.id} and id = ${swim.id} for update`,
    );
    const turnedOn = ana.query(turnOn);
    await untilSomeoneWaits(database);
    const completed = ana.completes(swim);
    await eventually(async () => (await lockWaits(database.query())) === 2);
    await release();
    await turnedOn;
    expect((await completed).status).toBe(201);
    expect((await eventsOf(ana)).map(({ number, kind }) => [number, kind])).toEqual([
      [1, 'COMPLETION_RECORDED'],
    ]);
  });
});

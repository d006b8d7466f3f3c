import { Writable } from 'node:stream';
import { type KyselyPlugin, RawNode, sql } from 'kysely';
import pino from 'pino';
import { describe, expect, inject, it } from 'vitest';
import { forgetValue, HOLD, storeValue } from '../../src/features/reminders/channels/stored-values.js';
import { isWhole, type Message, ringsAtAll } from '../../src/features/reminders/message.queries.js';
import { MESSAGE } from '../../src/features/reminders/reminder.queries.js';
import { claim, countJobs, giveUpOthers } from '../../src/jobs/jobs.queries.js';
import { configOf, isOnManyNodes } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { people } from '../support/people.js';
import { type TestUser, world } from '../support/world.js';
import {
  addCrowd,
  addsNtfy,
  channelsOf,
  EIGHT,
  makes,
  OPEN,
  PUBLIC_URL,
  reminded,
  ringing,
  sets,
  tested,
  withReceivers,
} from './ringing.js';

const DELETE_ACCOUNT = 'mutation ($password: String!) { deleteMyAccount(password: $password) { deletedAt } }';

const askedAt = (now: Date) => {
  const after = (ms: number) => new Date(now.getTime() + ms);
  return {
    kind: MESSAGE,
    now,
    leaseUntil: after(60_000),
    since: after(-1_800_000),
    busy: [],
    waiting: [],
    waitingInAll: [],
    ofUser: 2,
    most: 10,
    ...{ mayRun: ringsAtAll, isReady: isWhole([]), isAlone: false },
  };
};

/** What a process does before it dies. */
const claimed = ({ database, clock }: Awaited<ReturnType<typeof ringing>>) =>
  claim<Message>(database.query(), askedAt(clock.now()));

const CHAT = { name: 'Chat', apprise: { urls: 'tgram://x/y' } };

describe('A process that dies', () => {
  it('before it sends leaves that to another', async () => {
    const here = await withReceivers();
    const { ana, add, clock, ring, reminders, apprise, ntfy } = here;
    await add(CHAT);
    await makes(ana, `title: "Swim", ${EIGHT}`);
    clock.set('2026-11-22T08:00:00Z');
    await reminders.job.run();
    expect(await claimed(here)).toHaveLength(1);
    await ring();
    expect([...apprise.taken, ...ntfy.taken]).toEqual([]);
    clock.set('2026-11-22T08:01:01Z');
    await ring();
    expect([...apprise.taken, ...ntfy.taken]).toHaveLength(1);
  });

  it('while Apprise may be telling somebody is not followed by another, however late that is', async () => {
    const here = await withReceivers();
    const { ana, add, clock, ring, apprise } = here;
    await add(CHAT);
    await makes(ana, `title: "Swim", ${EIGHT}`);
    clock.set('2026-11-22T08:00:00Z');
    const claims: unknown[] = [];
    apprise.meanwhile = async () => {
      clock.set('2026-11-22T08:05:00Z');
      claims.push(await claimed(here));
    };
    await ring();
    expect(claims).toEqual([[]]);
  });

  it('or is only slow, loses what another one has claimed since', async () => {
    const here = await withReceivers();
    const { ana, add, clock, reminders, database } = here;
    await add(CHAT);
    await makes(ana, `title: "Swim", ${EIGHT}`);
    clock.set('2026-11-22T08:00:00Z');
    await reminders.job.run();
    const [first] = await claimed(here);
    clock.set('2026-11-22T08:01:01Z');
    const [second] = await claimed(here);
    if (!first || !second) throw new Error('Nothing was claimed');
    expect(await giveUpOthers(database.query(), first)).toBe(false);
    expect(await giveUpOthers(database.query(), second)).toBe(true);
  });
});

describe('A claim', () => {
  /** Tells how a statement is carried out, in the place of its rows. */
  const explaining: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (!RawNode.is(node)) throw new Error('Not a text');
      const [first, ...others] = node.sqlFragments;
      return { ...node, sqlFragments: [`explain (analyze, timing off) ${first}`, ...others] };
    },
    transformResult: async ({ result }) => result,
  };

  it.skipIf(isOnManyNodes(inject('template'))).each([
    // whose plan shows one node of several
    ['of messages to one host', [], 10],
    ['beside as many to a host that is busy', ['ntfy'], 3],
  ])('%s looks at few of those that wait', async (_, busy, found) => {
    const { database, clock } = await ringing();
    const query = database.query<unknown>();
    clock.set('2026-11-22T08:00:00Z');
    await sql`
      ${sql.raw(people(3_003, 'crowd.example.com'))}, added as (
        insert into channels (id, user_id, kind, name, host, address, state, created_at)
        select gen_random_uuid(), id, 'NTFY', 'Phone', case when i > 3000 then 'push.example.com' else 'ntfy' end,
          'topic-' || i, 'NEW', ${clock.now()}::timestamptz from numbers
        returning user_id, id, host
      )
      insert into jobs (id, kind, key, user_id, lane, payload, created_at, run_at)
      select gen_random_uuid(), ${MESSAGE}, id, user_id, host, jsonb_build_object('channelId', id, 'taskIds', '[]'::jsonb,
        'isOfDay', true), ${clock.now()}::timestamptz, ${clock.now()}::timestamptz
      from added`.execute(query);
    await sql`analyze`.execute(query);
    const rows: object[] = await claim(query.withPlugin(explaining), { ...askedAt(clock.now()), busy });
    const plan = rows.map((row) => Object.values(row)[0]).join('\n');
    const read = [...plan.matchAll(/actual rows=([\d.]+) loops=(\d+)/g)].map(
      ([, each, loops]) => Number(each) * Number(loops),
    );
    const removed = [...plan.matchAll(/Rows Removed by \w+: (\d+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...read, ...removed), plan).toBeLessThan(50);
    expect(plan).toMatch(new RegExp(`Update on jobs\\S* .*actual rows=${found}`));
  });
});

describe('Between the ring and the message', () => {
  const changes: Record<string, (ana: TestUser, task: number) => Promise<unknown>> = {
    'is done': (ana, task) => ana.completes({ id: task }),
    'is deleted': (ana, task) => ana.query(`mutation { deleteTask(id: ${task}) { deletedId } }`),
    'loses its account': (ana) => ana.query(DELETE_ACCOUNT, { password: ana.account.password }),
    'loses its channel': async (ana) => {
      const { me } = await ana.query('{ me { channels { id } } }');
      await ana.query(`mutation { deleteChannel(id: "${me.channels[0].id}") { deletedId } }`);
    },
  };

  it.each(Object.keys(changes))('a habit that %s is not named any more', async (change) => {
    const { ana, swim, clock, ring, heard, reminders, database } = await reminded();
    clock.set('2026-11-22T08:00:00Z');
    await reminders.job.run();
    await changes[change]?.(ana, swim);
    await ring();
    expect(heard()).toEqual([]);
    expect(await countJobs(database.query(), [MESSAGE], clock.now())).toMatchObject([{ waiting: 0 }]);
  });
});

describe('What is done while its message is on its way', () => {
  async function onItsWay() {
    const here = await reminded();
    here.clock.set('2026-11-22T08:00:00Z');
    const methods = () => here.ntfy.taken.map(({ method }) => method);
    return { ...here, methods };
  }

  it('is taken back as soon as it is shown', async () => {
    const { ana, swim, ntfy, ring, methods, reminders } = await onItsWay();
    ntfy.meanwhile = async () => {
      await ana.completes({ id: swim });
      await reminders.dismissals.settled();
    };
    await ring();
    expect(methods()).toEqual(['POST']);
    await reminders.dismissals.settled();
    expect(methods()).toEqual(['POST', 'PUT']);
  });

  it('is taken back where ntfy may have shown it without saying so', async () => {
    const { ana, swim, ntfy, ring, clock, methods, reminders } = await onItsWay();
    ntfy.manner = 500;
    await ring();
    ntfy.manner = 200;
    await ana.completes({ id: swim });
    await reminders.dismissals.settled();
    clock.set('2026-11-22T08:00:10Z');
    await ring();
    expect(methods()).toEqual(['POST', 'PUT']);
  });

  it('is taken back at the next change where ntfy is away', async () => {
    const { ana, swim, ntfy, ring, methods, reminders } = await onItsWay();
    await ring();
    for (const status of [503, 200, 200]) {
      ntfy.manner = status;
      await ana.completes({ id: swim });
      await reminders.dismissals.settled();
    }
    expect(methods()).toEqual(['POST', 'PUT', 'PUT']);
  });

  it('is not taken back while reminders are held back', async () => {
    const { ana, swim, ring, methods, database, reminders } = await onItsWay();
    await ring();
    await storeValue(database.query(), HOLD, 'off');
    await ana.completes({ id: swim });
    await reminders.dismissals.settled();
    expect(methods()).toEqual(['POST']);
  });
});

describe('A message', () => {
  it('of forty habits is short enough for every receiver, and cut between characters', async () => {
    const { newUser, clock, ring, heard } = await ringing();
    const ana = await newUser();
    await addsNtfy(ana);
    for (let number = 0; number < 40; number += 1) await makes(ana, `title: "1${'🏊'.repeat(60)}"`);
    await sets(ana, 'dayReminder: "08:00"');
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    const [{ body } = { body: {} }] = heard();
    expect(body.message).toMatch(/…$/);
    expect(body.message.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(body.message)).toBeLessThan(3_000);
  });
});

describe('Apprise', () => {
  it('that knows none of the URLs has told nobody', async () => {
    const { ana, add, apprise } = await withReceivers();
    const { id } = await add(CHAT);
    apprise.manner = 204;
    const answer = { isDelivered: false, error: 'Apprise knows none of the URLs' };
    expect(await tested(ana, id)).toMatchObject(answer);
  });

  it('gets each message on a connection of its own: one that is closed meanwhile would lose it', async () => {
    const { ana, add, apprise, clock, ring } = await withReceivers();
    await add(CHAT);
    await makes(ana, 'title: "Swim", reminders: [{ at: "08:00" }, { at: "08:01" }]');
    apprise.manner = 'once';
    for (const time of ['08:00', '08:01']) {
      clock.set(`2026-11-22T${time}:00Z`);
      await ring();
    }
    expect(await channelsOf(ana)).toMatchObject([{ lastError: null }]);
  });
});

describe('Receivers that hang', () => {
  it('leave room for others, however many wait for them', async () => {
    const { ana, add, push, clock, reminders, ntfy, database } = await withReceivers();
    await addCrowd(database, { users: 100, channels: 2, kind: 'NTFY', ringsAt: '2026-11-22T08:00:00Z' });
    await add({ name: 'Laptop', push: push.browser().input });
    await makes(ana, 'title: "Floss", reminders: [{ at: "08:01" }]');
    ntfy.manner = 'hangs';
    clock.set('2026-11-22T08:00:00Z');
    await reminders.job.run();
    const working = reminders.sender.run();
    await eventually(() => ntfy.taken.length > 48);
    clock.set('2026-11-22T08:01:00Z');
    await reminders.job.run();
    reminders.sender.run();
    await eventually(() => push.taken.length === 1);
    const { rows } = await sql`select from jobs where attempts > 0`.execute(database.query());
    expect(rows.length).toBeLessThan(100); // a host has 64 under way
    await Promise.all([reminders.sender.stop(), ntfy.stop()]);
    await working;
  });
});

describe('Held back', () => {
  it('reminders move on and ring nobody, and what waits is not sent', async () => {
    const { clock, ring, ntfy, database } = await reminded(
      'title: "Swim", reminders: [{ at: "08:00" }, { at: "08:01" }]',
    );
    ntfy.manner = 500;
    clock.set('2026-11-22T08:00:00Z');
    await ring();
    await storeValue(database.query(), 'reminders', 'off');
    ntfy.manner = 200;
    clock.set('2026-11-22T08:01:00Z');
    await ring();
    expect(ntfy.taken).toHaveLength(1);
    await forgetValue(database.query(), 'reminders');
    await ring();
    expect(ntfy.taken).toHaveLength(2);
  });
});

describe('A clock', () => {
  it('that was years ahead, and is set right, rings as before', async () => {
    const { at, ring, heard, clock, reminders } = await reminded();
    clock.set('2035-05-05T12:00:00Z');
    await ring();
    clock.set('2026-11-22T06:00:00Z');
    await reminders.job.tidy();
    await ring();
    heard();
    expect(await at('2026-11-22T08:00:00Z')).toHaveLength(1);
    expect(await at('2026-11-23T08:00:00Z')).toHaveLength(1);
  });

  it('of a country that leaves a day out rings on that weekday of the next week', async () => {
    const { newUser, renewed, at, clock } = await ringing();
    clock.set('2011-12-26T12:00:00Z');
    const ana = renewed(await newUser());
    await addsNtfy(ana);
    await sets(ana, 'timeZone: "Pacific/Apia"');
    await makes(ana, 'title: "Swim", reminders: [{ at: "08:00", weekdays: [FRIDAY] }]');
    await makes(ana, 'title: "Floss", reminders: [{ at: "08:00", weekdays: [SATURDAY] }]');
    expect(await at('2011-12-30T18:00:00Z')).toEqual([['Floss', OPEN]]); // Saturday there, after Thursday
    expect(await at('2012-01-05T18:00:00Z')).toEqual([['Swim', OPEN]]);
  });

  it('of a zone that the database does not know any more rings nobody else late', async () => {
    const { newUser, at, database } = await ringing();
    const [ana, ben] = [await newUser(), await newUser()];
    for (const [user, topic] of [
      [ana, 'ana'],
      [ben, 'ben'],
    ] as const) {
      await addsNtfy(user, topic);
      await makes(user, `title: "${topic}", ${EIGHT}`);
    }
    await sql`update user_progress set time_zone = 'Mars/Olympus' where user_id = ${ben.id}`.execute(
      database.query(),
    );
    expect(await at('2026-11-22T08:00:00Z')).toEqual([['ana', OPEN]]);
    await sets(ben, 'timeZone: "UTC"');
    expect((await at('2026-11-23T08:00:00Z')).map(([title]) => title).sort()).toEqual(['ana', 'ben']);
  });
});

describe('A zone that the database does not know', () => {
  it('is no failure of reminders: what rings in it is put off by a day, at once and in no line', async () => {
    const { newUser, database, clock, ntfy } = await ringing();
    const [ana, ben] = [await newUser(), await newUser()];
    for (const user of [ana, ben]) await makes(user, `title: "Swim", ${EIGHT}`);
    await sql`update user_progress set time_zone = 'Mars/Olympus' where user_id = ${ben.id}`.execute(
      database.query(),
    );
    const lines: string[] = [];
    const log = pino(new Writable({ write: (line, _, done) => void done(void lines.push(String(line))) }));
    const config = configOf({ NTFY_URL: ntfy.url, PUBLIC_URL });
    const { reminders } = await world({ database, clock, config, log });
    clock.set('2026-11-22T08:00:00Z');
    await reminders.job.run();
    const { rows } = await sql`
      select next_at = '2026-11-23T08:00:00Z' as "isPutOff" from reminders`.execute(database.query());
    expect([rows, lines]).toEqual([[{ isPutOff: true }, { isPutOff: true }], []]);
  });
});

describe('A stop', () => {
  it('leaves what is due to the next process', async () => {
    const { clock, reminders, ntfy, database, ring } = await reminded();
    clock.set('2026-11-22T08:00:00Z');
    reminders.job.stop();
    await ring();
    expect(ntfy.taken).toEqual([]);
    const other = await world({ database, clock, config: configOf({ NTFY_URL: ntfy.url, PUBLIC_URL }) });
    await other.reminders.job.run();
    await other.reminders.sender.run();
    expect(ntfy.taken).toHaveLength(1);
  });
});

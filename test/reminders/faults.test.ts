import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { forgetValue, storeValue } from '../../src/features/reminders/channels/stored-values.js';
import { isWhole, type Message, ringsAtAll } from '../../src/features/reminders/message.queries.js';
import { MESSAGE } from '../../src/features/reminders/reminder.queries.js';
import { claim, countJobs, giveUpOthers } from '../../src/jobs/jobs.queries.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
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

/** What a process does before it dies. */
function claimed({ database, clock }: Awaited<ReturnType<typeof ringing>>) {
  const now = clock.now();
  const after = (ms: number) => new Date(now.getTime() + ms);
  return claim<Message>(database.query(), {
    ...{ kind: MESSAGE, now, leaseUntil: after(60_000), since: after(-1_800_000) },
    ...{ busy: [], waiting: [], waitingInAll: [], ofUser: 2, most: 10 },
    ...{ mayRun: ringsAtAll, isReady: isWhole([]), isAlone: false },
  });
}

const CHAT = { name: 'Chat', apprise: { urls: 'tgram://x/y' } };

/** Ana's habit rings now, to be told by Apprise, which may do so once. */
async function toBeTold(input = `title: "Swim", ${EIGHT}`) {
  const here = await withReceivers();
  await here.add(CHAT);
  await makes(here.ana, input);
  here.clock.set('2026-11-22T08:00:00Z');
  return here;
}

describe('A process that dies', () => {
  it('before it sends leaves that to another', async () => {
    const here = await toBeTold();
    await here.reminders.job.run();
    expect(await claimed(here)).toHaveLength(1);
    await here.ring();
    expect(here.apprise.taken).toEqual([]);
    here.clock.set('2026-11-22T08:01:01Z');
    await here.ring();
    expect(here.apprise.taken).toHaveLength(1);
  });

  it('while Apprise may be telling somebody is not followed by another, however late that is', async () => {
    const here = await toBeTold();
    const claims: unknown[] = [];
    here.apprise.meanwhile = async () => {
      here.clock.set('2026-11-22T08:05:00Z');
      claims.push(await claimed(here));
    };
    await here.ring();
    expect(claims).toEqual([[]]);
  });

  it('or is only slow, loses what another one has claimed since', async () => {
    const here = await toBeTold();
    await here.reminders.job.run();
    const [first] = await claimed(here);
    here.clock.set('2026-11-22T08:01:01Z');
    const [second] = await claimed(here);
    if (!first || !second) throw new Error('Nothing was claimed');
    expect(await giveUpOthers(here.database.query(), first)).toBe(false);
    expect(await giveUpOthers(here.database.query(), second)).toBe(true);
  });
});

/** It rings at eight now, and says what ntfy was asked. */
async function ringsNow(input?: string) {
  const here = await reminded(input);
  here.clock.set('2026-11-22T08:00:00Z');
  const methods = () => here.ntfy.taken.map(({ method }) => method).join(' ');
  const completes = async (manner = 200) => {
    here.ntfy.manner = manner;
    await here.ana.completes({ id: here.swim });
    await here.reminders.dismissals.settled();
  };
  return { ...here, methods, completes };
}

describe('Between the ring and the message', () => {
  it.each<[string, (ana: TestUser, task: number) => Promise<unknown>]>([
    ['is done', (ana, task) => ana.completes({ id: task })],
    ['is deleted', (ana, task) => ana.query(`mutation { deleteTask(id: ${task}) { deletedId } }`)],
    [
      'loses its account',
      (ana) => ana.query(`mutation { deleteMyAccount(password: "${ana.account.password}") { deletedId } }`),
    ],
    [
      'loses its channel',
      async (ana) => {
        const [{ id }] = await channelsOf(ana);
        await ana.query(`mutation { deleteChannel(id: "${id}") { deletedId } }`);
      },
    ],
  ])('a habit that %s is not named any more', async (_change, change) => {
    const { ana, swim, clock, ring, heard, reminders, database } = await ringsNow();
    await reminders.job.run();
    await change(ana, swim);
    await ring();
    expect(heard()).toEqual([]);
    expect(await countJobs(database.query(), [MESSAGE], clock.now())).toMatchObject([{ waiting: 0 }]);
  });
});

describe('What is done while its message is on its way is taken back', () => {
  it('as soon as it is shown', async () => {
    const { ntfy, ring, methods, completes, reminders } = await ringsNow();
    ntfy.meanwhile = () => completes();
    await ring();
    expect(methods()).toBe('POST');
    await reminders.dismissals.settled();
    expect(methods()).toBe('POST PUT');
  });

  it('where ntfy may have shown it without saying so', async () => {
    const { ntfy, ring, clock, methods, completes } = await ringsNow();
    ntfy.manner = 500;
    await ring();
    await completes();
    clock.set('2026-11-22T08:00:10Z');
    await ring();
    expect(methods()).toBe('POST PUT');
  });

  it('at the next change where ntfy is away', async () => {
    const { ring, methods, completes } = await ringsNow();
    await ring();
    for (const manner of [503, 200, 200]) await completes(manner);
    expect(methods()).toBe('POST PUT PUT');
  });
});

it('A message of long names is short enough for every receiver, and cut between characters', async () => {
  const { newUser, clock, ring, heard } = await ringing();
  const ana = await newUser();
  await addsNtfy(ana);
  for (let number = 0; number < 8; number += 1) await makes(ana, `title: "1${'🏊'.repeat(190)}"`);
  await sets(ana, 'dayReminder: "08:00"');
  clock.set('2026-11-22T08:00:00Z');
  await ring();
  const [{ body } = { body: {} }] = heard();
  expect(body.message).toMatch(/…$/);
  expect(body.message.isWellFormed()).toBe(true);
  expect(Buffer.byteLength(body.message)).toBeLessThan(3_000);
});

it('Apprise that knows none of the URLs has told nobody, and gets each message on a connection of its own', async () => {
  const { ana, apprise, at } = await toBeTold('title: "Swim", reminders: [{ at: "08:00" }, { at: "08:01" }]');
  apprise.manner = 204;
  const [{ id }] = await channelsOf(ana);
  const answer = { isDelivered: false, error: 'Apprise knows none of the URLs' };
  expect(await tested(ana, id)).toMatchObject(answer);
  apprise.manner = 'once'; // what is closed meanwhile would lose it
  for (const time of ['08:00', '08:01']) await at(`2026-11-22T${time}:00Z`);
  expect(await channelsOf(ana)).toMatchObject([{ state: 'WORKING', lastError: null }]);
});

it('Receivers that hang leave room for others, however many wait for them', async () => {
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

it('While they are held back, reminders move on and ring nobody, and what waits is not sent', async () => {
  const { clock, ring, ntfy, database } = await ringsNow(
    'title: "Swim", reminders: [{ at: "08:00" }, { at: "08:01" }]',
  );
  ntfy.manner = 500;
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

  it('of a zone that the database does not know any more is no failure, and rings nobody else late', async () => {
    const { newUser, at, clock, database } = await ringing();
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const [ana, ben] = [await newUser(), await newUser()];
    for (const [title, user] of Object.entries({ ana, ben })) {
      await addsNtfy(user, title);
      await makes(user, `title: "${title}", ${EIGHT}`);
    }
    const query = database.query();
    await sql`update user_progress set time_zone = 'Mars/Olympus' where user_id = ${ben.id}`.execute(query);
    expect(await at('2026-11-22T08:00:00Z')).toEqual([['ana', OPEN]]);
    const other = await world({ database, clock, config: configOf({ PUBLIC_URL }), log });
    await other.reminders.job.run();
    const { rows } = await sql`select next_at from reminders`.execute(query);
    const next_at = new Date('2026-11-23T08:00:00Z');
    expect([rows, lines]).toEqual([[{ next_at }, { next_at }], []]);
    await sets(ben, 'timeZone: "UTC"');
    expect((await at('2026-11-23T08:00:00Z')).map(([title]) => title).sort()).toEqual(['ana', 'ben']);
  });
});

it('A stop leaves what is due to the next process', async () => {
  const { clock, reminders, ntfy, database, ring } = await ringsNow();
  reminders.job.stop();
  await ring();
  expect(ntfy.taken).toEqual([]);
  const other = await world({ database, clock, config: configOf({ NTFY_URL: ntfy.url, PUBLIC_URL }) });
  await other.reminders.job.run();
  await other.reminders.sender.run();
  expect(ntfy.taken).toHaveLength(1);
});

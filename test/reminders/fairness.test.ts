import { sql } from 'kysely';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asRequest } from '../../src/base/request.js';
import { topics } from '../../src/features/history/topics.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { world } from '../support/world.js';
import { addCrowd, addsNtfy, EIGHT, makes, PUBLIC_URL, reminded, ringing, withReceivers } from './ringing.js';

const AT_EIGHT = '2026-11-22T08:00:00Z';

describe('Apprise URLs that hang', () => {
  it('of ten accounts with twenty channels each keep nobody else waiting', async () => {
    const { ana, add, apprise, clock, reminders, database } = await withReceivers();
    await addCrowd(database, { users: 10, channels: 20, kind: 'APPRISE', ringsAt: AT_EIGHT });
    await add({ name: 'Chat', apprise: { urls: 'tgram://ana/1' } });
    await makes(ana, 'title: "Floss", reminders: [{ at: "08:01" }]');
    apprise.hangsAt = ({ body }) => body.urls.startsWith('crowd');
    const taken = (start: string) => apprise.taken.filter(({ body }) => body.urls.startsWith(start)).length;
    /** How often each account was at it. A channel is called `crowd-ACCOUNT-CHANNEL`. */
    const ofEach = () => Array.from({ length: 10 }, (_, i) => taken(`crowd-${i + 1}-`));
    clock.set(AT_EIGHT);
    await reminders.job.run();
    const working = reminders.sender.run();
    await eventually(() => ofEach().every((count) => count > 0));
    clock.set('2026-11-22T08:01:00Z');
    await reminders.job.run();
    reminders.sender.run();
    await eventually(() => taken('tgram') === 1);
    expect(Math.max(...ofEach())).toBeLessThanOrEqual(2); // of an account at a time, which rests after they have hung
    await Promise.all([reminders.sender.stop(), apprise.stop()]);
    await working;
  });

  it('wait longer than the other channels of their user', async () => {
    const { ana, add, apprise, clock, ring } = await withReceivers();
    const ats = ['08:00', '08:01', '08:05'].map((at) => `{ at: "${at}" }`);
    await makes(ana, `title: "Swim", reminders: [${ats}]`);
    const takenAt = async (time: string) => {
      clock.set(`2026-11-22T${time}:00Z`);
      await ring();
      return apprise.taken.splice(0).map(({ body }) => body.urls);
    };
    await add({ name: 'Chat', apprise: { urls: 'bad://x' } });
    const steady = vi.spyOn(performance, 'now');
    onTestFinished(() => steady.mockRestore());
    apprise.manner = 500;
    apprise.meanwhile = () => steady.mockReturnValue(performance.now() + 5_001);
    expect(await takenAt('08:00')).toEqual(['bad://x']);
    steady.mockRestore();
    apprise.manner = 200;
    await add({ name: 'Chat', apprise: { urls: 'good://x' } });
    expect(await takenAt('08:01')).toEqual(['good://x']);
    expect((await takenAt('08:05')).sort()).toEqual(['bad://x', 'bad://x', 'good://x']);
  });
});

describe('A reminder that cannot ring', () => {
  it('is put off by a day, and all others ring', async () => {
    const { database, ring, clock, heard } = await ringing();
    await addCrowd(database, { users: 12, channels: 1, kind: 'NTFY', ringsAt: AT_EIGHT });
    const query = database.query();
    await sql`
      update reminders set weekdays = 0
      where id in (select id from reminders order by user_id offset 7 limit 1)`.execute(query);
    clock.set(AT_EIGHT);
    await ring();
    expect(heard()).toHaveLength(11);
    const { rows } = await sql`select next_at from reminders where weekdays = 0`.execute(query);
    expect(rows).toEqual([{ next_at: new Date('2026-11-23T08:00:00Z') }]);
  });

  it('and is at fault only for a while, is due again in a minute', async () => {
    const { database, clock, reminders } = await ringing();
    await addCrowd(database, { users: 5, channels: 1, kind: 'NTFY', ringsAt: AT_EIGHT });
    clock.set(AT_EIGHT);
    const query = database.query();
    await sql`
      create function fail() returns trigger language plpgsql as $$
        begin raise exception using errcode = '55P03', message = 'locked'; end $$`.execute(query);
    await sql`
      create trigger fail before update on reminders for each row
      when (old.user_id = '00000000-0000-4000-8000-000000000003') execute function fail()`.execute(query);
    const due = async () => {
      await reminders.job.run();
      return (await sql`select from reminders where next_at <= ${clock.now()}`.execute(query)).rows.length;
    };
    expect(await due()).toBe(1);
    await sql`drop trigger fail on reminders`.execute(query);
    expect(await due()).toBe(0);
  });
});

describe('What is shown', () => {
  const cleared = (here: Pick<Awaited<ReturnType<typeof ringing>>, 'ntfy'>, topic: string) =>
    here.ntfy.taken.filter(({ method, path }) => method === 'PUT' && path.startsWith(`/${topic}/`)).length;

  it('is taken back and forgotten although the request that began it has no time left', async () => {
    const here = await reminded();
    const { ana, swim, clock, ring, ntfy, reminders, database } = here;
    clock.set(AT_EIGHT);
    await ring();
    ntfy.manner = 503;
    await ana.completes({ id: swim });
    await reminders.dismissals.settled();
    ntfy.manner = 200;
    asRequest(0, () => topics.daysChanged.publish(ana.id));
    const shown = sql`select from shown_messages`;
    await eventually(async () => (await shown.execute(database.query())).rows.length === 0);
    expect(cleared(here, 'ana')).toBe(2);
  });

  it('to somebody with very many keeps nobody else waiting, is bounded, and fails in one line', async () => {
    const here = await reminded();
    const { ana, swim, ntfy, clock, database, newUser, ring } = here;
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const config = configOf({ NTFY_URL: ntfy.url, PUBLIC_URL });
    const other = await world({ database, clock, config, log });
    await here.reminders.dismissals.stop();
    const ben = await newUser();
    await addsNtfy(ben, 'ben');
    const floss = await makes(ben, `title: "Floss", ${EIGHT}`);
    await sql`
      insert into shown_messages (id, user_id, channel_id, rings_at, task_ids)
      select gen_random_uuid(), user_id, id, ${AT_EIGHT}::timestamptz - i * interval '1 second',
        array[${swim}::bigint]
      from channels, generate_series(1, 300) as i where user_id = ${ana.id}`.execute(database.query());
    clock.set(AT_EIGHT);
    await ring();
    const shown = sql`select from shown_messages where user_id = ${ana.id}`;
    expect((await shown.execute(database.query())).rows).toHaveLength(100);
    const held = Promise.withResolvers<void>();
    ntfy.meanwhile = () => held.promise;
    await ana.completes({ id: swim });
    const settled = other.reminders.dismissals.settled();
    await eventually(() => cleared(here, 'ana') === 1);
    await ben.completes({ id: Number(floss) });
    await eventually(() => cleared(here, 'ben') === 1);
    ntfy.manner = 503;
    held.resolve();
    await settled;
    expect(cleared(here, 'ana')).toBe(1);
    expect(lines.filter((line) => line.includes('could not be dismissed'))).toHaveLength(1);
  });
});

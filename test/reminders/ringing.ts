import { sql } from 'kysely';
import type { Database } from '../../src/database/database.js';
import { configOf, ownDatabase } from '../support/database.js';
import { people } from '../support/people.js';
import { PushService, Receiver } from '../support/receivers.js';
import { TestClock, type TestUser, world } from '../support/world.js';

export const PUBLIC_URL = 'https://habits.example.com';

/** The text of a habit that has neither an amount nor a run. */
export const OPEN = 'Not done yet today.';

/** A service with an ntfy receiver, whose clock is set and which rings when it is asked to. */
export async function ringing(settings: Record<string, string> = {}) {
  const ntfy = await new Receiver().start();
  const database = await ownDatabase();
  const clock = new TestClock();
  const config = configOf({ NTFY_URL: ntfy.url, PUBLIC_URL, ...settings });
  const here = await world({ database, clock, config });
  const { reminders } = here;
  const ring = async () => {
    await reminders.job.run();
    await reminders.sender.run();
  };
  /** What was sent since the last time, without what was taken back. */
  const heard = () => ntfy.taken.splice(0).filter(({ method }) => method === 'POST');
  const at = async (iso: string) => {
    clock.set(iso);
    await ring();
    return heard().map(({ body }) => [body.title, body.message]);
  };
  return { ...here, ntfy, clock, ring, heard, at, reminders };
}

interface Crowd {
  users: number;
  /** Of each of them. */
  channels: number;
  kind: 'NTFY' | 'APPRISE';
  ringsAt: string;
}

/** Users of a database that has no others, each with one habit, one reminder for each day, and channels. */
export async function addCrowd(database: Database, { users, channels, kind, ringsAt }: Crowd): Promise<void> {
  const at = new Date(ringsAt);
  await sql`
    ${sql.raw(people(users, 'crowd.example.com'))}, habits as (
      insert into tasks (user_id, title, points, is_daily_routine, completion_count, created_at, updated_at)
      select id, 'Swim', 10, false, 0, ${at}::timestamptz - interval '1 day', ${at}::timestamptz from numbers
      returning id, user_id
    ), asked as (
      insert into reminders (id, user_id, task_id, minute, weekdays, next_at)
      select gen_random_uuid(), user_id, id, ${at.getUTCHours() * 60 + at.getUTCMinutes()}, 127, ${at}::timestamptz
      from habits
    )
    insert into channels (id, user_id, kind, name, host, address, state, created_at)
    select gen_random_uuid(), id, ${kind}, 'It', ${kind.toLowerCase()}, 'crowd-' || i || '-' || channel, 'WORKING',
      ${at}::timestamptz
    from numbers, generate_series(1, ${channels}::int) as channel`.execute(database.query());
}

export const ADD = `mutation ($input: AddChannelInput!) {
  addChannel(input: $input) { channel { id kind name state lastSentAt lastError } user { channels { id } } }
}`;

export async function addsNtfy(ana: TestUser, topic = 'ana') {
  return (await ana.query(ADD, { input: { name: 'Phone', receiver: { ntfy: { topic } } } })).addChannel
    .channel;
}

const TEST = `mutation ($id: ID!) {
  testChannel(id: $id) { isDelivered error channel { state lastSentAt lastError } }
}`;

export const tested = async (ana: TestUser, id: string) => (await ana.query(TEST, { id })).testChannel;

export const channelsOf = async (ana: TestUser) =>
  (await ana.query('{ me { channels { id kind name state lastSentAt lastError } } }')).me.channels;

type Channel = { name: string } & Partial<Record<'push' | 'ntfy' | 'apprise', object>>;

/** With a push service of the tests' own and an Apprise receiver. */
export async function withReceivers() {
  const push = await PushService.start();
  const apprise = await new Receiver().start();
  const here = await ringing({ PUSH_HOSTS: new URL(push.url).host, APPRISE_URL: apprise.url });
  const ana = await here.newUser();
  const add = async ({ name, ...receiver }: Channel) => {
    here.clock.advance({ ms: 1 });
    return (await ana.query(ADD, { input: { name, receiver } })).addChannel.channel;
  };
  return { ...here, push, apprise, ana, add };
}

export async function makes(ana: TestUser, input: string): Promise<string> {
  const { createTask } = await ana.query(`mutation { createTask(input: { ${input} }) { task { id } } }`);
  return createTask.task.id;
}

export const EIGHT = 'reminders: [{ at: "08:00" }]';

/** One user with a topic at ntfy and one habit, which rings at eight unless `input` says otherwise. */
export async function reminded(input = `title: "Swim", ${EIGHT}`) {
  const here = await ringing();
  const ana = await here.newUser();
  await addsNtfy(ana);
  return { ...here, ana, swim: Number(await makes(ana, input)) };
}

export const sets = (ana: TestUser, input: string) =>
  ana.query(`mutation { updateProfile(input: { ${input} }) { user { id } } }`);

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/features/account/secret.js';
import { insertLink, type LinkTables } from '../../src/features/sign-in/account-link.queries.js';
import { webhookHosts } from '../../src/features/webhooks/address.js';
import { type Besieged, besieged } from '../support/besieged.js';
import { eventually } from '../support/eventually.js';
import { holding, lockWaits, untilSomeoneWaits } from '../support/locks.js';
import { Browser } from '../support/receivers.js';
import { RestClient, type TestUser, world } from '../support/world.js';

/** A service of two processes on one database, by whichever of them the thief and the owner are served. */
async function twoProcesses() {
  const here = await besieged({ ntfyUrl: 'http://127.0.0.1:9', webhookHosts: webhookHosts('127.0.0.0/8') });
  const other = await world({ database: here.database, config: here.config });
  return { here, bases: [here.base, other.base] as const };
}

const ADDS = {
  channel:
    'mutation { addChannel(input: { name: "Eve", receiver: { ntfy: { topic: "eve" } } }) { channel { id } } }',
  link: 'mutation ($id: ID!) { createCheckInLink(taskId: $id, name: "Eve") { url } }',
  calendar: 'mutation { createCalendarFeed(input: { name: "Eve" }) { url } }',
  webhook: 'mutation { createWebhook(input: { name: "Eve", url: "http://127.0.0.1:9" }) { secret } }',
  token: 'mutation { createApiToken(input: { name: "Eve", scopes: [READ] }) { token } }',
};

type Added = keyof typeof ADDS;

const kinds = Object.keys(ADDS) as Added[];

const BACK = {
  RESET: 'mutation ($token: String!) { resetPassword(token: $token, newPassword: "secret9") { email } }',
  UNDO_EMAIL: 'mutation ($token: String!) { undoEmailChange(token: $token) { email } }',
};

type Way = keyof typeof BACK;

const ways = Object.keys(BACK) as Way[];

/** Of ten races each: with both ways two hundred, by itself. */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 10);

const meetings = [
  ['RESET', 'channel'],
  ['UNDO_EMAIL', 'link'],
  ['RESET', 'calendar'],
  ['UNDO_EMAIL', 'webhook'],
] as const;

const TABLES = {
  ...{ channel: 'channels', link: 'check_in_links', calendar: 'calendar_feeds', webhook: 'webhooks' },
};

/** Somebody whose account another one is in, with a link that leads back to it. */
async function robbed({ database, newPerson, clock }: Besieged, way: Way) {
  const ana = await newPerson();
  const { id: taskId } = await ana.hasTask();
  const secret = randomUUID();
  const link = { userId: ana.id, purpose: way, digest: digestOf(secret), email: ana.account.email };
  const [createdAt, expiresAt] = [clock.now(), new Date(clock.now().getTime() + 3_600_000)];
  await insertLink(database.query<LinkTables>(), { ...link, createdAt, expiresAt });
  const owner = (base: string) => new RestClient(base).ask(BACK[way], { token: secret });
  const thief = (base: string, added: Added) =>
    new RestClient(base, ana.token).ask(ADDS[added], { id: String(taskId) });
  return { ana, owner, thief };
}

async function leftIn({ database }: Besieged, users: readonly TestUser[]): Promise<object> {
  const ids = users.map(({ id }) => id);
  const { rows } = await sql<object>`
    select (select count(*)::int from channels where user_id = any(${ids}::uuid[])) as channels,
      (select count(*)::int from check_in_links where user_id = any(${ids}::uuid[])) as links,
      (select count(*)::int from calendar_feeds where user_id = any(${ids}::uuid[])) as calendars,
      (select count(*)::int from webhooks where user_id = any(${ids}::uuid[])) as webhooks,
      (select count(*)::int from api_tokens where user_id = any(${ids}::uuid[])) as tokens`.execute(
    database.query(),
  );
  return rows[0] ?? {};
}

/** Until it is answered, or that many wait for locks. */
async function untilDoneOrWaiting({ database }: Besieged, answer: Promise<unknown>, count: number) {
  let isDone = false;
  void answer.then(() => {
    isDone = true;
  });
  await eventually(async () => isDone || (await lockWaits(database.query())) >= count);
}

const NOTHING = { channels: 0, links: 0, calendars: 0, webhooks: 0, tokens: 0 };

describe('What a thief has under way while the owner is on the way back', () => {
  it.each(meetings)('goes, if it was first: by %s, a %s', async (way, added) => {
    const { here, bases } = await twoProcesses();
    const { ana, owner, thief } = await robbed(here, way);
    const release = await holding(here.database, sql`select from user_progress for no key update`);
    const adding = thief(bases[1], added);
    await untilSomeoneWaits(here.database); // it is past the check of its token
    const back = owner(bases[0]);
    await untilDoneOrWaiting(here, back, 2);
    await release();
    await adding;
    expect((await back).errors).toBeUndefined();
    expect(await leftIn(here, [ana])).toEqual(NOTHING);
  });

  it.each(meetings)('is refused, if the owner was first: by %s, a %s', async (way, added) => {
    const { here, bases } = await twoProcesses();
    const { ana, owner, thief } = await robbed(here, way);
    await thief(bases[1], added);
    const rows = sql.table(TABLES[added]);
    const release = await holding(here.database, sql`select from ${rows} for update`);
    const back = owner(bases[0]);
    await untilSomeoneWaits(here.database); // to delete what is there
    const adding = thief(bases[1], added);
    await untilDoneOrWaiting(here, adding, 2);
    await release();
    expect((await back).errors).toBeUndefined();
    expect((await adding).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(await leftIn(here, [ana])).toEqual(NOTHING);
  });

  it.each(ways)('is gone after races on two processes, by %s', async (way) => {
    const { here, bases } = await twoProcesses();
    const all: TestUser[] = [];
    const races = async (each: Awaited<ReturnType<typeof robbed>>, place: number) => {
      all.push(each.ana);
      const [near, far] = place % 2 === 0 ? bases : ([bases[1], bases[0]] as const);
      const requests = [near, far].flatMap((base) => kinds.map((added) => () => each.thief(base, added)));
      const placeOfOwner = place % (requests.length + 1);
      requests.splice(placeOfOwner, 0, () => each.owner(near));
      const answers = await Promise.all(requests.map((send) => send()));
      expect(answers[placeOfOwner].errors).toBeUndefined();
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const victims = await Promise.all(Array.from({ length: 10 }, () => robbed(here, way)));
      await Promise.all(victims.map(races));
    }
    expect(await leftIn(here, all)).toEqual(NOTHING);
  });
});

describe('A webhook that is older than the thief', () => {
  it('goes if they have led it to themselves, and stays if it leads where it did', async () => {
    const { here } = await twoProcesses();
    const { ana, owner } = await robbed(here, 'UNDO_EMAIL');
    const add = async (name: string) => {
      const input = { name, url: `http://127.0.0.1:9/${name}` };
      const create =
        'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }';
      return (await ana.query(create, { input })).createWebhook.webhook.id;
    };
    const [moved, renamed] = [await add('moved'), await add('renamed')];
    await sql`update webhooks set created_at = created_at - interval '4 days'`.execute(here.database.query());
    const change =
      'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }';
    await ana.query(change, { input: { id: moved, url: 'http://127.0.0.1:9/eve' } });
    await ana.query(change, { input: { id: renamed, name: 'Eve', url: 'http://127.0.0.1:9/renamed' } });
    expect((await owner(here.base)).errors).toBeUndefined();
    const left = sql`select id from webhooks where user_id = ${ana.id}`;
    expect((await left.execute(here.database.query())).rows).toEqual([{ id: renamed }]);
  });

  it.each(ways)('is led nowhere else by a session that has ended meanwhile, by %s', async (way) => {
    const { here, bases } = await twoProcesses();
    const { ana, owner } = await robbed(here, way);
    const { createWebhook } = await ana.query(
      'mutation { createWebhook(input: { name: "Mine", url: "http://127.0.0.1:9" }) { webhook { id } } }',
    );
    const { id } = createWebhook.webhook;
    const release = await holding(here.database, sql`select from webhooks for update`);
    const back = owner(bases[0]);
    await untilSomeoneWaits(here.database);
    const change = `mutation { updateWebhook(input: { id: "${id}", url: "http://127.0.0.1:9/eve" }) { webhook { id } } }`;
    const changing = new RestClient(bases[1], ana.token).ask(change);
    await untilDoneOrWaiting(here, changing, 2);
    await release();
    expect((await back).errors).toBeUndefined();
    expect((await changing).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });
});

describe('While an owner is on the way back', () => {
  it('a thief who knows the password deletes nothing any more', async () => {
    const { here, bases } = await twoProcesses();
    const { ana, owner, thief } = await robbed(here, 'UNDO_EMAIL');
    await thief(bases[1], 'channel');
    const release = await holding(here.database, sql`select from channels for update`);
    const back = owner(bases[0]);
    await untilSomeoneWaits(here.database);
    const deletion = new RestClient(bases[1], ana.token).ask(
      'mutation ($password: String!) { deleteMyAccount(password: $password) { deletedId } }',
      { password: ana.account.password },
    );
    await untilDoneOrWaiting(here, deletion, 2); // its password was good
    await release();
    expect((await back).errors).toBeUndefined();
    expect((await deletion).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    const { rows } = await sql`select from users where id = ${ana.id}`.execute(here.database.query());
    expect(rows).toHaveLength(1);
  });
});

describe('While somebody signs out everywhere', () => {
  it('a browser that subscribes is forgotten as well', async () => {
    const { here, bases } = await twoProcesses();
    const ana = await here.newPerson();
    const { token } = (await here.rest.post('/api/auth/login', ana.account)).body;
    const release = await holding(here.database, sql`select from user_progress for no key update`);
    const receiver = { push: new Browser('https://fcm.googleapis.com').input };
    const input = { name: 'Laptop', receiver };
    const add = 'mutation ($input: AddChannelInput!) { addChannel(input: $input) { channel { id } } }';
    const adding = new RestClient(bases[1], token).ask(add, { input });
    await untilSomeoneWaits(here.database);
    const ending = new RestClient(bases[0], ana.token).ask('mutation { signOutEverywhere { token } }');
    await untilDoneOrWaiting(here, ending, 2);
    await release();
    expect((await adding).errors).toBeUndefined();
    expect((await ending).errors).toBeUndefined();
    expect(await leftIn(here, [ana])).toEqual(NOTHING);
  });
});

describe('An address that was changed twice', () => {
  it('goes back to its owner for good, though the second process is behind by its clock', async () => {
    const here = await besieged();
    const other = await world({ database: here.database, config: here.config });
    other.clock.advance({ seconds: -5 });
    const ana = await here.newPerson();
    await here.confirms(ana);
    const emails = [1, 2].map(() => `${randomUUID()}@example.com`);
    for (const [email, { base }] of [
      [emails[0], here],
      [emails[1], other],
    ] as const) {
      await new RestClient(base, ana.token).put('/api/user/profile', { email });
      const token = await here.catcher.secretFor(email ?? '', 'confirm');
      await here.asStranger('confirmEmail', { token });
    }
    const undoes = async (address: string) => {
      const token = await here.catcher.secretFor(address, 'undo-email', 2);
      return here.asStranger('undoEmailChange', { token });
    };
    expect((await undoes(ana.account.email)).data.undoEmailChange).toEqual({ email: ana.account.email });
    expect((await undoes(emails[0] ?? '')).errors).toMatchObject([
      { extensions: { reason: 'LINK_INVALID' } },
    ]);
  });
});

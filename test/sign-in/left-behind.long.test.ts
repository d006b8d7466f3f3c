import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/features/account/secret.js';
import { insertLink, type LinkTables } from '../../src/features/sign-in/account-link.queries.js';
import { webhookHosts } from '../../src/features/webhooks/address.js';
import { type Besieged, besieged } from '../support/besieged.js';
import { eventually } from '../support/eventually.js';
import type { Result } from '../support/live.js';
import { holding, lockWaits, untilSomeoneWaits } from '../support/locks.js';
import { Browser } from '../support/receivers.js';
import { RestClient, type TestUser, world } from '../support/world.js';

/** A service of two processes on one database, by whichever of them the thief and the owner are served. */
async function twoProcesses() {
  const here = await besieged({ ntfyUrl: 'http://127.0.0.1:9', webhookHosts: webhookHosts('127.0.0.0/8') });
  const other = await world({ database: here.database, config: here.config });
  return { here, other, bases: [here.base, other.base] as const };
}

/** What a thief adds, and the table that has it. */
const ADDS = {
  channel: [
    'channels',
    'addChannel(input: { name: "Eve", receiver: { ntfy: { topic: "eve" } } }) { channel { id } }',
  ],
  link: ['check_in_links', 'createCheckInLink(taskId: $id, name: "Eve") { url }'],
  calendar: ['calendar_feeds', 'createCalendarFeed(input: { name: "Eve" }) { url }'],
  webhook: ['webhooks', 'createWebhook(input: { name: "Eve", url: "http://127.0.0.1:9" }) { secret }'],
  token: ['api_tokens', 'createApiToken(input: { name: "Eve", scopes: [READ] }) { token }'],
} as const;

const BACK = {
  RESET: 'mutation ($token: String!) { resetPassword(token: $token, newPassword: "secret9") { email } }',
  UNDO_EMAIL: 'mutation ($token: String!) { undoEmailChange(token: $token) { email } }',
};

/** Somebody whose account another one is in, with a link that leads back to it. */
async function robbed({ database, newPerson, clock }: Besieged, way: keyof typeof BACK) {
  const ana = await newPerson();
  const { id: taskId } = await ana.hasTask();
  const secret = randomUUID();
  const link = { userId: ana.id, purpose: way, digest: digestOf(secret), email: ana.account.email };
  const [createdAt, expiresAt] = [clock.now(), new Date(clock.now().getTime() + 3_600_000)];
  await insertLink(database.query<LinkTables>(), { ...link, createdAt, expiresAt });
  const owner = (base: string) => new RestClient(base).ask(BACK[way], { token: secret });
  const thief = (base: string, field: string) => {
    const declared = field.includes('$id') ? '($id: ID!)' : '';
    return new RestClient(base, ana.token).ask(`mutation ${declared} { ${field} }`, { id: String(taskId) });
  };
  return { ana, owner, thief };
}

/** How many rows there are of what a thief adds. */
async function leftIn({ database }: Besieged, ...users: TestUser[]): Promise<number> {
  const ids = users.map(({ id }) => id);
  const found = await Promise.all(
    Object.values(ADDS).map(([table]) =>
      sql`select from ${sql.table(table)} where user_id = any(${ids}::uuid[])`.execute(database.query()),
    ),
  );
  return found.reduce((sum, { rows }) => sum + rows.length, 0);
}

type Request = () => Promise<Result>;

/** The answers to two requests, of which the first waits for a lock when the second comes. */
async function inTurn({ database }: Besieged, locked: RawBuilder<unknown>, first: Request, second: Request) {
  const release = await holding(database, locked);
  const one = first();
  await untilSomeoneWaits(database);
  let isDone = false;
  const other = second().finally(() => {
    isDone = true;
  });
  await eventually(async () => isDone || (await lockWaits(database.query())) >= 2);
  await release();
  return [await one, await other] as const;
}

const COUNTERS = sql`select from user_progress for no key update`;

const REFUSED = [{ extensions: { code: 'UNAUTHENTICATED' } }];

describe('What a thief has under way while the owner is on the way back', () => {
  it.each([
    ['RESET', 'channel'],
    ['UNDO_EMAIL', 'link'],
    ['RESET', 'calendar'],
    ['UNDO_EMAIL', 'webhook'],
    ['RESET', 'token'],
  ] as const)('goes, if it was first, and is refused, if the owner was: by %s, a %s', async (way, added) => {
    const { here, bases } = await twoProcesses();
    const [table, field] = ADDS[added];
    const [first, second] = [await robbed(here, way), await robbed(here, way)];
    const adds = (person: typeof first) => () => person.thief(bases[1], field);
    const back = (person: typeof first) => () => person.owner(bases[0]);
    const [, answer] = await inTurn(here, COUNTERS, adds(first), back(first));
    expect(answer.errors).toBeUndefined();
    await adds(second)();
    const rows = sql`select from ${sql.table(table)} for update`; // which the owner deletes
    const [owner, thief] = await inTurn(here, rows, back(second), adds(second));
    expect(owner.errors).toBeUndefined();
    expect(thief.errors).toMatchObject(REFUSED);
    expect(await leftIn(here, first.ana, second.ana)).toBe(0);
  });

  it('leads no webhook elsewhere, and deletes no account, by a session that has ended meanwhile', async () => {
    const { here, bases } = await twoProcesses();
    for (const change of [
      'updateWebhook(input: { id: "$webhook", url: "http://127.0.0.1:9/eve" }) { webhook { id } }',
      'deleteMyAccount(password: "secret1") { deletedId }',
    ]) {
      const { ana, owner, thief } = await robbed(here, 'UNDO_EMAIL');
      const create = 'createWebhook(input: { name: "Mine", url: "http://127.0.0.1:9" }) { webhook { id } }';
      const { id } = (await ana.query(`mutation { ${create} }`)).createWebhook.webhook;
      const [back, answer] = await inTurn(
        here,
        sql`select from webhooks for update`,
        () => owner(bases[0]),
        () => thief(bases[1], change.replace('$webhook', id)),
      );
      expect(back.errors).toBeUndefined();
      expect(answer.errors).toMatchObject(REFUSED);
      const { rows } = await sql`select from users where id = ${ana.id}`.execute(here.database.query());
      expect(rows).toHaveLength(1);
    }
  });
});

it('A webhook that is older than the thief goes if they have led it to themselves, and stays if it leads where it did', async () => {
  const { here } = await twoProcesses();
  const { ana, owner } = await robbed(here, 'UNDO_EMAIL');
  const add = async (name: string) => {
    const create = `createWebhook(input: { name: "${name}", url: "http://127.0.0.1:9/${name}" }) { webhook { id } }`;
    return (await ana.query(`mutation { ${create} }`)).createWebhook.webhook.id;
  };
  const [moved, renamed] = [await add('moved'), await add('renamed')];
  await sql`update webhooks set created_at = created_at - interval '4 days'`.execute(here.database.query());
  const change = 'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { id } } }';
  await ana.query(change, { input: { id: moved, url: 'http://127.0.0.1:9/eve' } });
  await ana.query(change, { input: { id: renamed, name: 'Eve', url: 'http://127.0.0.1:9/renamed' } });
  expect((await owner(here.base)).errors).toBeUndefined();
  const left = sql`select id from webhooks where user_id = ${ana.id}`;
  expect((await left.execute(here.database.query())).rows).toEqual([{ id: renamed }]);
});

it('While somebody signs out everywhere, a browser that subscribes is forgotten as well', async () => {
  const { here, bases } = await twoProcesses();
  const ana = await here.newPerson();
  const { token } = (await here.rest.post('/api/auth/login', ana.account)).body;
  const input = { name: 'Laptop', receiver: { push: new Browser('https://fcm.googleapis.com').input } };
  const add = 'mutation ($input: AddChannelInput!) { addChannel(input: $input) { channel { id } } }';
  const answers = await inTurn(
    here,
    COUNTERS,
    () => new RestClient(bases[1], token).ask(add, { input }),
    () => new RestClient(bases[0], ana.token).ask('mutation { signOutEverywhere { token } }'),
  );
  for (const { errors } of answers) expect(errors).toBeUndefined();
  expect(await leftIn(here, ana)).toBe(0);
});

it('An address that was changed twice goes back to its owner for good, though the second process is behind by its clock', async () => {
  const { here, other } = await twoProcesses();
  other.clock.advance({ seconds: -5 });
  const ana = await here.newPerson();
  await here.confirms(ana);
  const [one, two] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
  for (const [email, { base }] of [
    [one, here],
    [two, other],
  ] as const) {
    await new RestClient(base, ana.token).put('/api/user/profile', { email });
    await here.asStranger('confirmEmail', { token: await here.catcher.secretFor(email, 'confirm') });
  }
  const undoes = async (address: string) =>
    here.asStranger('undoEmailChange', { token: await here.catcher.secretFor(address, 'undo-email', 2) });
  expect((await undoes(ana.account.email)).data.undoEmailChange).toEqual({ email: ana.account.email });
  expect((await undoes(one)).errors).toMatchObject([{ extensions: { reason: 'LINK_INVALID' } }]);
});

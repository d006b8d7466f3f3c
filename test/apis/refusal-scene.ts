import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import type { Database } from '../../src/database/database.js';
import { configOf, freshDatabase, ownDatabase } from '../support/database.js';
import { withFeed } from '../support/feed.js';
import { type TestUser, type World, world } from '../support/world.js';

// For refusals.test.ts: the people and the services of whom refusals.ts asks.

const TOKEN = `mutation ($scopes: [ApiScope!]!) {
  createApiToken(input: { name: "Button", scopes: $scopes }) { token apiToken { id } }
}`;
const ARCHIVE = 'mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }';
const CALENDAR = 'mutation { createCalendarFeed(input: { name: "Hers" }) { calendar { id } } }';
const LINK = 'mutation ($id: ID!) { createCheckInLink(taskId: $id, name: "Fridge") { link { id } } }';

/** Creates a task by what an input of GraphQL has. */
async function makes(user: TestUser, input: string, key = ''): Promise<string> {
  const { createTask } = await user.query(
    `mutation { createTask(input: { title: "Swim" ${input} } ${key}) { task { id } } }`,
  );
  return createTask.task.id;
}

/** Ana has one of everything, and a completion of some days before. Ids are text, as in GraphQL. */
async function belongingsOf(ana: TestUser, { clock }: World) {
  await ana.query(
    'mutation { createWebhook(input: { url: "https://example.com", name: "Hook" }) { secret } }',
  );
  const [swim, other] = [await makes(ana, ''), await makes(ana, '')];
  const old = await ana.completes({ id: Number(swim) });
  clock.reset();
  const done = `mutation { completeTask(taskId: ${swim}, idempotencyKey: "tap", amount: 2) { isReplayed } }`;
  await ana.query(done);
  const undone: number = (await ana.completes({ id: Number(other) })).body.id;
  await ana.query(`mutation { undoCompletion(id: ${undone}) { completionId } }`);
  const edited = await makes(ana, '', ', idempotencyKey: "made"');
  await ana.rest.put(`/api/tasks/${edited}`, { title: 'Run' });
  const archived = await makes(ana, '');
  await ana.query(ARCHIVE, { id: archived });
  const coffee = await makes(ana, ', target: { amount: 2, unit: "cups", kind: AT_MOST }');
  await ana.completes({ id: Number(coffee) });
  const challenges: number[] = [];
  for (const ending of ['complete', 'abandon']) {
    const { id } = await ana.hasAccepted(challenges.length + 2);
    await ana.rest.put(`/api/user-challenges/${id}/${ending}`);
    challenges.push(id);
  }
  const active = await ana.hasAccepted(1);
  for (let link = 0; link < 10; link += 1) await ana.query(LINK, { id: swim });
  await ana.query(
    'mutation { createPause(input: { from: "2026-12-01", until: "2026-12-10" }) { pause { id } } }',
  );
  const { tasks, completions } = await ana.query(`{
    tasks(first: 1) { pageInfo { endCursor } } completions(first: 1, from: "2026-11-10") { pageInfo { endCursor } }
  }`);
  return {
    ...{ swim, other, archived, coffee },
    ...{ old: String(old.body.id), undone: String(undone), active: String(active.id) },
    completed: String(challenges[0]),
    abandoned: String(challenges[1]),
    far: await makes(ana, ', target: { amount: 20, unit: "km", per: WEEK }'),
    third: await makes(ana, ', schedule: { everyDays: 3 }'),
    linked: await makes(ana, ', challengeTemplateId: 1'),
    ofTasks: tasks.pageInfo.endCursor as string,
    ofDays: completions.pageInfo.endCursor as string,
  };
}

/** What is Bea's, and none of Ana's business. */
async function belongingsOfAnother(bea: TestUser) {
  const hers = await makes(bea, '');
  const done = await bea.completes({ id: Number(hers) });
  const { id } = await bea.hasAccepted(5);
  const { createPause: pause } = await bea.query(
    'mutation { createPause(input: { from: "2026-12-01" }) { pause { id } } }',
  );
  const { createCheckInLink } = await bea.query(LINK, { id: hers });
  const { createCalendarFeed } = await bea.query(CALENDAR);
  const { createApiToken } = await bea.query(TOKEN, { scopes: ['READ'] });
  return {
    ...{ hers, herEmail: bea.account.email, herChallenge: String(id), herDone: String(done.body.id) },
    ...{ herPause: pause.pause.id as string, herLink: createCheckInLink.link.id as string },
    herCalendar: createCalendarFeed.calendar.id as string,
    herToken: createApiToken.apiToken.id as string,
  };
}

/** Somebody who can log in at a provider only. */
async function withoutPassword({ newUser, database }: World) {
  const [user, identity] = [await newUser(), randomUUID()];
  await sql`update users set password_hash = null where id = ${user.id}`.execute(database.query());
  await sql`
    insert into identities (id, user_id, issuer, subject, connected_at)
    values (${identity}::uuid, ${user.id}::uuid, 'https://id.example.com', ${identity}, now())`.execute(
    database.query(),
  );
  return { user, identity };
}

/** Where any number of log-ins may fail. */
const patient = (environment: Record<string, string> = {}) => ({
  ...configOf(environment),
  loginAttemptsPerAccount: 1_000_000,
  loginAttemptsPerAddress: 1_000_000,
});

/** Services that can do less than the first one. */
async function servicesOn(database: Database) {
  const [broken, full, away] = [await ownDatabase(), await ownDatabase(), await freshDatabase(2)];
  await sql`drop table users cascade`.execute(broken.query());
  await sql`create function find_no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`.execute(full.query());
  await sql`
    create trigger full_disk before insert on login_attempts for each statement execute function find_no_room()`.execute(
    full.query(),
  );
  const passwords = new Passwords({ hashThreads: 1, hashCost: 4 });
  const services = {
    closed: await world({ database, config: configOf({ SIGN_UP: 'closed' }) }),
    strict: await world({ database, config: { ...configOf(), loginAttemptsPerAccount: 1 } }),
    busy: await world({ database, passwords, config: patient() }),
    broken: await world({ database: broken }),
    full: await world({ database: full }),
    away: await world({ database: away }),
  };
  await Promise.all([passwords.close(), away.close()]);
  return services;
}

export async function scene() {
  const database = await ownDatabase();
  const here = await world({
    database,
    config: patient({ NTFY_URL: 'http://127.0.0.1:9', WEBHOOK_HOSTS: '*' }),
  });
  const services = { here, ...(await servicesOn(database)) };
  here.clock.set('2026-11-10T12:00:00.000Z');
  const [ana, bea, gone] = [await withFeed(await here.newUser()), await here.newUser(), await here.newUser()];
  const lonely = await withoutPassword(here);
  const tokenFor = async (...scopes: string[]) => (await ana.query(TOKEN, { scopes })).createApiToken.token;
  await sql`delete from users where id = ${gone.id}`.execute(database.query());
  const suspended = await here.newUser();
  await sql`update users set suspended_at = now() where id = ${suspended.id}`.execute(database.query());
  const { email } = ana.account;
  await services.strict.rest.post('/api/auth/login', { email, password: 'wrong1' });
  const ids = {
    ...{ email, goneEmail: gone.account.email, suspendedEmail: suspended.account.email },
    ...{ identity: lonely.identity },
    ...(await belongingsOf(ana, here)),
    ...(await belongingsOfAnother(bea)),
  };
  const callers = {
    ...{ nobody: undefined, mute: '', forger: 'Bearer x', ana: `Bearer ${ana.token}` },
    ...{ gone: `Bearer ${gone.token}`, lonely: `Bearer ${lonely.user.token}` },
    reader: `Bearer ${await tokenFor('READ')}`,
    writer: `Bearer ${await tokenFor('PROFILE')}`,
  };
  /** Whatever a refusal could have changed. */
  const everything = async () => {
    const users = await sql`select id, email, password_hash from users order by id`.execute(database.query());
    const files = [await ana.rest.get('/account/export'), await bea.rest.get('/account/export')];
    expect(files.map(({ status }) => status)).toEqual([200, 200]);
    const lists = '{ apiTokens { id } me { points channels { id } } challenges { totalCount } }';
    return [users.rows, files.map(({ body }) => body), await ana.query(lists), await bea.query(lists)];
  };
  return { services, callers, ids, everything };
}

type Scene = Awaited<ReturnType<typeof scene>>;
export type Ids = Scene['ids'];
export type Caller = keyof Scene['callers'];
export type Service = keyof Scene['services'];

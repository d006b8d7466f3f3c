import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { ApiScope } from '../../src/base/scopes.js';
import { Callers } from '../../src/features/account/callers.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { accessOf } from '../../src/graphql/schema.js';
import { operationsIn } from '../support/api-document.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { type Asker, graphqlOperations, plainly, valuesFor } from '../support/operations.js';
import { statementsOf } from '../support/statements.js';
import { refusal, SECRET, TestUser, world, worldOf } from '../support/world.js';
import { closingOf } from './closing.js';

const ALL = Object.values(ApiScope);

const CREATE = `mutation ($input: CreateApiTokenInput!) {
  createApiToken(input: $input) { token apiToken { id name scopes ending createdAt expiresAt lastUsedAt } }
}`;
const REVOKE = 'mutation ($id: ID!) { deleteApiToken(id: $id) { deletedId } }';
const LIST = '{ apiTokens { id name scopes ending createdAt expiresAt lastUsedAt } }';

const notAuthenticated = refusal(401, 'User not authenticated');
const lacks = (scope: string) => `The API token lacks the scope ${scope}`;
const NEEDS_SESSION = 'An API token cannot do this: log in, and use the token of that session';
const extensions = { code: 'FORBIDDEN', reason: 'SCOPE_MISSING' };

/** A script with a token of the user's. */
async function scriptOf(user: TestUser, scopes: string[] = ALL, more: object = {}) {
  const { token, apiToken } = (await user.query(CREATE, { input: { name: 'Button', scopes, ...more } }))
    .createApiToken;
  return { apiToken, token: token as string, script: new TestUser(user.base, token, user.account) };
}

/** Scripts with one scope, and with all but that. */
async function ofEachScope(ana: TestUser) {
  const scripts = new Map<string, { having: TestUser; lacking: TestUser }>();
  for (const scope of ALL) {
    const lacking = (await scriptOf(ana, without(scope))).script;
    scripts.set(scope, { having: (await scriptOf(ana, [scope])).script, lacking });
  }
  return scripts.set('SESSION', { having: ana, lacking: (await scriptOf(ana)).script }); // that none has
}

const without = (scope: string) => ALL.filter((each) => each !== scope);

const errorsOf = async ({ rest }: TestUser, query: string, variables: object = {}) =>
  (await rest.ask(query, variables)).errors;

const isIn = async ({ rest }: TestUser) => (await rest.get('/api/tasks/me')).status === 200;

describe('An API token', () => {
  it('is shown once and stored as a digest', async () => {
    const { ana, database } = await worldOf('ana');
    const { token, apiToken } = await scriptOf(ana, ['COMPLETIONS', 'READ', 'READ']);
    expect(token).toMatch(/^steady_[0-9A-Za-z]{36}$/);
    expect(apiToken).toEqual({
      ...{ id: expect.any(String), name: 'Button', scopes: ['READ', 'COMPLETIONS'], ending: token.slice(-4) },
      ...{ createdAt: '2026-11-21T12:00:00.000Z', expiresAt: '2027-02-19T12:00:00.000Z', lastUsedAt: null },
    });
    expect(await ana.query(LIST)).toEqual({ apiTokens: [apiToken] });
    const stored = sql`select * from api_tokens where user_id = ${ana.id}`;
    const { rows } = await stored.execute(database.query());
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token.slice(7, 37));
  });

  it('ends when it says, which is never for null', async () => {
    const { ana, clock } = await worldOf('ana');
    const soon = await scriptOf(ana, ALL, { expiresAt: '2026-11-21T13:00:00.000Z' });
    const never = await scriptOf(ana, ALL, { expiresAt: null });
    expect([await isIn(soon.script), await isIn(never.script)]).toEqual([true, true]);
    await closingOf(never.script); // opens a WebSocket
    clock.advance({ hours: 1 });
    expect([await isIn(soon.script), await isIn(never.script)]).toEqual([false, true]);
  });

  it('is one of at most 50, however many are asked for at once', async () => {
    const { ana, database } = await worldOf('ana');
    await sql`
      insert into api_tokens (id, user_id, name, hash, scopes, ending, created_at)
      select gen_random_uuid(), ${ana.id}, 'Old', gen_random_uuid()::text, 'READ', 'abcd', now()
      from generate_series(1, 48)`.execute(database.query());
    const input = { name: 'Button', scopes: ['READ'] };
    const asked = await Promise.all([1, 2, 3, 4].map(() => errorsOf(ana, CREATE, { input })));
    const refused = asked.filter((errors) => errors !== undefined);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject([{ message: 'You can have at most 50 API tokens' }]);
    expect((await ana.query(LIST)).apiTokens).toHaveLength(50);
  });

  it('says when it was last used, written at most once a minute', async () => {
    const { ana, database, clock } = await worldOf('ana');
    const { token } = await scriptOf(ana);
    /** By a process that ends at once. */
    const usedAfter = async (seconds: number) => {
      clock.advance({ seconds });
      const callers = new Callers(database, clock, new Tokens(SECRET, clock), 60_000);
      await callers.identify(`Bearer ${token}`);
      await callers.stop();
      return (await ana.query(LIST)).apiTokens[0].lastUsedAt;
    };
    expect(await usedAfter(0)).toBe('2026-11-21T12:00:00.000Z');
    expect(await usedAfter(59)).toBe('2026-11-21T12:00:00.000Z');
    expect(await usedAfter(1)).toBe('2026-11-21T12:01:00.000Z');
  });

  it('takes no statement once it is known, nor does a text that cannot be one', async () => {
    const { ana, ...here } = await worldOf('ana');
    const { token, script } = await scriptOf(ana);
    await ana.hasTask();
    await isIn(script);
    const list = (user: TestUser) => statementsOf(here, () => user.rest.get('/api/tasks/me'));
    expect(await list(script)).toEqual(await list(ana));
    const mistyped = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    for (const wrong of [mistyped, 'steady_', `${token}0`]) {
      const asked = new TestUser(here.base, wrong, ana.account);
      expect(await list(asked)).toEqual([]);
      expect(await asked.rest.get('/api/tasks/me')).toEqual(notAuthenticated);
    }
  });

  it('that is revoked is known here before that is answered, elsewhere soon, and its connections end', async () => {
    const here = await world();
    const there = await world({ database: here.database });
    const ana = await here.newUser();
    const { token, script, apiToken } = await scriptOf(ana);
    const { script: other } = await scriptOf(ana);
    const { id } = apiToken;
    expect((await there.rest.as(token).get('/api/tasks/me')).status).toBe(200);
    const stream = await streamOf(script, PROGRESS);
    const socket = await closingOf(script);
    expect(await ana.query(REVOKE, { id })).toEqual({ deleteApiToken: { deletedId: id } });
    expect(await script.rest.get('/api/tasks/me')).toEqual(notAuthenticated);
    expect(await isIn(other)).toBe(true);
    expect((await stream.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    await eventually(async () => (await there.rest.as(token).get('/api/tasks/me')).status === 401);
    await eventually(() => socket.code === 4401);
    expect(await errorsOf(ana, REVOKE, { id })).toMatchObject([{ message: 'API token not found' }]);
  });
});

const schema = declaredSchema();
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

const nobody: Asker = { idOf: () => 0, email: () => 'bea@example.com' };

/** Every root field, asked plainly, of rows for what is not there, and for no more than an id. */
const requests = new Map<string, { query: string; variables: object }>(
  graphqlOperations(schema)
    .filter(({ name }) => !name.startsWith('Subscription'))
    .map(({ name, places, request }) => {
      const barely = <T>(options: readonly T[]) => options.at(-1) as T;
      const { body = '' } = request(valuesFor(places, nobody, plainly), nobody, barely);
      return [name.replace(/.*\./, ''), JSON.parse(body)];
    }),
);

describe('A scope', () => {
  it('is declared by every root field, and decides what a token may ask for', async () => {
    const scripts = await ofEachScope((await worldOf('ana')).ana);
    const fields = [...Object.values(schema.getQueryType()?.getFields() ?? {}), ...mutations];
    for (const field of fields) {
      const [name, access = ''] = [field.name, accessOf(field)];
      const script = scripts.get(access);
      if (!script) {
        expect(access, name).toBe('OPEN');
        continue;
      }
      const { query = '', variables } = requests.get(name) ?? {};
      const message = access === 'SESSION' ? NEEDS_SESSION : lacks(access);
      expect(await errorsOf(script.lacking, query, variables), name).toMatchObject([{ message, extensions }]);
      if (/^(signOut|deleteMyAccount)/.test(name)) continue; // and then Ana would be out
      const errors = (await errorsOf(script.having, query, variables)) ?? [];
      for (const error of errors) expect(error.extensions.code, name).toMatch(/^(BAD_USER_INPUT|NOT_FOUND)$/);
    }
  });

  it('yields nothing that lasts longer than its token, or shows and sends more: that is for sessions', () => {
    const forSessions = mutations.filter((field) => accessOf(field) === 'SESSION').map(({ name }) => name);
    expect(forSessions.sort()).toEqual([
      ...['addChannel', 'changeEmail', 'changePassword', 'connectIdentity', 'createApiToken'],
      ...['createCalendarFeed', 'createCheckInLink', 'createWebhook', 'deleteApiToken', 'deleteCalendarFeed'],
      ...['deleteChannel', 'deleteCheckInLink', 'deleteIdentity', 'deleteMyAccount', 'deleteWebhook'],
      ...['requestEmailConfirmation', 'resumeWebhook', 'signOut', 'signOutEverywhere', 'testChannel'],
      ...['testWebhook', 'updateWebhook'],
    ]);
  });

  it('is needed to watch', async () => {
    const { script } = await scriptOf((await worldOf('ana')).ana, without('READ'));
    for (const query of [PROGRESS, 'subscription { challengeChanged { id } }']) {
      const { errors } = await (await streamOf(script, query)).next();
      expect(errors).toMatchObject([{ message: lacks('READ'), extensions }]);
    }
  });

  it('is declared by every route, and decides there too', async () => {
    const { ana, rest } = await worldOf('ana');
    const scripts = await ofEachScope(ana);
    const operations = operationsIn((await rest.get('/api/openapi.json')).body);
    const ofTokens = operations.filter(({ security }) => security.length > 0);
    expect(ofTokens).toHaveLength(17);
    for (const { address, method, security } of ofTokens) {
      const [scope] = security[0].token;
      const send = (by?: TestUser) =>
        by?.rest.send(method, address.replace(/\{\w+\}/, '0'), method === 'GET' ? undefined : {});
      const message = scope === 'SESSION' ? NEEDS_SESSION : lacks(scope);
      expect(await send(scripts.get(scope)?.lacking), address).toEqual(refusal(403, message));
      expect([200, 400, 404], address).toContain((await send(scripts.get(scope)?.having))?.status);
    }
  });

  it('is revoked in the order in which an account is deleted, so that neither waits for the other', async () => {
    const { ana, database } = await worldOf('ana');
    const { apiToken, script } = await scriptOf(ana);
    const release = await holding(
      database,
      sql`select from user_progress where user_id = ${ana.id} for update`,
    );
    const revoking = ana.query(REVOKE, { id: apiToken.id });
    await untilSomeoneWaits(database);
    await release(sql`select from api_tokens where user_id = ${ana.id} for update nowait`);
    await revoking;
    expect(await isIn(script)).toBe(false);
  });
});

import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Caller } from '../../src/base/scopes.js';
import type { Database } from '../../src/database/database.js';
import { Callers } from '../../src/features/account/callers.js';
import type { RevocationTables } from '../../src/features/account/revocation.queries.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { lookUpsOf } from '../support/statements.js';
import { transports } from '../support/transports.js';
import { refusal, SECRET, TestUser, type World, world, worldOf } from '../support/world.js';
import { closingOf } from './closing.js';

const SIGN_OUT = 'mutation { signOut { signedOutAt } }';
const EVERYWHERE = 'mutation { signOutEverywhere { token expiresAt user { id } } }';

const notAuthenticated = refusal(401, 'User not authenticated');
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** The same user with a token of another log-in. */
async function again({ rest, base }: World, { account }: TestUser): Promise<TestUser> {
  const { token } = (await rest.post('/api/auth/login', account)).body;
  return new TestUser(base, token, account);
}

const isIn = async ({ rest }: TestUser) => (await rest.get('/api/tasks/me')).status === 200;

it.each<[string, (user: TestUser) => ReturnType<typeof sql>]>([
  [
    'all sessions',
    ({ id }) => sql`update users set token_generation = token_generation + 1 where id = ${id}`,
  ],
  [
    'this session',
    ({ id, token }) => sql`
      insert into revocations (id, user_id, revoked_at) values (${claimsOf(token).jti}, ${id}, now())`,
  ],
])(
  'A session that another process has taken back, unheard, changes nothing of who may come in: %s',
  async (_, takeBack) => {
    const { ana, ...here } = await worldOf('ana');
    expect(await isIn(ana)).toBe(true); // and is known for some seconds
    await takeBack(ana).execute(here.database.query());
    const changes = [
      EVERYWHERE,
      'mutation { changePassword(input: { currentPassword: "secret1", newPassword: "another one" }) { user { id } } }',
      'mutation { changeEmail(input: { currentPassword: "secret1", newEmail: "eve@example.com" }) { user { id } } }',
      'mutation { createApiToken(input: { name: "script", scopes: [READ] }) { token } }',
    ];
    for (const change of changes) await expect(ana.query(change)).rejects.toThrow('User not authenticated');
    expect((await ana.rest.put('/api/user/profile', { email: 'eve@example.com' })).status).toBe(401);
    expect((await here.rest.post('/api/auth/login', ana.account)).status).toBe(200);
  },
);

describe('Signing out', () => {
  it('ends this token on both APIs before it is answered, and no other', async () => {
    const { phone, ...here } = await worldOf('phone');
    const desk = await again(here, phone);
    expect(await phone.query(SIGN_OUT)).toEqual({ signOut: { signedOutAt: '2026-11-21T12:00:00.000Z' } });
    expect(await phone.rest.get('/api/user/profile')).toEqual(notAuthenticated);
    for (const [, ask] of transports) {
      const { errors } = await ask(here.base, {
        query: '{ me { id } }',
        authorization: `Bearer ${phone.token}`,
      });
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' } }]);
    }
    expect(await isIn(desk)).toBe(true);
    expect(await isIn(await again(here, phone))).toBe(true);
  });

  it('everywhere ends every token issued until now, and begins a new session', async () => {
    const { phone, ...here } = await worldOf('phone');
    const desk = await again(here, phone);
    const { signOutEverywhere: session } = await phone.query(EVERYWHERE);
    expect(session).toEqual({
      token: expect.any(String),
      expiresAt: '2026-12-21T12:00:00.000Z',
      user: { id: phone.id },
    });
    for (const old of [phone, desk]) expect(await old.rest.get('/api/tasks/me')).toEqual(notAuthenticated);
    const now = new TestUser(here.base, session.token, phone.account);
    const later = await again(here, phone);
    for (const each of [now, later]) expect(claimsOf(each.token).gen).toBe(1);
    expect(await isIn(now)).toBe(true);
    await later.query(EVERYWHERE);
    for (const old of [now, later]) expect(await isIn(old)).toBe(false);
  });

  it('is not brought about by what anybody sends on the channel of the database', async () => {
    const { ana, database } = await worldOf('ana');
    const stream = await streamOf(ana, PROGRESS);
    const forged = JSON.stringify({ topic: 'revoked', userId: ana.id });
    for (const text of ['nonsense', 'null', '{"topic":"revoked","userId":{}}', forged])
      await sql`select pg_notify('steady', ${text})`.execute(database.query());
    await ana.hasTask();
    expect((await stream.next()).data.progressChanged.kind).toBe('TASK_CREATED');
  });

  it('waits for the deletion of the account, and finds it gone', async () => {
    const { ana, ...here } = await worldOf('ana');
    const release = await holding(here.database, sql`delete from users where id = ${ana.id}`);
    const asked = ana.rest.post('/graphql', { query: SIGN_OUT });
    await untilSomeoneWaits(here.database);
    await release();
    const { body } = await asked;
    expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('closes what the token holds open, and nothing else', async () => {
    const { phone, ...here } = await worldOf('phone');
    const desk = await again(here, phone);
    const [ofPhone, ofDesk] = [await closingOf(phone), await closingOf(desk)];
    const [stream, other] = [await streamOf(phone, PROGRESS), await streamOf(desk, PROGRESS)];
    await phone.query(SIGN_OUT);
    await eventually(() => ofPhone.code === 4401);
    expect((await stream.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(await stream.next()).toBeUndefined();
    await desk.hasTask();
    expect((await other.next()).data.progressChanged.kind).toBe('TASK_CREATED');
    expect(ofDesk.code).toBeUndefined();
    await desk.query(EVERYWHERE);
    await eventually(() => ofDesk.code === 4401);
    expect((await other.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });
});

describe('A token that was looked up', () => {
  const callersIn = (here: World) => {
    const callers = new Callers(here.database, here.clock, new Tokens(SECRET, here.clock), 60_000);
    onTestFinished(() => callers.stop());
    return callers;
  };

  it('is good for five seconds without another look-up, and in use for as long as it is good', async () => {
    const here = await world();
    const { token, id } = await here.newUser();
    const callers = callersIn(here); // hears nothing
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start);
    onTestFinished(() => now.mockRestore());
    const asked = async (after: number, work: () => unknown) => {
      now.mockReturnValue(start + after);
      return (await lookUpsOf(here, async () => work())).length;
    };
    expect(await asked(0, () => callers.identify(`Bearer ${token}`))).toBe(1);
    expect(await asked(2_499, () => callers.identify(`Bearer ${token}`))).toBe(0);
    now.mockReturnValue(start + 2_500);
    expect(callers.identify(`Bearer ${token}`)).toMatchObject({ userId: id }); // at once, and looks it up beside
    await eventually(async () => (await asked(5_001, () => callers.identify(`Bearer ${token}`))) === 0);
    await sql`update users set token_generation = 1 where id = ${id}`.execute(here.database.query());
    now.mockReturnValue(start + 20_000);
    expect(await callers.identify(`Bearer ${token}`)).toBeNull();
  });

  it('before it was taken back, by a statement under way, is looked up again', async () => {
    const here = await world();
    const { token, id } = await here.newUser();
    const { database } = here;
    let lookUps = 0;
    const answered = async (...asked: Parameters<Database['run']>) => {
      const rows = await database.run(...asked);
      lookUps += 1;
      if (lookUps > 1) return rows;
      await sql`update users set token_generation = 1 where id = ${id}`.execute(database.query());
      callers.forget(id); // before the answer is there, in which the token is good
      return rows;
    };
    const slow: Database = Object.assign(Object.create(database), { run: answered });
    const callers = callersIn({ ...here, database: slow });
    expect(await callers.identify(`Bearer ${token}`)).toBeNull();
    expect(lookUps).toBe(2);
  });

  it('ends what is held open once a look-up says so, though nothing was announced', async () => {
    const here = await world();
    const { token, id } = await here.newUser();
    const callers = callersIn(here);
    const caller = await callers.identify(`Bearer ${token}`);
    let hasEnded = false;
    const cancelled = callers.watch(caller as Caller, () => expect.unreachable());
    callers.watch(caller as Caller, () => {
      hasEnded = true;
    });
    cancelled();
    await sql`update users set token_generation = 1 where id = ${id}`.execute(here.database.query());
    callers.begin(); // looks up again what is watched
    await eventually(() => hasEnded);
  });
});

it('A session that was ended is remembered until its token would have ended by itself', async () => {
  const { ana, ...here } = await worldOf('ana');
  const ended = async () => {
    await (await again(here, ana)).query(SIGN_OUT);
    const query = here.database.query<RevocationTables>();
    return query.selectFrom('revocations').where('user_id', '=', ana.id).selectAll().execute();
  };
  const [first] = await ended();
  here.clock.advance({ days: 29 });
  expect(await ended()).toContainEqual(first);
  here.clock.advance({ days: 3 });
  const left = await ended();
  expect(left).toHaveLength(2);
  expect(left).not.toContainEqual(first);
});

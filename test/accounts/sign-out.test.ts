import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Caller } from '../../src/base/scopes.js';
import type { Database } from '../../src/database/database.js';
import { Callers } from '../../src/features/account/callers.js';
import { announceRevoked, type RevocationTables } from '../../src/features/account/revocation.queries.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, socketOf, streamOf } from '../support/live.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { lookUpsOf, statementsOf } from '../support/statements.js';
import { transports } from '../support/transports.js';
import { refusal, SECRET, TestUser, type World, world, worldOf } from '../support/world.js';

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

/** The code with which a WebSocket is closed. */
function closingOf(user: TestUser): { code?: number; isOpen: boolean } {
  const seen: { code?: number; isOpen: boolean } = { isOpen: false };
  const client = socketOf(user);
  client.on('connected', () => {
    seen.isOpen = true;
  });
  client.on('closed', (event) => {
    seen.code = (event as { code: number }).code;
  });
  client.subscribe({ query: PROGRESS }, { next: () => {}, error: () => {}, complete: () => {} });
  return seen;
}

/** As another process would, of which this one has not heard yet. */
const takenBack: [string, (user: TestUser) => ReturnType<typeof sql>][] = [
  [
    'all sessions',
    ({ id }) => sql`update users set token_generation = token_generation + 1 where id = ${id}`,
  ],
  [
    'this session',
    ({ id, token }) => sql`
      insert into revocations (id, user_id, revoked_at) values (${claimsOf(token).jti}, ${id}, now())`,
  ],
];

describe('A session that was taken back, unheard', () => {
  it.each(takenBack)('changes nothing of who may come in: %s', async (_, takeBack) => {
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
  });
});

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
    expect(claimsOf(session.token).gen).toBe(1);
    const now = new TestUser(here.base, session.token, phone.account);
    expect(await isIn(now)).toBe(true);
    const later = await again(here, phone);
    expect(claimsOf(later.token).gen).toBe(1);
    await later.query(EVERYWHERE);
    for (const old of [now, later]) expect(await isIn(old)).toBe(false);
    expect(await isIn(await again(here, phone))).toBe(true);
  });

  it('is not brought about by an announcement alone: the database decides', async () => {
    const { ana, ...here } = await worldOf('ana');
    const stream = await streamOf(ana, PROGRESS);
    const callers = new Callers(here.database, here.clock, new Tokens(SECRET, here.clock), 60_000);
    callers.begin();
    onTestFinished(() => callers.stop());
    await callers.identify(`Bearer ${ana.token}`);
    for (const payload of ['nonsense', '{"topic":"revoked","userId":{}}'])
      await sql`select pg_notify('steady', ${payload})`.execute(here.database.query());
    await sql`select ${announceRevoked(sql`${ana.id}::text`)}`.execute(here.database.query());
    await eventually(() => callers.identify(`Bearer ${ana.token}`) instanceof Promise); // it was heard, and is asked
    expect(await callers.identify(`Bearer ${ana.token}`)).toMatchObject({ userId: ana.id });
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

  it('asks for no statement more per request, neither before nor after', async () => {
    const { ana, ...here } = await worldOf('ana');
    const list = (user: TestUser) => statementsOf(here, () => user.rest.get('/api/tasks/me'));
    const other = await again(here, ana);
    const before = await list(other);
    const { signOutEverywhere } = await ana.query(EVERYWHERE);
    const now = new TestUser(here.base, signOutEverywhere.token, ana.account);
    await now.hasTask();
    expect(before).toHaveLength(2); // the list, and, as it is empty, whether the account is there
    expect(await list(now)).toEqual(before.slice(0, 1));
    expect(await list(ana)).toEqual([]);
    expect(await statementsOf(here, () => now.query('{ activeChallenge { id } me { id } }'))).toHaveLength(3);
  });

  it('closes what the token holds open, and nothing else', async () => {
    const { phone, ...here } = await worldOf('phone');
    const desk = await again(here, phone);
    const [ofPhone, ofDesk] = [closingOf(phone), closingOf(desk)];
    const [stream, other] = [await streamOf(phone, PROGRESS), await streamOf(desk, PROGRESS)];
    await eventually(() => ofPhone.isOpen && ofDesk.isOpen);
    await phone.query(SIGN_OUT);
    await eventually(() => ofPhone.code !== undefined);
    expect(ofPhone.code).toBe(4401);
    expect((await stream.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(await stream.next()).toBeUndefined();
    await desk.hasTask();
    expect((await other.next()).data.progressChanged.kind).toBe('TASK_CREATED');
    expect(ofDesk.code).toBeUndefined();
    await desk.query(EVERYWHERE);
    await eventually(() => ofDesk.code !== undefined);
    expect(ofDesk.code).toBe(4401);
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

  it('is looked up again beside those of others in use, in one statement for which nobody waits', async () => {
    const { ana, bea, ...here } = await worldOf('ana', 'bea');
    const { database } = here;
    const lookUps: unknown[] = [];
    const noted: Database['run'] = (statement, values) => {
      lookUps.push(Reflect.get(values, 'userIds'));
      return database.run(statement, values);
    };
    const callers = callersIn({ ...here, database: Object.assign(Object.create(database), { run: noted }) });
    const [first, second] = [ana, bea].map(
      ({ token }) =>
        () =>
          callers.identify(`Bearer ${token}`),
    );
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start);
    onTestFinished(() => now.mockRestore());
    await Promise.all([first?.(), second?.()]);
    now.mockReturnValue(start + 2_501);
    expect(first?.()).toMatchObject({ userId: ana.id });
    for (let turns = 0; turns < 3; turns += 1) await turn();
    expect(second?.()).toMatchObject({ userId: bea.id });
    await eventually(() => lookUps.length > 1);
    expect(lookUps).toEqual([
      [ana.id, bea.id],
      [ana.id, bea.id],
    ]);
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

describe('A session that was ended', () => {
  it('is remembered until its token would have ended by itself, in the next sign-out of its user', async () => {
    const { ana, ...here } = await worldOf('ana');
    await (await again(here, ana)).query(SIGN_OUT);
    const ended = () =>
      here.database
        .query<RevocationTables>()
        .selectFrom('revocations')
        .where('user_id', '=', ana.id)
        .selectAll()
        .execute();
    const [first] = await ended();
    here.clock.advance({ days: 29 });
    await (await again(here, ana)).query(SIGN_OUT);
    expect(await ended()).toContainEqual(first);
    here.clock.advance({ days: 3 });
    await (await again(here, ana)).query(SIGN_OUT);
    expect(await ended()).toHaveLength(2);
    expect(await ended()).not.toContainEqual(first);
  });
});

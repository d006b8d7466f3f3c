import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiTokens } from '../../src/accounts/api-tokens.js';
import { Callers } from '../../src/accounts/callers.js';
import { deleteAccount } from '../../src/accounts/deletion.js';
import { announceGone, REVOKED } from '../../src/accounts/revocation.queries.js';
import { Revocations } from '../../src/accounts/revocations.js';
import { RevokedTokens, Tokens } from '../../src/accounts/tokens.js';
import { announceToAll } from '../../src/database/announcements/to-all.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, socketOf, streamOf } from '../support/live.js';
import { someoneWaits } from '../support/locks.js';
import { statementsOf } from '../support/statements.js';
import { transports } from '../support/transports.js';
import { refusal, SECRET, TestClock, TestUser, type World, world } from '../support/world.js';

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

const announced = ({ database }: World, userId: string, event: object) =>
  sql`select ${announceToAll(REVOKED, sql`${userId}::text`, sql`${JSON.stringify(event)}::json`)}`.execute(
    database.query(),
  );

/** As another process would, of which this one has not heard yet. */
const takenBack: [string, (user: TestUser) => ReturnType<typeof sql>][] = [
  [
    'all sessions',
    ({ id }) => sql`update users set token_generation = token_generation + 1 where id = ${id}`,
  ],
  [
    'this session',
    ({ id, token }) => sql`
      insert into revocations (id, user_id, revoked_at, change) values (${claimsOf(token).jti}, ${id}, now(), 0)`,
  ],
];

describe('A session that was taken back, unheard', () => {
  it.each(takenBack)('changes nothing of who may come in: %s', async (_, takeBack) => {
    const here = await world();
    const ana = await here.newUser();
    await takeBack(ana).execute(here.database.query());
    expect(await isIn(ana)).toBe(true);
    const changes = [
      EVERYWHERE,
      'mutation { updateProfile(input: { newPassword: "another one" }) { user { id } } }',
      'mutation { updateProfile(input: { email: "eve@example.com" }) { user { id } } }',
      'mutation { createApiToken(input: { name: "script", scopes: [READ] }) { token } }',
    ];
    for (const change of changes) await expect(ana.query(change)).rejects.toThrow('User not authenticated');
    expect((await ana.rest.put('/api/user/profile', { email: 'eve@example.com' })).status).toBe(401);
    expect((await here.rest.post('/api/auth/login', ana.account)).status).toBe(200);
  });
});

describe('Signing out', () => {
  it('ends this token on both APIs before it is answered, and no other', async () => {
    const here = await world();
    const phone = await here.newUser();
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
    const here = await world();
    const phone = await here.newUser();
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

  it('is not undone by the time on the clock: the generation decides', async () => {
    const here = await world();
    const ana = await here.newUser();
    await ana.query(EVERYWHERE);
    const ahead = new TestClock();
    ahead.advance({ seconds: 50 });
    const token = new Tokens(SECRET, ahead).issue(ana.id).token; // as a process ahead of this one would have, before
    expect(await isIn(new TestUser(here.base, token, ana.account))).toBe(false);
  });

  it('is not brought about by an announcement that makes no sense', async () => {
    const here = await world();
    const ana = await here.newUser();
    const { jti } = claimsOf(ana.token);
    const events = [
      { generation: 1e99 },
      { generation: 0.5 },
      { generation: -1 },
      { generation: 2 ** 31 },
      { id: `${jti} ` },
      { id: [jti] },
      { gone: 'true' },
    ];
    for (const event of events) await announced(here, ana.id, event);
    await announced(here, `${ana.id} `, { gone: true });
    const bea = await here.newUser();
    await announced(here, bea.id, { gone: true }); // in its turn: when it is heard, so were those before
    await eventually(async () => !(await isIn(bea)));
    expect(await isIn(ana)).toBe(true);
  });

  it('waits for the deletion of the account, and finds it gone', async () => {
    const here = await world();
    const ana = await here.newUser();
    const answer = await here.database.transaction(async (tx) => {
      await tx.execute('delete from users where id = ?', [ana.id]);
      const asked = ana.rest.post('/graphql', { query: SIGN_OUT });
      await eventually(async () => someoneWaits(here.database.orm.em.fork().getKysely()));
      return { asked };
    });
    const { body } = await answer.asked;
    expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('asks for no statement more per request, neither before nor after', async () => {
    const here = await world();
    const ana = await here.newUser();
    const list = (user: TestUser) => statementsOf(here, () => user.rest.get('/api/tasks/me'));
    const other = await again(here, ana);
    await eventually(async () => (await list(other)).length === 2); // until it hears of the database, it looks up tokens
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
    const here = await world();
    const phone = await here.newUser();
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
    expect((await other.next()).data.progressChanged.cause).toBe('PLANNED');
    expect(ofDesk.code).toBeUndefined();
    await desk.query(EVERYWHERE);
    await eventually(() => ofDesk.code !== undefined);
    expect(ofDesk.code).toBe(4401);
    expect((await other.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('may be sent twice at once, and a change of password leaves tokens alone', async () => {
    const here = await world();
    const ana = await here.newUser();
    await ana.rest.put('/api/user/profile', { newPassword: 'another1' });
    expect(await isIn(ana)).toBe(true);
    const answers = await Promise.all([1, 2, 3].map(() => ana.rest.post('/graphql', { query: SIGN_OUT })));
    const codes = answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done');
    expect(codes).toContain('done');
    expect(codes.every((code) => /^(done|UNAUTHENTICATED)$/.test(code))).toBe(true);
    expect(await isIn(ana)).toBe(false);
  });

  it('ends a hundred tokens at once, each for good', async () => {
    const here = await world();
    const ana = await here.newUser();
    const tokens = new Tokens(SECRET, here.clock);
    const users = Array.from(
      { length: 100 },
      () => new TestUser(here.base, tokens.issue(ana.id).token, ana.account),
    );
    await Promise.all(
      users.map(async (user, index) => {
        await isIn(user); // remembered as verified
        if (index % 2) await user.query(SIGN_OUT);
      }),
    );
    const are = await Promise.all(users.map(isIn));
    expect(are).toEqual(users.map((_, index) => index % 2 === 0));
  });
});

describe('A service that starts', () => {
  it('knows what was taken back before, and forgets it when the tokens have ended by themselves', async () => {
    const here = await world();
    const [ana, bea, old] = [await here.newUser(), await here.newUser(), await here.newUser()];
    await ana.query(SIGN_OUT);
    await bea.query(EVERYWHERE);
    const there = await world({ database: here.database });
    for (const { token } of [ana, bea])
      expect(await there.rest.as(token).get('/api/tasks/me')).toEqual(notAuthenticated);
    expect(await there.rest.as(old.token).get('/api/tasks/me')).toMatchObject({ status: 200 });
    const clock = new TestClock();
    clock.advance({ days: 32 });
    const later = await world({ database: here.database, clock });
    const statements = await statementsOf(later, () => later.rest.as(ana.token).get('/api/tasks/me'));
    expect(statements).toEqual([]);
  });

  it('knows which accounts were deleted, and hears of it later', async () => {
    const here = await world();
    const [ana, bea] = [await here.newUser(), await here.newUser()];
    const remove = async ({ id }: { id: string }) => {
      const tombstone = { id, deletedAt: here.clock.now() };
      await deleteAccount(here.database, tombstone);
    };
    await remove(ana);
    const revocations = new Revocations(here.database, here.clock);
    onTestFinished(() => revocations.stop());
    await revocations.begin();
    const tokenOf = ({ id }: { id: string }) => ({
      userId: id,
      tokenId: randomUUID(),
      generation: 0,
      scopes: null,
      expiresAt: new Date(),
    });
    expect(revocations.isRevoked(tokenOf(ana))).toBe(true);
    expect(revocations.isRevoked(tokenOf(bea))).toBe(false);
    await remove(bea);
    await eventually(() => revocations.isRevoked(tokenOf(bea)));
  });

  it('reads more than one statement may, and what is committed while it reads', async () => {
    const here = await world();
    const ana = await here.newUser();
    await sql`
      insert into revocations (id, user_id, revoked_at, change)
      select gen_random_uuid(), ${ana.id}, ${here.clock.now()}, number / 3 from generate_series(1, 12000) number
    `.execute(here.database.query());
    const { rows } = await sql<{ id: string }>`
      select id from revocations where user_id = ${ana.id}`.execute(here.database.query());
    const revocations = new Revocations(here.database, here.clock);
    onTestFinished(() => revocations.stop());
    await revocations.begin();
    const caller = { userId: ana.id, generation: 0, scopes: null, expiresAt: new Date() };
    expect(rows).toHaveLength(12_000);
    expect(rows.every(({ id }) => revocations.isRevoked({ ...caller, tokenId: id }))).toBe(true);
    expect(revocations.isFresh).toBe(true);
    await sql`delete from revocations where user_id = ${ana.id}`.execute(here.database.query());
  });
});

describe('A service that hears nothing of its database', () => {
  it('looks every token up, and refuses those that were taken back elsewhere', async () => {
    const here = await world();
    const [ana, bea, gone] = [await here.newUser(), await here.newUser(), await here.newUser()];
    const deaf = new Revocations(here.database, here.clock); // has not begun
    expect(deaf.isFresh).toBe(false);
    await ana.query(SIGN_OUT);
    const { signOutEverywhere } = await bea.query(EVERYWHERE);
    await sql`delete from users where id = ${gone.id}`.execute(here.database.query());
    const tokens = new Tokens(SECRET, here.clock);
    const callers = new Callers(tokens, new ApiTokens(here.database, here.clock, 60_000), deaf, 60_000);
    const isGood = async (token: string) => (await callers.identify(`Bearer ${token}`)) !== null;
    const asked = [ana.token, bea.token, signOutEverywhere.token, gone.token];
    expect(await Promise.all(asked.map(isGood))).toEqual([false, false, true, false]);
  });

  it('hears of an account that is gone with the transaction that deletes it', async () => {
    const here = await world();
    const ana = await here.newUser();
    const revocations = new Revocations(here.database, here.clock);
    onTestFinished(() => revocations.stop());
    await revocations.begin();
    const caller = {
      userId: ana.id,
      tokenId: randomUUID(),
      generation: 0,
      scopes: null,
      expiresAt: new Date(),
    };
    await here.database
      .transaction(async (tx) => {
        await announceGone(ana.id).execute(tx.getKysely());
        throw new Error('rolled back');
      })
      .catch(() => {});
    await here.database.transaction(async (tx) => {
      await announceGone(ana.id).execute(tx.getKysely());
    });
    await eventually(() => revocations.isRevoked(caller));
    expect(await ana.rest.get('/api/challenge-templates')).toEqual(notAuthenticated);
  });
});

describe('The memory of what was taken back', () => {
  const token = () => ({ userId: randomUUID(), tokenId: randomUUID(), generation: 0 });

  it('tells a watcher once, at once or later, and none that has gone', async () => {
    const memory = new RevokedTokens();
    const [ana, bea] = [token(), token()];
    const ended: string[] = [];
    memory.watch(ana, () => ended.push('ana'));
    memory.watch(bea, () => ended.push('bea'))();
    for (const { userId, tokenId } of [ana, bea, ana]) memory.add(userId, { id: tokenId }, 1);
    expect(ended).toEqual(['ana']);
    memory.watch(ana, () => ended.push('late'));
    await eventually(() => ended.includes('late'));
  });

  it('lets go of what has ended by itself', () => {
    const memory = new RevokedTokens();
    const [ana, bea, cleo] = [token(), token(), token()];
    memory.add(ana.userId, { id: ana.tokenId }, 10);
    memory.add(bea.userId, { generation: 1 }, 10);
    memory.add(cleo.userId, { gone: true }, 11);
    memory.forgetUntil(10);
    expect([ana, bea, cleo].map((each) => memory.has(each))).toEqual([false, false, true]);
  });
});

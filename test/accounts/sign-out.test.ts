import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Caller } from '../../src/base/scopes.js';
import type { Database } from '../../src/database/database.js';
import { Callers } from '../../src/features/account/callers.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { transports } from '../support/transports.js';
import { refusal, SECRET, TestUser, type World, world, worldOf } from '../support/world.js';
import { closingOf } from './closing.js';

const SIGN_OUT = 'mutation { signOut { signedOutAt } }';
const EVERYWHERE = 'mutation { signOutEverywhere { token expiresAt user { id } } }';

const notAuthenticated = refusal(401, 'User not authenticated');
const endedByToken = [{ extensions: { code: 'UNAUTHENTICATED' } }];
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** The same user with a token of another log-in. */
async function again({ rest, base }: World, { account }: TestUser): Promise<TestUser> {
  const { token } = (await rest.post('/api/auth/login', account)).body;
  return new TestUser(base, token, account);
}

const isIn = async ({ rest }: TestUser) => (await rest.get('/api/tasks/me')).status === 200;

const raised = (id: string) => sql`update users set token_generation = token_generation + 1 where id = ${id}`;

it.each<[string, (user: TestUser) => ReturnType<typeof sql>]>([
  ['all sessions', ({ id }) => raised(id)],
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
    for (const change of [
      EVERYWHERE,
      'mutation { changePassword(input: { currentPassword: "secret1", newPassword: "another one" }) { user { id } } }',
      'mutation { changeEmail(input: { currentPassword: "secret1", newEmail: "eve@example.com" }) { user { id } } }',
      'mutation { createApiToken(input: { name: "script", scopes: [READ] }) { token } }',
    ])
      await expect(ana.query(change)).rejects.toThrow('User not authenticated');
    expect((await ana.rest.put('/api/user/profile', { email: 'eve@example.com' })).status).toBe(401);
    expect((await here.rest.post('/api/auth/login', ana.account)).status).toBe(200);
  },
);

describe('Signing out', () => {
  it('ends this token on both APIs before it is answered, and what it holds open, and no other', async () => {
    const { phone, ...here } = await worldOf('phone');
    const desk = await again(here, phone);
    const [ofPhone, ofDesk] = [await closingOf(phone), await closingOf(desk)];
    const [stream, other] = [await streamOf(phone, PROGRESS), await streamOf(desk, PROGRESS)];
    expect(await phone.query(SIGN_OUT)).toEqual({ signOut: { signedOutAt: '2026-11-21T12:00:00.000Z' } });
    expect(await phone.rest.get('/api/user/profile')).toEqual(notAuthenticated);
    for (const [, ask] of transports) {
      const asking = { query: '{ me { id } }', authorization: `Bearer ${phone.token}` };
      const extensions = { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' };
      expect((await ask(here.base, asking)).errors).toMatchObject([{ extensions }]);
    }
    await eventually(() => ofPhone.code === 4401);
    expect((await stream.next()).errors).toMatchObject(endedByToken);
    expect(await stream.next()).toBeUndefined();
    await desk.hasTask();
    expect((await other.next()).data.progressChanged.kind).toBe('TASK_CREATED');
    expect(ofDesk.code).toBeUndefined();
    expect(await isIn(await again(here, phone))).toBe(true);
  });

  it('everywhere ends every token issued until now, and begins a new session', async () => {
    const { phone, ...here } = await worldOf('phone');
    const desk = await again(here, phone);
    const [stream, socket] = [await streamOf(desk, PROGRESS), await closingOf(desk)];
    const { signOutEverywhere: session } = await phone.query(EVERYWHERE);
    const user = { id: phone.id };
    expect(session).toEqual({ token: expect.any(String), expiresAt: '2026-12-21T12:00:00.000Z', user });
    for (const old of [phone, desk]) expect(await old.rest.get('/api/tasks/me')).toEqual(notAuthenticated);
    await eventually(() => socket.code === 4401);
    expect((await stream.next()).errors).toMatchObject(endedByToken);
    const now = new TestUser(here.base, session.token, phone.account);
    const later = await again(here, phone);
    expect([await isIn(now), await isIn(later)]).toEqual([true, true]);
    await later.query(EVERYWHERE);
    expect([await isIn(now), await isIn(later)]).toEqual([false, false]);
  });

  it('is remembered until the token would have ended by itself', async () => {
    const { ana, ...here } = await worldOf('ana');
    const ended = async () => {
      await (await again(here, ana)).query(SIGN_OUT);
      const query = sql`select id from revocations where user_id = ${ana.id}`;
      return (await query.execute(here.database.query())).rows;
    };
    const [first] = await ended();
    here.clock.advance({ days: 29 });
    expect(await ended()).toContainEqual(first);
    here.clock.advance({ days: 3 });
    const left = await ended();
    expect(left).toHaveLength(2);
    expect(left).not.toContainEqual(first);
  });
});

describe('A token that was looked up', () => {
  const callersIn = (here: World) => {
    const callers = new Callers(here.database, here.clock, new Tokens(SECRET, here.clock), 60_000);
    onTestFinished(() => callers.stop());
    return callers;
  };

  it('before it was taken back, by a statement under way, is looked up again', async () => {
    const here = await world();
    const { token, id } = await here.newUser();
    const { database } = here;
    let lookUps = 0;
    const answered = async (...asked: Parameters<Database['run']>) => {
      const rows = await database.run(...asked);
      lookUps += 1;
      if (lookUps > 1) return rows;
      await raised(id).execute(database.query());
      callers.forget(id); // before the answer is there, in which the token is good
      return rows;
    };
    const slow: Database = Object.assign(Object.create(database), { run: answered });
    const callers = callersIn({ ...here, database: slow });
    expect(await callers.identify(`Bearer ${token}`)).toBeNull();
    expect(lookUps).toBe(2);
  });

  it('ends what is held open once a look-up says so, though nothing was announced', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const here = await world();
    const { token, id } = await here.newUser();
    const callers = callersIn(here);
    const caller = (await callers.identify(`Bearer ${token}`)) as Caller;
    let hasEnded = false;
    callers.watch(caller, () => expect.unreachable())(); // and cancelled at once
    callers.watch(caller, () => {
      hasEnded = true;
    });
    await raised(id).execute(here.database.query());
    callers.begin();
    vi.advanceTimersByTime(2_500); // looks up again what is watched
    await eventually(() => hasEnded);
  });
});

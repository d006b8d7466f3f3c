import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Callers } from '../../src/features/account/callers.js';
import { announceChange } from '../../src/features/account/progress.announcement.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { announceChallenge } from '../../src/features/challenges/challenge.queries.js';
import { forged } from '../support/forged.js';
import { streamOf } from '../support/live.js';
import { refusal, SECRET, type World, world } from '../support/world.js';
import { guardedFields } from './guarded-fields.js';

const DAY = 24 * 60 * 60;
const decoded = (token: string) =>
  token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

const notAuthenticated = refusal(401, 'User not authenticated');
const removeAccount = ({ database }: World, id: string) =>
  sql`delete from users where id = ${id}`.execute(database.query());

describe('A token', () => {
  it('is a JWT signed with HS256 that names its user, its beginning, its end after 30 days and an id of its own', async () => {
    const { clock, newUser } = await world();
    clock.set('2026-03-04T05:06:07.890Z');
    const { id, token } = await newUser();
    const [header, claims] = decoded(token);
    const iat = Date.parse('2026-03-04T05:06:07.000Z') / 1_000;
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(claims).toEqual({ sub: id, iat, exp: iat + 30 * DAY, jti: expect.any(String) });
    expect(forged({ header, payload: claims })).toBe(token);
  });

  it('names its generation once that was raised, and is refused with one that makes no sense', async () => {
    const { rest, clock, newUser } = await world();
    const { id } = await newUser();
    const tokens = new Tokens(SECRET, clock);
    expect(decoded(tokens.issue(id, 3).token)[1].gen).toBe(3);
    const iat = clock.now().getTime() / 1_000;
    for (const gen of [-1, 0.5, '1', null, 2 ** 53]) {
      const token = forged({ payload: { sub: id, iat, exp: iat + DAY, gen } });
      expect(await rest.as(token).get('/api/user/profile'), String(gen)).toEqual(notAuthenticated);
    }
  });

  it.each(['signup', 'login'])('from %s is valid for 30 days, to the second', async (way) => {
    const { rest, clock, newUser } = await world();
    const { account } = await newUser();
    clock.set('2026-12-31T23:59:59.000Z');
    const body = way === 'login' ? account : { ...account, email: `${randomUUID()}@example.com` };
    const ana = rest.as((await rest.post(`/api/auth/${way}`, body)).body.token);
    clock.set('2027-01-30T23:59:58.999Z');
    expect(await ana.get('/api/user/profile')).toMatchObject({ status: 200 });
    clock.set('2027-01-30T23:59:59.000Z');
    expect(await ana.get('/api/user/profile')).toEqual(notAuthenticated);
  });

  it('is verified once, and ends by the clock', async () => {
    const { database, clock, newUser } = await world();
    const { id } = await newUser();
    const tokens = new Tokens(SECRET, clock);
    const callers = new Callers(database, clock, tokens, 60_000);
    const { token } = tokens.issue(id);
    const verify = vi.spyOn(jwt, 'verify');
    onTestFinished(() => verify.mockRestore());
    expect(callers.userOf(`Bearer ${token}`)).toBe(id);
    for (let time = 0; time < 3; time += 1)
      expect(await callers.identify(`Bearer ${token}`)).toMatchObject({ userId: id });
    expect(verify).toHaveBeenCalledTimes(1);
    clock.advance({ days: 30, seconds: -1 });
    expect(await callers.identify(`Bearer ${token}`)).not.toBeNull();
    clock.advance({ seconds: 1 });
    expect(await callers.identify(`Bearer ${token}`)).toBeNull();
  });

  it('is remembered among ten thousand, and then forgotten', async () => {
    const { database, clock } = await world();
    const tokens = new Tokens(SECRET, clock);
    const callers = new Callers(database, clock, tokens, 60_000);
    const all = Array.from({ length: 10_001 }, () => tokens.issue(randomUUID()).token);
    for (const token of all) callers.userOf(`Bearer ${token}`);
    const verify = vi.spyOn(jwt, 'verify');
    onTestFinished(() => verify.mockRestore());
    for (const token of [all[1], all[10_000], all[0]])
      expect(callers.userOf(`Bearer ${token}`)).toBeDefined();
    expect(verify.mock.calls.map(([token]) => token)).toEqual([all[0]]);
  });
});

describe('An account that is gone', () => {
  it('is not authenticated by any field of GraphQL', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    await removeAccount(everything, ana.id);
    for (const [field, { query, variables }] of Object.entries(guardedFields)) {
      const { errors } = await ana.rest.ask(query, variables);
      expect(errors, field).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
  });

  it.each([
    ['subscription { progressChanged { user { id } } }', 'user'],
    ['subscription { progressChanged { task { id } } }', 'task'],
    ['subscription { progressChanged { completion { id } } }', 'completion'],
    ['subscription { challengeChanged { id } }', undefined],
  ])('is UNAUTHENTICATED in events that were still under way: %s', async (subscription, field) => {
    const everything = await world();
    const ana = await everything.newUser();
    const heard = await streamOf(ana, subscription);
    const [userId, at] = [ana.id, new Date()];
    await removeAccount(everything, ana.id);
    const query = everything.database.query();
    const ids = { taskId: 1, completionId: 1 };
    if (field) await announceChange(query, { kind: 'COMPLETION_RECORDED', userId, at, ids });
    else await announceChallenge(query, 'CHALLENGE_CHANGED', { userId, id: 1, at });
    const root = field ? ['progressChanged', field] : ['challengeChanged'];
    expect((await heard.next()).errors).toMatchObject([
      { path: root, extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });
});

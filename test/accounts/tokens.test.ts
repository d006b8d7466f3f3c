import { createHmac, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { announceProgress } from '../../src/accounts/progress.announcement.js';
import { Tokens } from '../../src/accounts/tokens.js';
import { declaredSchema } from '../../src/app.js';
import { announceChallenge } from '../../src/challenges/challenge.queries.js';
import { streamOf } from '../support/live.js';
import { keptBy } from '../support/memory.js';
import { overWebSocket, transports } from '../support/transports.js';
import { refusal, SECRET, TestClock, type World, world } from '../support/world.js';

const DAY = 24 * 60 * 60;
const base64 = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

interface Forgery {
  header?: object;
  payload: unknown;
  hash?: string;
  secret?: string;
}

/** A token made by hand, so that nothing keeps it from being wrong. */
const forged = ({ header, payload, hash = 'sha256', secret = SECRET }: Forgery): string =>
  signed(`${base64({ alg: 'HS256', typ: 'JWT', ...header })}.${base64(payload)}`, secret, hash);

const signed = (text: string, secret = SECRET, hash = 'sha256') =>
  `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;

const decoded = (token: string) =>
  token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

/** Every field behind the lock, in a way that finds nothing or is refused. */
const fields: Record<string, string> = {
  me: '{ me { id } }',
  tasks: '{ tasks { nodes { id } } }',
  task: '{ task(id: 0) { id } }',
  completions: '{ completions { totalCount } }',
  completion: '{ completion(id: 0) { id } }',
  challengeTemplates: '{ challengeTemplates { id } }',
  challengeTemplate: '{ challengeTemplate(id: 0) { id } }',
  challenges: '{ challenges { pageInfo { endCursor } } }',
  challenge: '{ challenge(id: 0) { id } }',
  activeChallenge: '{ activeChallenge { id } }',
  signOut: 'mutation { signOut { signedOutAt } }',
  signOutEverywhere: 'mutation { signOutEverywhere { token } }',
  deleteMyAccount: 'mutation { deleteMyAccount(password: "wrong") { userId } }',
  apiTokens: '{ apiTokens { id } }',
  createApiToken:
    'mutation { createApiToken(input: { name: "Button", scopes: [READ] }) { apiToken { id } } }',
  revokeApiToken: 'mutation { revokeApiToken(id: 0) { apiToken { id } } }',
  updateProfile: 'mutation { updateProfile(input: { name: "" }) { user { id } } }',
  createTask: 'mutation { createTask(input: { title: "" }) { task { id } } }',
  updateTask: 'mutation { updateTask(id: 0, input: {}) { task { id } } }',
  archiveTask: 'mutation { archiveTask(id: 0) { task { id } } }',
  unarchiveTask: 'mutation { unarchiveTask(id: 0) { task { id } } }',
  moveTask: 'mutation { moveTask(id: 0) { task { id } } }',
  completeTask: 'mutation { completeTask(taskId: 0) { replayed } }',
  completeTasks:
    'mutation { completeTasks(input: [{ taskId: 0, idempotencyKey: "once" }]) { results { replayed } } }',
  undoCompletion: 'mutation { undoCompletion(id: 0) { completionId } }',
  acceptChallenge: 'mutation { acceptChallenge(templateId: 0) { challenge { id } } }',
  updateChallengeNotes: 'mutation { updateChallengeNotes(id: 0, notes: "") { challenge { id } } }',
  completeChallenge: 'mutation { completeChallenge(id: 0) { challenge { id } } }',
  abandonChallenge: 'mutation { abandonChallenge(id: 0) { challenge { id } } }',
};

/** Every endpoint behind the lock, with a body it would take. */
const endpoints: [method: string, path: string, body?: object][] = [
  ['GET', '/api/user/profile'],
  ['PUT', '/api/user/profile', { name: 'Bea' }],
  ['POST', '/api/tasks', { title: 'Swim', points: 10 }],
  ['GET', '/api/tasks/me'],
  ['PUT', '/api/tasks/1', { title: 'Run' }],
  ['POST', '/api/task-completions', { task_id: 1 }],
  ['GET', '/api/challenge-templates'],
  ['GET', '/api/challenge-templates/1'],
  ['POST', '/api/user-challenges/accept', { templateId: 1 }],
  ['GET', '/api/user-challenges'],
  ['GET', '/api/user-challenges/active'],
  ['PUT', '/api/user-challenges/1/notes', { notes: 'Well' }],
  ['PUT', '/api/user-challenges/1/complete'],
  ['PUT', '/api/user-challenges/1/abandon'],
];

const notAuthenticated = refusal(401, 'User not authenticated');
const removeAccount = ({ database }: World, id: string) =>
  sql`delete from users where id = ${id}`.execute(database.query());

describe.each(endpoints)('%s %s', (method, path, body) => {
  it('answers 401 to the token of an account that is gone', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    await removeAccount(everything, ana.id);
    expect(await ana.rest.send(method, path, body)).toEqual(notAuthenticated);
  });
});

describe.each(endpoints.filter(([method]) => method !== 'GET'))('%s %s', (method, path) => {
  it('answers 401 before it looks at the body', async () => {
    const { rest } = await world();
    for (const body of ['{', '[]', '{"points": 0}', 'x'.repeat(1_000_000)]) {
      expect(await rest.send(method, path, body), body.slice(0, 20)).toEqual(notAuthenticated);
    }
  });
});

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

  it('is a new one at each log-in, and earlier ones stay valid', async () => {
    const { rest, newUser } = await world();
    const { account, token } = await newUser();
    const again = (await rest.post('/api/auth/login', account)).body.token;
    expect(decoded(again)[1].jti).not.toBe(decoded(token)[1].jti);
    for (const each of [token, again]) {
      expect(await rest.as(each).get('/api/user/profile')).toMatchObject({ status: 200 });
    }
  });

  it.each(['signup', 'login'])('from %s is valid for 30 days, to the second', async (door) => {
    const { rest, clock, newUser } = await world();
    const { account } = await newUser();
    clock.set('2026-12-31T23:59:59.000Z');
    const body = door === 'login' ? account : { ...account, email: `${randomUUID()}@example.com` };
    const ana = rest.as((await rest.post(`/api/auth/${door}`, body)).body.token);
    clock.set('2027-01-30T23:59:58.999Z');
    expect(await ana.get('/api/user/profile')).toMatchObject({ status: 200 });
    clock.set('2027-01-30T23:59:59.000Z');
    expect(await ana.get('/api/user/profile')).toEqual(notAuthenticated);
  });

  it('that was made elsewhere with the same secret and by the same rules is valid', async () => {
    const { rest, clock, newUser } = await world();
    const { id } = await newUser();
    const iat = clock.now().getTime() / 1_000;
    const token = forged({ payload: { sub: id, iat, exp: iat + 30 * DAY } });
    expect(await rest.as(token).get('/api/user/profile')).toMatchObject({ status: 200, body: { id } });
  });

  it('is verified once, and looked at in the light of the clock each time', () => {
    const clock = new TestClock();
    const tokens = new Tokens(SECRET, clock);
    const bearer = `Bearer ${tokens.issue(randomUUID()).token}`;
    const verify = vi.spyOn(jwt, 'verify');
    onTestFinished(() => verify.mockRestore());
    for (let time = 0; time < 3; time += 1) expect(tokens.authenticate(bearer)).not.toBeNull();
    expect(verify).toHaveBeenCalledTimes(1);
    clock.advance({ days: 30, seconds: -1 });
    expect(tokens.authenticate(bearer)).not.toBeNull();
    clock.advance({ seconds: 1 });
    expect(tokens.authenticate(bearer)).toBeNull();
    clock.advance({ days: -31 });
    expect(tokens.authenticate(bearer)).toBeNull();
  });

  it('is remembered without the rest of its header', async () => {
    const tokens = new Tokens(SECRET, new TestClock());
    const issued = Array.from({ length: 1_000 }, () => tokens.issue(randomUUID()).token);
    const kept = await keptBy(async () => {
      // As a header comes: a text of its own.
      for (const token of issued)
        tokens.authenticate(Buffer.from(`Bearer ${' '.repeat(15_000)}${token}`).toString());
    });
    expect(tokens.authenticate(`Bearer ${issued[0]}`)).not.toBeNull();
    expect(kept).toBeLessThan(4 * 1_024 * 1_024); // of 15 that came
  });

  it('is remembered among ten thousand, and then forgotten', () => {
    const tokens = new Tokens(SECRET, new TestClock());
    const bearers = Array.from({ length: 10_001 }, () => `Bearer ${tokens.issue(randomUUID()).token}`);
    for (const bearer of bearers) tokens.authenticate(bearer);
    const verify = vi.spyOn(jwt, 'verify');
    onTestFinished(() => verify.mockRestore());
    for (const bearer of bearers.slice(1)) tokens.authenticate(bearer);
    expect(verify).not.toHaveBeenCalled();
    expect(tokens.authenticate(bearers[0])).not.toBeNull();
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it('says who the caller is, whatever the body claims', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const claims = { user_id: bea.id, userId: bea.id, sub: bea.id };
    const { body: task } = await ana.rest.post('/api/tasks', { title: 'Swim', ...claims });
    const { body: completion } = await ana.rest.post('/api/task-completions', {
      task_id: task.id,
      ...claims,
    });
    const { body: challenge } = await ana.rest.post('/api/user-challenges/accept', {
      templateId: 1,
      ...claims,
    });
    for (const made of [task, completion, challenge]) expect(made.user_id).toBe(ana.id);
  });

  it('shows nothing of another user', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    await ana.completes(await ana.hasTask());
    await ana.hasAccepted();
    expect((await bea.rest.get('/api/tasks/me')).body).toEqual([]);
    expect((await bea.rest.get('/api/user-challenges')).body).toEqual([]);
    expect((await bea.rest.get('/api/user-challenges/active')).body).toBeNull();
    expect(await bea.profile()).toMatchObject({ id: bea.id, points: 0, current_streak: 0 });
  });
});

describe('An account that is gone', () => {
  it('is not authenticated, even where others have what it asks for', async () => {
    const everything = await world();
    const [ana, bea] = [await everything.newUser(), await everything.newUser()];
    const [task, challenge] = [await bea.hasTask(), await bea.hasAccepted(1)];
    await removeAccount(everything, ana.id);
    const answers = [
      await ana.rest.put(`/api/tasks/${task.id}`, { title: 'Mine' }),
      await ana.completes(task),
      await ana.completes(task, { 'idempotency-key': 'a' }),
      await ana.rest.post('/api/tasks', { title: 'Swim', challenge_template_id: 1 }),
      await ana.rest.post('/api/user-challenges/accept', { templateId: 0 }),
      await ana.rest.get('/api/challenge-templates/0'),
      await ana.rest.put(`/api/user-challenges/${challenge.id}/complete`),
    ];
    for (const answer of answers) expect(answer).toEqual(notAuthenticated);
  });

  it('may sign up anew with its old token, and is told what is wrong with that', async () => {
    const everything = await world();
    const [ana, bea] = [await everything.newUser(), await everything.newUser()];
    await removeAccount(everything, ana.id);
    const { email } = bea.account;
    const taken = await ana.rest.post('/api/auth/signup', { name: 'Ana', email, password: 'secret1' });
    expect(taken).toEqual(refusal(400, 'Email already in use'));
    const query = `mutation { signUp(input: { name: "Ana", email: "${email}", password: "secret1" }) { token } }`;
    const { body } = await ana.rest.post('/graphql', { query });
    expect(body.errors).toMatchObject([
      { message: 'Email already in use', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('is not told what is wrong with its input', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    await removeAccount(everything, ana.id);
    for (const body of ['{', {}, { title: 5 }]) {
      expect(await ana.rest.post('/api/tasks', body)).toEqual(notAuthenticated);
    }
    const query = 'mutation { createTask(input: { title: " " }) { task { id } } }';
    const { body } = await ana.rest.post('/graphql', { query });
    expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it.each(transports)('is not authenticated by any field of GraphQL, over %s', async (_name, ask) => {
    const everything = await world();
    const ana = await everything.newUser();
    await removeAccount(everything, ana.id);
    for (const [field, query] of Object.entries(fields)) {
      const { errors } = await ask(ana.base, { query, authorization: `Bearer ${ana.token}` });
      expect(errors, field).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
  });

  it('is tried with every field of the schema', () => {
    const schema = declaredSchema();
    const roots = [schema.getQueryType(), schema.getMutationType()];
    const names = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
    expect(names.filter((name) => !['signUp', 'logIn'].includes(name)).sort()).toEqual(
      Object.keys(fields).sort(),
    );
  });

  it.each([
    ['subscription { progressChanged { user { id } } }', 'user'],
    ['subscription { progressChanged { task { id } } }', 'task'],
    ['subscription { progressChanged { completion { id } } }', 'completion'],
    ['subscription { challengeChanged { id } }', undefined],
  ])('is UNAUTHENTICATED in events that were still under way: %s', async (query, field) => {
    const everything = await world();
    const ana = await everything.newUser();
    const [heard, ids] = [await streamOf(ana, query), { taskId: sql`1`, completionId: sql`1` }];
    await removeAccount(everything, ana.id);
    const userId = sql`${ana.id}::uuid`;
    const announced = field ? announceProgress('COMPLETED', userId, ids) : announceChallenge(userId, sql`1`);
    await sql`select ${announced}`.execute(everything.database.query());
    const root = field ? ['progressChanged', field] : ['challengeChanged'];
    expect((await heard.next()).errors).toMatchObject([
      { path: root, extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  it('cannot log in', async () => {
    const everything = await world();
    const { id, account } = await everything.newUser();
    await removeAccount(everything, id);
    const answer = await everything.rest.post('/api/auth/login', account);
    expect(answer).toEqual(refusal(401, 'Invalid email or password'));
  });
});

describe('A token is refused over REST and every transport', () => {
  type Good = { sub: string; iat: number; exp: number; jti: string };
  type Case = (good: Good, token: string) => string;

  const OTHER = 'another secret, also long enough';
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = { kty: 'oct', alg: 'HS256', k: base64(OTHER) };
  const withHeader =
    (header: object, secret = SECRET): Case =>
    (payload) =>
      forged({ payload, header, secret });
  const withClaims =
    (claims: object): Case =>
    (payload) =>
      forged({ payload: { ...payload, ...claims } });
  /** Claims that `JSON.stringify` would not write. */
  const written =
    (claims: (good: Good) => string): Case =>
    (payload) =>
      forged({ payload: claims(payload) });
  const headed =
    (header: unknown): Case =>
    (payload) =>
      signed(`${base64(header)}.${base64(payload)}`);

  // RFC 8725, 2.1, 3.1 and 3.2: the algorithm is ours to choose.
  const ofAlgorithms: Record<string, Case> = {
    'when it is not signed': (payload) => `${base64({ alg: 'none' })}.${base64(payload)}.`,
    'when it says alg none, though signed': withHeader({ alg: 'none' }),
    'when it says alg nOnE': (payload) => `${base64({ alg: 'nOnE' })}.${base64(payload)}.`,
    'when it says alg "" and has no signature': (payload) => `${base64({ alg: '' })}.${base64(payload)}.`,
    'when it says alg null': withHeader({ alg: null }),
    'when it says alg in a list': withHeader({ alg: ['HS256'] }),
    'when it says alg in small letters': withHeader({ alg: 'hs256' }),
    'when it says alg with a blank': withHeader({ alg: 'HS256 ' }),
    'when it is signed with HS384': (payload) =>
      forged({ payload, header: { alg: 'HS384' }, hash: 'sha384' }),
    'when it is signed with HS512': (payload) =>
      forged({ payload, header: { alg: 'HS512' }, hash: 'sha512' }),
    'when it says RS256': withHeader({ alg: 'RS256' }),
    'when it says ES256': withHeader({ alg: 'ES256' }),
    'when it says EdDSA': withHeader({ alg: 'EdDSA' }),
    'when it is rightly signed with RS256': (payload) => {
      const text = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(payload)}`;
      return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
    },
    'when it is signed with a public key as secret': (payload) =>
      forged({ payload, secret: publicKey.export({ type: 'spki', format: 'pem' }).toString() }),
    'when it names no algorithm': withHeader({ alg: undefined }),
    'when it is signed with an empty secret': withHeader({}, ''),
  };

  // 2.8, 3.10, 3.11: what a header says is a stranger's word, and a token of another kind is none of ours.
  const ofHeaders: Record<string, Case> = {
    'when it brings its own key': withHeader({ jwk }, OTHER),
    'when it says where its key is': withHeader({ jku: 'http://127.0.0.1:1/keys', kid: '1' }, OTHER),
    'when it says where its certificate is': withHeader({ x5u: 'http://127.0.0.1:1/x5u' }, OTHER),
    'when its key id is a path': withHeader({ kid: '../../../../../dev/null' }, ''),
    'when its key id is SQL': withHeader({ kid: "' union select 'x" }, 'x'),
    'when it is of another type': withHeader({ typ: 'at+jwt' }),
    'when it is of no type': withHeader({ typ: undefined }),
    'when it wants something understood that we do not know': withHeader({ crit: ['x'], x: 1 }),
    'when it wants nothing understood': withHeader({ crit: [] }),
    'when it says its claims are not encoded': withHeader({ b64: false, crit: ['b64'] }),
    'when it holds another token': (_payload, token) => forged({ payload: token, header: { cty: 'JWT' } }),
    'when its header is no JSON': (payload) => `${base64('header')}.${base64(payload)}.x`,
    'when its header is null': headed(null),
    'when its header is a list': headed([{ alg: 'HS256', typ: 'JWT' }]),
    'when its header is text': headed('"HS256"'),
    'when its header is a prototype': headed('{"__proto__":{"alg":"HS256","typ":"JWT"}}'),
  };

  // 3.3: the signature is over every character.
  const spareBits = (token: string) => {
    const last = Buffer.from(`${token.slice(-3)}A`, 'base64url');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const other = [...alphabet].find(
      (letter) =>
        letter !== token.at(-1) &&
        Buffer.from(`${token.slice(-3, -1)}${letter}A`, 'base64url')
          .subarray(0, 2)
          .equals(last.subarray(0, 2)),
    );
    return token.slice(0, -1) + other;
  };
  const ofSignatures: Record<string, Case> = {
    'when its claims were exchanged': (payload, token) =>
      token.replace(/\.[^.]+\./, `.${base64({ ...payload, sub: randomUUID() })}.`),
    'when its header was exchanged': (_payload, token) =>
      token.replace(/^[^.]+/, base64({ typ: 'JWT', alg: 'HS256' })),
    'when its signature is cut off': (_payload, token) => token.replace(/[^.]+$/, ''),
    'when its signature is one character short': (_payload, token) => token.slice(0, -1),
    'when its signature is there twice': (_payload, token) => token + token.replace(/^.*\./, ''),
    'when its signature is spelt in another way': (_payload, token) => spareBits(token),
    'when its signature is padded': (_payload, token) => `${token}=`,
    'when its signature is hexadecimal': (_payload, token) =>
      token.replace(/[^.]+$/, (end) => Buffer.from(end, 'base64url').toString('hex')),
    'when it is encoded for addresses': (_payload, token) => token.replaceAll('.', '%2E'),
    'when it has two parts': (_payload, token) => token.replace(/\.[^.]+$/, ''),
    'when it has four parts': (_payload, token) => `${token}.x`,
    'when it has five parts, as if encrypted': (payload) =>
      `${base64({ alg: 'dir', enc: 'A128GCM' })}..${base64('iv')}.${base64(payload)}.${base64('tag')}`,
    'when it is JSON': (_payload, token) => {
      const [header, payload, signature] = token.split('.');
      return JSON.stringify({ protected: header, payload, signature });
    },
    'when it is dots': () => '..',
    'when it is very long': (payload) => forged({ payload: { ...payload, sub: 'x'.repeat(8_000) } }),
  };

  const ofTimes: Record<string, Case> = {
    'when it has no end': withClaims({ exp: undefined }),
    'when its end is no number': (payload) => forged({ payload: { ...payload, exp: `${payload.exp}` } }),
    'when its end is null': withClaims({ exp: null }),
    'when its end is beyond all numbers': written(
      ({ sub, iat }) => `{"sub":"${sub}","iat":${iat},"exp":1e400}`,
    ),
    'when its end was before all time': withClaims({ exp: -1 }),
    'when it ended this second': (payload) => forged({ payload: { ...payload, exp: payload.iat } }),
    'when it lives a second too long': (payload) => forged({ payload: { ...payload, exp: payload.exp + 1 } }),
    'when it ends more than 30 days from now': (payload) =>
      forged({ payload: { ...payload, iat: payload.iat + DAY, exp: payload.exp + DAY } }),
    'when it has no beginning': withClaims({ iat: undefined }),
    'when its beginning is no number': withClaims({ iat: '1' }),
    'when its beginning is beyond all numbers': written(
      ({ sub, exp }) => `{"sub":"${sub}","iat":1e400,"exp":${exp}}`,
    ),
    'when it begins later': (payload) => forged({ payload: { ...payload, iat: payload.iat + 61 } }),
    'when it is not to be used yet': (payload) => forged({ payload: { ...payload, nbf: payload.iat + 1 } }),
    'when it says no time from which it may be used': withClaims({ nbf: 'now' }),
  };

  const ofUsers: Record<string, Case> = {
    'when it names no user': withClaims({ sub: undefined }),
    'when its user is no text': (payload) => forged({ payload: { ...payload, sub: [payload.sub] } }),
    'when its user is no UUID': withClaims({ sub: '1' }),
    'when its user is more than a UUID': (payload) =>
      forged({ payload: { ...payload, sub: `${payload.sub}\n` } }),
    'when its user is in capital letters': (payload) =>
      forged({ payload: { ...payload, sub: `A${payload.sub.slice(1).toUpperCase()}` } }),
    'when its user is in braces': (payload) => forged({ payload: { ...payload, sub: `{${payload.sub}}` } }),
    'when its user is SQL': withClaims({ sub: "' or true --" }),
    'when its user is nobody at all': withClaims({ sub: '00000000-0000-0000-0000-000000000000' }),
    'when its user does not exist': withClaims({ sub: randomUUID() }),
    'when its user is named elsewhere': ({ sub, ...others }) =>
      forged({ payload: { ...others, user_id: sub, userId: sub, id: sub, aud: sub, iss: sub } }),
  };

  const ofClaims: Record<string, Case> = {
    'when its claims are no JSON': written(() => 'claims'),
    'when its claims are nothing': written(() => ''),
    'when its claims are null': () => forged({ payload: null }),
    'when its claims are a list': (payload) => forged({ payload: [payload] }),
    'when its claims are a number': () => forged({ payload: 1 }),
    'when its claims are a prototype': written((claims) => `{"__proto__":${JSON.stringify(claims)}}`),
    'when its claims begin with a byte order mark': written((claims) => `\ufeff${JSON.stringify(claims)}`),
    'when its claims are nested without end': written(() => '{"sub":'.repeat(1_500)),
  };

  const cases = { ...ofAlgorithms, ...ofHeaders, ...ofSignatures, ...ofTimes, ...ofUsers, ...ofClaims };

  it.each(Object.entries(cases))('%s', async (_when, make) => {
    const { base, rest, clock, newUser } = await world();
    const { id, token } = await newUser();
    const iat = clock.now().getTime() / 1_000;
    const bad = make({ sub: id, iat, exp: iat + 30 * DAY, jti: randomUUID() }, token);
    expect(await rest.as(bad).get('/api/user/profile')).toEqual(notAuthenticated);
    for (const [way, ask] of transports) {
      const { errors } = await ask(base, { query: '{ me { id } }', authorization: `Bearer ${bad}` });
      expect(errors, way).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
  });

  it.each([5, true, null, [], ['Bearer …'], { token: '…' }, {}])(
    'when what a WebSocket sends as authorization is %j',
    async (value) => {
      const { base, newUser } = await world();
      const { token } = await newUser();
      const sent = JSON.parse(JSON.stringify(value).replaceAll('…', token));
      const { errors } = await overWebSocket(base, { query: '{ me { id } }', authorization: sent });
      expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    },
  );
});

describe('A token is refused', () => {
  const forms = [
    '',
    'Bearer',
    'Bearer ',
    '…',
    'Basic …',
    'Token …',
    'Bearer…',
    'Bearer … …',
    'Bearer "…"',
    'Bearer: …',
  ];

  it.each(forms)('when the header reads %j', async (form) => {
    const { rest, newUser } = await world();
    const { token } = await newUser();
    const answer = await rest.get('/api/user/profile', { authorization: form.replaceAll('…', token) });
    expect(answer).toEqual(notAuthenticated);
  });

  it('anywhere but in the header', async () => {
    const { rest, newUser } = await world();
    const { token } = await newUser();
    for (const name of ['token', 'access_token', 'authorization']) {
      expect(await rest.get(`/api/user/profile?${name}=${token}`)).toEqual(notAuthenticated);
    }
    expect(await rest.get('/api/user/profile', { cookie: `token=${token}` })).toEqual(notAuthenticated);
  });
});

describe('A request is checked in this order:', () => {
  it('its body, then whether what it asks for exists', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const answers = [
      await ana.rest.put('/api/tasks/0', { points: 0 }),
      await ana.rest.put('/api/user-challenges/0/notes', {}),
      await ana.rest.post('/api/tasks', { title: '', challenge_template_id: 0 }),
      await ana.rest.post('/api/tasks', { title: 'Swim', points: -1, challenge_template_id: 0 }),
    ];
    for (const answer of answers) expect(answer).toEqual(refusal(400));
  });

  it('its body, then whose the thing is that it asks for', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await bea.hasTask();
    const answer = await ana.rest.put(`/api/tasks/${id}`, { points: 0 });
    expect(answer).toEqual(refusal(400, 'Points must be greater than zero'));
  });

  it('whether what it asks for exists, then whether the state of things allows it', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const noTemplate = refusal(404, 'Challenge template not found');
    expect(await ana.rest.post('/api/tasks', { title: 'Swim', challenge_template_id: 8_888 })).toEqual(
      noTemplate,
    );
    await ana.hasAccepted();
    expect(await ana.rest.post('/api/user-challenges/accept', { templateId: 8_888 })).toEqual(noTemplate);
  });
});

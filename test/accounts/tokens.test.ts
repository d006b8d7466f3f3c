import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { base64, forged, signed } from '../support/forged.js';
import { overWebSocket } from '../support/transports.js';
import { refusal, SECRET, world } from '../support/world.js';

const DAY = 24 * 60 * 60;
const notAuthenticated = refusal(401, 'User not authenticated');

it('A token is valid for 30 days, to the second', async () => {
  const { rest, clock, newUser } = await world();
  const { account } = await newUser();
  clock.set('2026-12-31T23:59:59.000Z');
  const ana = rest.as((await rest.post('/api/auth/login', account)).body.token);
  clock.set('2027-01-30T23:59:58.999Z');
  expect(await ana.get('/api/user/profile')).toMatchObject({ status: 200 });
  clock.set('2027-01-30T23:59:59.000Z');
  expect(await ana.get('/api/user/profile')).toEqual(notAuthenticated);
});

interface Good {
  sub: string;
  iat: number;
  exp: number;
}
type Forge = (good: Good, token: string) => string;

const OTHER = 'another secret, also long enough';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const withHeader =
  (header: object, secret = SECRET): Forge =>
  (payload) =>
    forged({ payload, header, secret });
const withClaims =
  (claims: (good: Good) => object): Forge =>
  (good) =>
    forged({ payload: { ...good, ...claims(good) } });

/** The same bytes: the last letter of base64 has bits to spare. */
const speltAnew = (token: string) => {
  const signature = Buffer.from(token.slice(-43), 'base64url');
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const found = letters
    .map((letter) => token.slice(-43, -1) + letter)
    .find((text) => !token.endsWith(text) && Buffer.from(text, 'base64url').equals(signature));
  return token.slice(0, -43) + found;
};

const BAD: Record<string, Forge> = {
  // RFC 8725, 2.1, 3.1 and 3.2: the algorithm is ours to choose.
  'is not signed': (payload) => `${base64({ alg: 'none' })}.${base64(payload)}.`,
  'says alg none, though signed': withHeader({ alg: 'none' }),
  'is signed with HS512': (payload) => forged({ payload, header: { alg: 'HS512' }, hash: 'sha512' }),
  'is rightly signed with RS256': (payload) => {
    const text = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(payload)}`;
    return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
  },
  'is signed with a public key as secret': (payload) =>
    forged({ payload, secret: publicKey.export({ type: 'spki', format: 'pem' }).toString() }),
  'is signed with an empty secret': withHeader({}, ''),
  // 2.8, 3.10, 3.11: what a header says is a stranger's word, and a token of another kind is none of ours.
  'brings its own key': withHeader({ jwk: { kty: 'oct', alg: 'HS256', k: base64(OTHER) } }, OTHER),
  'is of another type': withHeader({ typ: 'at+jwt' }),
  'is of no type': withHeader({ typ: undefined }),
  'wants something understood that we do not know': withHeader({ crit: ['x'], x: 1 }),
  'has a header of null': (payload) => signed(`${base64(null)}.${base64(payload)}`),
  // 3.3: the signature is over every character.
  'has exchanged claims': (good, token) =>
    token.replace(/\.[^.]+\./, `.${base64({ ...good, sub: randomUUID() })}.`),
  'has no signature': (_good, token) => token.replace(/[^.]+$/, ''),
  'has a signature that is spelt in another way': (_good, token) => speltAnew(token),
  'has a padded signature': (_good, token) => `${token}=`,
  'has four parts': (_good, token) => `${token}.x`,
  'is dots': () => '..',
  'has no end': withClaims(() => ({ exp: undefined })),
  'has an end that is no number': withClaims(({ exp }) => ({ exp: `${exp}` })),
  'ended this second': withClaims(({ iat }) => ({ exp: iat })),
  'lives a second too long': withClaims(({ exp }) => ({ exp: exp + 1 })),
  'ends more than 30 days from now': withClaims(({ iat, exp }) => ({ iat: iat + DAY, exp: exp + DAY })),
  'has no beginning': withClaims(() => ({ iat: undefined })),
  'begins later': withClaims(({ iat }) => ({ iat: iat + 61 })),
  'is not to be used yet': withClaims(({ iat }) => ({ nbf: iat + 1 })),
  'names no user': withClaims(() => ({ sub: undefined })),
  'has a user that is no text': withClaims(({ sub }) => ({ sub: [sub] })),
  'has a user that is more than a UUID': withClaims(({ sub }) => ({ sub: `${sub}\n` })),
  'has a user in capital letters': withClaims(({ sub }) => ({ sub: `A${sub.slice(1).toUpperCase()}` })),
  'has a user that does not exist': withClaims(() => ({ sub: randomUUID() })),
  'has claims of null': () => forged({ payload: null }),
  'has claims that are a prototype': (good) => forged({ payload: `{"__proto__":${JSON.stringify(good)}}` }),
  ...Object.fromEntries(
    [-1, 0.5, '1', null, 2 ** 53].map((gen) => [`is of the generation ${gen}`, withClaims(() => ({ gen }))]),
  ),
};

it('A token that is forged in any way is refused', async () => {
  const { rest, clock, newUser } = await world();
  const { id, token } = await newUser();
  const iat = clock.now().getTime() / 1_000;
  const good = { sub: id, iat, exp: iat + 30 * DAY };
  expect(await rest.as(forged({ payload: good })).get('/api/user/profile')).toMatchObject({ status: 200 });
  for (const [what, forge] of Object.entries(BAD))
    expect(await rest.as(forge(good, token)).get('/api/user/profile'), what).toEqual(notAuthenticated);
});

it('A good token is refused when it is sent as anything but a bearer, or anywhere but in the header', async () => {
  const { base, rest, newUser } = await world();
  const { token } = await newUser();
  const forms = ['', 'Bearer', '…', 'Basic …', 'Bearer…', 'Bearer … …', 'Bearer "…"', 'Bearer: …'];
  const answers = forms.map((form) =>
    rest.get('/api/user/profile', { authorization: form.replaceAll('…', token) }),
  );
  for (const name of ['token', 'access_token', 'authorization'])
    answers.push(rest.get(`/api/user/profile?${name}=${token}`));
  answers.push(rest.get('/api/user/profile', { cookie: `token=${token}` }));
  expect(await Promise.all(answers)).toEqual(answers.map(() => notAuthenticated));
  for (const sent of [5, true, [`Bearer ${token}`], { token }, `Bearer ${'x'.repeat(20_000)}`]) {
    const { errors } = await overWebSocket(base, { query: '{ me { id } }', authorization: sent });
    const extensions = { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' };
    expect(errors, JSON.stringify(sent)).toMatchObject([{ extensions }]);
  }
});

import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { base64, forged, signed } from '../support/forged.js';
import { overWebSocket } from '../support/transports.js';
import { refusal, SECRET, world } from '../support/world.js';

const DAY = 24 * 60 * 60;
const notAuthenticated = refusal(401, 'User not authenticated');

describe('A token is refused', () => {
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
    (claims: (good: Good) => object): Case =>
    (payload) =>
      forged({ payload: { ...payload, ...claims(payload) } });

  const spareBits = (token: string) => {
    const signature = Buffer.from(token.slice(-43), 'base64url');
    const isSame = (text: string) => Buffer.from(text, 'base64url').equals(signature);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    const found = others.find((letter) => letter !== token.at(-1) && isSame(token.slice(-43, -1) + letter));
    return token.slice(0, -1) + found;
  };

  const cases: Record<string, Case> = {
    // RFC 8725, 2.1, 3.1 and 3.2: the algorithm is ours to choose.
    'when it is not signed': (payload) => `${base64({ alg: 'none' })}.${base64(payload)}.`,
    'when it says alg none, though signed': withHeader({ alg: 'none' }),
    'when it is signed with HS512': (payload) =>
      forged({ payload, header: { alg: 'HS512' }, hash: 'sha512' }),
    'when it is rightly signed with RS256': (payload) => {
      const text = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(payload)}`;
      return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
    },
    'when it is signed with a public key as secret': (payload) =>
      forged({ payload, secret: publicKey.export({ type: 'spki', format: 'pem' }).toString() }),
    'when it is signed with an empty secret': withHeader({}, ''),
    // 2.8, 3.10, 3.11: what a header says is a stranger's word, and a token of another kind is none of ours.
    'when it brings its own key': withHeader({ jwk }, OTHER),
    'when it is of another type': withHeader({ typ: 'at+jwt' }),
    'when it is of no type': withHeader({ typ: undefined }),
    'when it wants something understood that we do not know': withHeader({ crit: ['x'], x: 1 }),
    'when its header is null': (payload) => signed(`${base64(null)}.${base64(payload)}`),
    // 3.3: the signature is over every character.
    'when its claims were exchanged': (payload, token) =>
      token.replace(/\.[^.]+\./, `.${base64({ ...payload, sub: randomUUID() })}.`),
    'when its signature is cut off': (_payload, token) => token.replace(/[^.]+$/, ''),
    'when its signature is spelt in another way': (_payload, token) => spareBits(token),
    'when its signature is padded': (_payload, token) => `${token}=`,
    'when it has four parts': (_payload, token) => `${token}.x`,
    'when it is dots': () => '..',
    'when it has no end': withClaims(() => ({ exp: undefined })),
    'when its end is no number': withClaims(({ exp }) => ({ exp: `${exp}` })),
    'when it ended this second': withClaims(({ iat }) => ({ exp: iat })),
    'when it lives a second too long': withClaims(({ exp }) => ({ exp: exp + 1 })),
    'when it ends more than 30 days from now': withClaims(({ iat, exp }) => ({
      iat: iat + DAY,
      exp: exp + DAY,
    })),
    'when it has no beginning': withClaims(() => ({ iat: undefined })),
    'when it begins later': withClaims(({ iat }) => ({ iat: iat + 61 })),
    'when it is not to be used yet': withClaims(({ iat }) => ({ nbf: iat + 1 })),
    'when it names no user': withClaims(() => ({ sub: undefined })),
    'when its user is no text': withClaims(({ sub }) => ({ sub: [sub] })),
    'when its user is more than a UUID': withClaims(({ sub }) => ({ sub: `${sub}\n` })),
    'when its user is in capital letters': withClaims(({ sub }) => ({
      sub: `A${sub.slice(1).toUpperCase()}`,
    })),
    'when its user does not exist': withClaims(() => ({ sub: randomUUID() })),
    'when its claims are null': () => forged({ payload: null }),
    'when its claims are a prototype': (claims) =>
      forged({ payload: `{"__proto__":${JSON.stringify(claims)}}` }),
  };

  it('by REST, whatever is wrong with it', async () => {
    const { rest, clock, newUser } = await world();
    const { id, token } = await newUser();
    const iat = clock.now().getTime() / 1_000;
    for (const [when, make] of Object.entries(cases)) {
      const made = make({ sub: id, iat, exp: iat + 30 * DAY, jti: randomUUID() }, token);
      expect(await rest.as(made).get('/api/user/profile'), when).toEqual(notAuthenticated);
    }
  });

  it('when a WebSocket sends anything but a text as authorization', async () => {
    const { base, newUser } = await world();
    const { token } = await newUser();
    for (const sent of [5, true, [`Bearer ${token}`], { token }, `Bearer ${'x'.repeat(20_000)}`]) {
      const { errors } = await overWebSocket(base, { query: '{ me { id } }', authorization: sent });
      expect(errors, JSON.stringify(sent)).toMatchObject([
        { extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_INVALID' } },
      ]);
    }
  });

  it('when the header reads in another way, and anywhere but in the header', async () => {
    const { rest, newUser } = await world();
    const { token } = await newUser();
    const answers = ['', 'Bearer', '…', 'Basic …', 'Bearer…', 'Bearer … …', 'Bearer "…"', 'Bearer: …'].map(
      (form) => rest.get('/api/user/profile', { authorization: form.replaceAll('…', token) }),
    );
    for (const name of ['token', 'access_token', 'authorization'])
      answers.push(rest.get(`/api/user/profile?${name}=${token}`));
    answers.push(rest.get('/api/user/profile', { cookie: `token=${token}` }));
    expect(await Promise.all(answers)).toEqual(answers.map(() => notAuthenticated));
  });
});

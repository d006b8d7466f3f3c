import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { base64, forged, signed } from '../support/forged.js';
import { overWebSocket, transports } from '../support/transports.js';
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
    'when it says alg with a blank': withHeader({ alg: 'HS256 ' }),
    'when it is signed with HS512': (payload) =>
      forged({ payload, header: { alg: 'HS512' }, hash: 'sha512' }),
    'when it says RS256': withHeader({ alg: 'RS256' }),
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
    'when its key id is a path': withHeader({ kid: '../../../../../dev/null' }, ''),
    'when it is of another type': withHeader({ typ: 'at+jwt' }),
    'when it is of no type': withHeader({ typ: undefined }),
    'when it wants something understood that we do not know': withHeader({ crit: ['x'], x: 1 }),
    'when it wants nothing understood': withHeader({ crit: [] }),
    'when it holds another token': (_payload, token) => forged({ payload: token, header: { cty: 'JWT' } }),
    'when its header is no JSON': (payload) => `${base64('header')}.${base64(payload)}.x`,
    'when its header is null': headed(null),
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
    'when its signature is there twice': (_payload, token) => token + token.replace(/^.*\./, ''),
    'when its signature is spelt in another way': (_payload, token) => spareBits(token),
    'when its signature is padded': (_payload, token) => `${token}=`,
    'when it has two parts': (_payload, token) => token.replace(/\.[^.]+$/, ''),
    'when it has four parts': (_payload, token) => `${token}.x`,
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
    'when it ended this second': (payload) => forged({ payload: { ...payload, exp: payload.iat } }),
    'when it lives a second too long': (payload) => forged({ payload: { ...payload, exp: payload.exp + 1 } }),
    'when it ends more than 30 days from now': (payload) =>
      forged({ payload: { ...payload, iat: payload.iat + DAY, exp: payload.exp + DAY } }),
    'when it has no beginning': withClaims({ iat: undefined }),
    'when it begins later': (payload) => forged({ payload: { ...payload, iat: payload.iat + 61 } }),
    'when it is not to be used yet': (payload) => forged({ payload: { ...payload, nbf: payload.iat + 1 } }),
  };

  const ofUsers: Record<string, Case> = {
    'when it names no user': withClaims({ sub: undefined }),
    'when its user is no text': (payload) => forged({ payload: { ...payload, sub: [payload.sub] } }),
    'when its user is more than a UUID': (payload) =>
      forged({ payload: { ...payload, sub: `${payload.sub}\n` } }),
    'when its user is in capital letters': (payload) =>
      forged({ payload: { ...payload, sub: `A${payload.sub.slice(1).toUpperCase()}` } }),
    'when its user is SQL': withClaims({ sub: "' or true --" }),
    'when its user does not exist': withClaims({ sub: randomUUID() }),
    'when its user is named elsewhere': ({ sub, ...others }) =>
      forged({ payload: { ...others, user_id: sub, userId: sub, id: sub, aud: sub, iss: sub } }),
  };

  const ofClaims: Record<string, Case> = {
    'when its claims are no JSON': written(() => 'claims'),
    'when its claims are null': () => forged({ payload: null }),
    'when its claims are a list': (payload) => forged({ payload: [payload] }),
    'when its claims are a prototype': written((claims) => `{"__proto__":${JSON.stringify(claims)}}`),
    'when its claims begin with a byte order mark': written((claims) => `\ufeff${JSON.stringify(claims)}`),
  };

  const cases = { ofAlgorithms, ofHeaders, ofSignatures, ofTimes, ofUsers, ofClaims };

  it.each(Object.entries(cases))('%s: over REST, and the first over every transport', async (_of, bad) => {
    const { base, rest, clock, newUser } = await world();
    const { id, token } = await newUser();
    const iat = clock.now().getTime() / 1_000;
    const made = Object.entries(bad).map(([when, make]): [string, string] => [
      when,
      make({ sub: id, iat, exp: iat + 30 * DAY, jti: randomUUID() }, token),
    ]);
    for (const [when, each] of made) {
      expect(await rest.as(each).get('/api/user/profile'), when).toEqual(notAuthenticated);
    }
    const [[, first] = []] = made;
    for (const [way, ask] of transports) {
      const { errors } = await ask(base, { query: '{ me { id } }', authorization: `Bearer ${first}` });
      expect(errors, way).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    }
  });

  it('when a WebSocket sends anything but a text as authorization', async () => {
    const { base, newUser } = await world();
    const { token } = await newUser();
    const long = `Bearer ${'x'.repeat(20_000)}`;
    for (const sent of [5, true, false, null, [], [`Bearer ${token}`], { token }, {}, long]) {
      const { errors } = await overWebSocket(base, { query: '{ me { id } }', authorization: sent });
      const reason = sent === null ? 'TOKEN_MISSING' : 'TOKEN_INVALID';
      expect(errors, JSON.stringify(sent)).toMatchObject([
        { extensions: { code: 'UNAUTHENTICATED', reason } },
      ]);
    }
  });

  const forms = ',Bearer,Bearer ,…,Basic …,Token …,Bearer…,Bearer … …,Bearer "…",Bearer: …'.split(',');

  it('when the header reads in another way', async () => {
    const { rest, newUser } = await world();
    const { token } = await newUser();
    for (const form of forms) {
      const answer = await rest.get('/api/user/profile', { authorization: form.replaceAll('…', token) });
      expect(answer, form).toEqual(notAuthenticated);
    }
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

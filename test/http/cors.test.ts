import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { configOf } from '../support/database.js';
import { type Answer, world, worldOf } from '../support/world.js';

const APP = 'https://app.example.com';
const ADMIN = 'http://localhost:5173';
const allowing = () => world({ config: configOf({ CORS_ORIGINS: `${APP}, ${ADMIN}` }) });

const corsHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
const variesBy = ({ headers }: Answer) => headers.get('vary')?.split(/, */) ?? [];

const preflight = (method: string, headers = 'authorization,content-type') => ({
  'access-control-request-method': method,
  'access-control-request-headers': headers,
});

/** A plain request to each API, which both answer with 200. */
const paths = ['/api/tasks/me', '/graphql?query={__typename}'];

describe('Without CORS_ORIGINS', () => {
  it.each(paths)('no page of another origin is let in: %s', async (path) => {
    const { rest } = (await worldOf('ana')).ana;
    for (const origin of [APP, 'http://localhost:3000', 'null', rest.base]) {
      const answer = await rest.get(path, { origin });
      expect([answer.status, corsHeaders(answer)]).toEqual([200, {}]);
      const asked = await rest.send('OPTIONS', path, undefined, { origin, ...preflight('POST') });
      expect(corsHeaders(asked)).toEqual({});
    }
  });
});

describe('With CORS_ORIGINS', () => {
  it.each(paths)('a page of one of these origins may read the answer: %s', async (path) => {
    const { newUser } = await allowing();
    const { rest } = await newUser();
    for (const origin of [APP, ADMIN]) {
      const answer = await rest.get(path, { origin });
      expect(answer.status).toBe(200);
      expect(corsHeaders(answer)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Date, Retry-After, Idempotent-Replayed, Error-Reason, Ignored-Fields',
      });
    }
  });

  it.each([
    ['/api/tasks', 'POST'],
    ['/api/tasks/1', 'PUT'],
    ['/api/user/profile', 'GET'],
    ['/graphql', 'POST'],
    ['/graphql', 'GET'],
  ])('a preflight is answered without a token: %s, %s', async (path, method) => {
    const { rest } = await allowing();
    const answer = await rest.send('OPTIONS', path, undefined, { origin: APP, ...preflight(method) });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(corsHeaders(answer)).toEqual({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'GET, POST, PUT',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Graphql-Cost',
      'access-control-max-age': '7200',
    });
  });

  it('a page may read refusals as well', async () => {
    const { rest, newUser } = await allowing();
    const ana = await newUser();
    const headers = { origin: APP };
    const answers = {
      400: await ana.rest.post('/api/tasks', {}, headers),
      401: await rest.get('/api/tasks/me', headers),
      404: await ana.rest.get('/api/nowhere', headers),
      413: await ana.rest.post('/graphql', { query: 'x'.repeat(300_000) }, headers),
      415: await ana.rest.post('/graphql', 'x', { ...headers, 'content-type': 'text/plain' }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status));
      expect(answer.headers.get('access-control-allow-origin')).toBe(APP);
    }
  });

  it('a page may read when to try again, and that an answer is an earlier one', async () => {
    const { rest, newUser } = await world({
      config: { ...configOf({ CORS_ORIGINS: APP, TRUST_PROXY: '1' }), loginAttemptsPerAccount: 1 },
    });
    const ana = await newUser();
    const wrong = { ...ana.account, password: 'wrong!' };
    const headers = { origin: APP, 'x-forwarded-for': ana.id };
    await rest.post('/api/auth/login', wrong, headers);
    const throttled = await rest.post('/api/auth/login', wrong, headers);
    const task = await ana.hasTask();
    const doing = { origin: APP, 'idempotency-key': 'a' };
    await ana.completes(task, doing);
    const replayed = await ana.completes(task, doing);
    for (const [answer, header] of [
      [throttled, 'Retry-After'],
      [replayed, 'Idempotent-Replayed'],
    ] as const) {
      expect(answer.headers.get(header)).not.toBeNull();
      expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain(header);
    }
  });

  it('a page may read an event stream as well', async () => {
    const { base } = await allowing();
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { origin: APP, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __typename }' }),
    });
    expect(response.headers.get('content-type')).toMatch('text/event-stream');
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    await response.body?.cancel();
  });

  it.each([
    'https://evil.example',
    'null',
    '*',
    '',
    `${APP}.evil.example`,
    `${APP}:8443`,
    `${APP}/`,
    'http://app.example.com',
    'https://APP.example.com',
    'https://evil.example/https://app.example.com',
    `${APP},${ADMIN}`,
    `${APP}, ${APP}`,
  ])('a page of no other origin is let in: %j', async (origin) => {
    const { newUser } = await allowing();
    const { rest } = await newUser();
    for (const path of paths) {
      expect(corsHeaders(await rest.get(path, { origin }))).toEqual({});
      expect(
        corsHeaders(await rest.send('OPTIONS', path, undefined, { origin, ...preflight('PUT') })),
      ).toEqual({});
    }
  });

  it('every answer says that it depends on the origin, so that no cache mixes them up', async () => {
    const { newUser } = await allowing();
    const { rest } = await newUser();
    for (const path of [...paths, '/api/openapi.json', '/graphql']) {
      for (const from of [undefined, APP, 'https://evil.example']) {
        const answer = await rest.get(path, { accept: '*/*', ...(from && { origin: from }) });
        expect(variesBy(answer), path).toContain('Origin');
      }
      const asked = await rest.send('OPTIONS', path, undefined, { origin: APP, ...preflight('GET') });
      expect(variesBy(asked)).toContain('Origin');
    }
  });

  it('neither cookies nor any other method, header or path is let in', async () => {
    const { rest } = await allowing();
    const headers = { origin: APP, ...preflight('DELETE', 'x-hostile, cookie') };
    const answer = await rest.send('OPTIONS', '/api/tasks', undefined, headers);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('access-control-allow-methods')).not.toContain('DELETE');
    expect(answer.headers.get('access-control-allow-headers')).not.toMatch(/hostile|cookie/i);
    for (const path of ['/health/live', '/nowhere', '/']) {
      expect(corsHeaders(await rest.get(path, { origin: APP }))).toEqual({});
    }
  });
});

describe('CORS_ORIGINS', () => {
  it.each([
    [APP, [APP]],
    [`${APP},${ADMIN}`, [APP, ADMIN]],
    [` ${APP} , http://192.168.1.7:8080 `, [APP, 'http://192.168.1.7:8080']],
    ['http://[::1]:3000', ['http://[::1]:3000']],
    ['https://xn--bcher-kva.example', ['https://xn--bcher-kva.example']],
    ['', []],
  ])('may be %j', (CORS_ORIGINS, corsOrigins) => {
    expect(readConfig({ CORS_ORIGINS })).toMatchObject({ corsOrigins });
  });

  it.each([
    '*',
    'null',
    'app.example.com',
    `${APP}/`,
    `${APP}/path`,
    `${APP}?x`,
    'https://*.example.com',
    'https://app.example.com:443',
    'http://app.example.com:80',
    'https://ana:secret@app.example.com',
    'https://APP.example.com',
    'https://bücher.example',
    'ftp://app.example.com',
    'file:///index.html',
    `${APP},`,
    `${APP} ${ADMIN}`,
  ])('may not be %j, and the start says so', (CORS_ORIGINS) => {
    const message = `CORS_ORIGINS is ${JSON.stringify(CORS_ORIGINS)}, but must be origins such as https://app.example.com, separated by commas.`;
    expect(() => readConfig({ CORS_ORIGINS })).toThrow(message);
  });
});

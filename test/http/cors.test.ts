import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { readConfig } from '../../src/features/settings.js';
import { configOf } from '../support/database.js';
import { socketAddress } from '../support/live.js';
import { type Answer, world, worldOf } from '../support/world.js';

const APP = 'https://app.example.com';
const ADMIN = 'http://localhost:5173';
const allowing = () => world({ config: configOf({ CORS_ORIGINS: `${APP}, ${ADMIN}` }) });

const corsHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const preflight = (method: string, headers = 'authorization,content-type') => ({
  'access-control-request-method': method,
  'access-control-request-headers': headers,
});

/** A plain request to each API, which both answer with 200. */
const paths = ['/api/tasks/me', '/graphql?query={__typename}'];

describe('Without CORS_ORIGINS', () => {
  it.each(paths)('no page of another origin is let in: %s', async (path) => {
    const { rest } = (await worldOf('ana')).ana;
    for (const origin of [APP, 'null', rest.base]) {
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
    ['/api/tasks/1', 'PUT'],
    ['/graphql', 'POST'],
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

  it('a page may read refusals and event streams as well', async () => {
    const { rest, newUser } = await allowing();
    const ana = await newUser();
    const headers = { origin: APP };
    const answers = {
      200: await ana.rest.post('/graphql', { query: '{ _ }' }, { ...headers, accept: 'text/event-stream' }),
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

  it.each([
    ...['https://evil.example', 'null', '*', '', `${APP}.evil.example`, `${APP}:8443`, `${APP}/`],
    ...['http://app.example.com', 'https://APP.example.com', `https://evil.example/${APP}`],
    `${APP},${ADMIN}`,
  ])('a page of no other origin is let in: %j', async (origin) => {
    const { newUser } = await allowing();
    const { rest } = await newUser();
    for (const path of paths) {
      const asked = await rest.send('OPTIONS', path, undefined, { origin, ...preflight('PUT') });
      expect([corsHeaders(await rest.get(path, { origin })), corsHeaders(asked)]).toEqual([{}, {}]);
    }
  });

  it('every answer says that it depends on the origin, so that no cache mixes them up', async () => {
    const { newUser } = await allowing();
    const { rest } = await newUser();
    for (const path of [...paths, '/api/openapi.json', '/graphql']) {
      const answers = [
        await rest.get(path, { accept: '*/*' }),
        await rest.get(path, { accept: '*/*', origin: APP }),
        await rest.send('OPTIONS', path, undefined, { origin: APP, ...preflight('GET') }),
      ];
      for (const { headers } of answers) expect(headers.get('vary')?.split(/, */), path).toContain('Origin');
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
    [` ${APP} , http://192.168.1.7:8080 `, [APP, 'http://192.168.1.7:8080']],
    ['http://[::1]:3000', ['http://[::1]:3000']],
    ['', []],
  ])('may be %j', (CORS_ORIGINS, corsOrigins) => {
    expect(readConfig({ CORS_ORIGINS })).toMatchObject({ corsOrigins });
  });

  it.each([
    ...['*', 'null', 'app.example.com', `${APP}/`, `${APP}?x`, `${APP}:443`, 'https://*.example.com'],
    ...['https://ana:secret@app.example.com', 'https://APP.example.com', 'https://bücher.example'],
    ...['ftp://app.example.com', `${APP},`, `${APP} ${ADMIN}`],
  ])('may not be %j, and the start says so', (CORS_ORIGINS) => {
    const message = `CORS_ORIGINS is ${JSON.stringify(CORS_ORIGINS)}, but must be origins such as https://app.example.com, separated by commas.`;
    expect(() => readConfig({ CORS_ORIGINS })).toThrow(message);
  });
});

/** What becomes of a WebSocket that a page of this origin opens. */
const opened = (base: string, origin?: string) =>
  new Promise<string | number | undefined>((resolve) => {
    const socket = new WebSocket(socketAddress({ base }), 'graphql-transport-ws', {
      ...(origin && { origin }),
    });
    socket.on('error', () => {});
    socket.on('unexpected-response', (request, { statusCode }) => {
      resolve(statusCode);
      request.destroy();
    });
    socket.on('open', () => {
      resolve('open');
      socket.terminate();
    });
  });

describe('A WebSocket, for which browsers ask no leave,', () => {
  it('is opened for our own pages, for clients that are no pages, and for no page of another origin', async () => {
    const { base } = await world();
    expect(await opened(base, base)).toBe('open');
    expect(await opened(base, base.replace('http', 'https'))).toBe('open'); // behind a proxy with TLS
    expect(await opened(base)).toBe('open');
    for (const origin of ['https://evil.example', 'null', 'http://localhost', 'file://', APP, 'nonsense'])
      expect(await opened(base, origin), origin).toBe(403);
  });

  it('is opened for a page of an origin that is let in', async () => {
    const { base } = await allowing();
    expect(await opened(base, APP)).toBe('open');
    expect(await opened(base, `${APP}.evil.example`)).toBe(403);
  });
});

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

it('Without CORS_ORIGINS no page of another origin is let in', async () => {
  const { rest } = (await worldOf('ana')).ana;
  for (const path of paths)
    for (const origin of [APP, 'null', rest.base]) {
      const answer = await rest.get(path, { origin });
      expect([answer.status, corsHeaders(answer)]).toEqual([200, {}]);
      const asked = await rest.send('OPTIONS', path, undefined, { origin, ...preflight('POST') });
      expect(corsHeaders(asked)).toEqual({});
    }
});

describe('With CORS_ORIGINS', () => {
  it('a page of one of these origins may read answers, refusals and event streams', async () => {
    const { rest, newUser } = await allowing();
    const ana = await newUser();
    for (const origin of [APP, ADMIN]) {
      const stream = { origin, accept: 'text/event-stream' };
      const text = { origin, 'content-type': 'text/plain' };
      for (const [status, answer] of [
        [200, await ana.rest.get('/api/tasks/me', { origin })],
        [200, await ana.rest.get('/graphql?query={__typename}', { origin })],
        [200, await ana.rest.post('/graphql', { query: '{ _ }' }, stream)],
        [400, await ana.rest.post('/api/tasks', {}, { origin })],
        [401, await rest.get('/api/tasks/me', { origin })],
        [404, await ana.rest.get('/api/nowhere', { origin })],
        [413, await ana.rest.post('/graphql', { query: 'x'.repeat(300_000) }, { origin })],
        [415, await ana.rest.post('/graphql', 'x', text)],
      ] as const) {
        expect(answer.status).toBe(status);
        expect(corsHeaders(answer)).toEqual({
          'access-control-allow-origin': origin,
          'access-control-expose-headers':
            'Date, Retry-After, Idempotent-Replayed, Error-Reason, Ignored-Fields',
        });
      }
    }
  });

  it('a preflight is answered without a token, and lets in neither cookies nor any other method or header', async () => {
    const { rest } = await allowing();
    for (const [path, method] of [
      ['/api/tasks/1', 'PUT'],
      ['/graphql', 'POST'],
      ['/api/tasks', 'DELETE'],
    ] as const) {
      const headers = { origin: APP, ...preflight(method, 'authorization, x-hostile, cookie') };
      const answer = await rest.send('OPTIONS', path, undefined, headers);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(corsHeaders(answer)).toEqual({
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'GET, POST, PUT',
        'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, Graphql-Cost',
        'access-control-max-age': '7200',
      });
    }
    for (const path of ['/health/live', '/nowhere', '/'])
      expect(corsHeaders(await rest.get(path, { origin: APP }))).toEqual({});
  });

  it('a page of no other origin is let in', async () => {
    const { rest } = await (await allowing()).newUser();
    for (const origin of [
      ...['https://evil.example', 'null', '*', '', `${APP}.evil.example`, `${APP}:8443`, `${APP}/`],
      ...['http://app.example.com', 'https://APP.example.com', `https://evil.example/${APP}`],
      `${APP},${ADMIN}`,
    ])
      for (const path of paths) {
        const asked = await rest.send('OPTIONS', path, undefined, { origin, ...preflight('PUT') });
        const answers = [corsHeaders(await rest.get(path, { origin })), corsHeaders(asked)];
        expect(answers, origin).toEqual([{}, {}]);
      }
  });

  it('every answer says that it depends on the origin, so that no cache mixes them up', async () => {
    const { rest } = await (await allowing()).newUser();
    for (const path of [...paths, '/api/openapi.json', '/graphql'])
      for (const { headers } of [
        await rest.get(path, { accept: '*/*' }),
        await rest.get(path, { accept: '*/*', origin: APP }),
        await rest.send('OPTIONS', path, undefined, { origin: APP, ...preflight('GET') }),
      ])
        expect(headers.get('vary')?.split(/, */), path).toContain('Origin');
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
    const socket = new WebSocket(socketAddress({ base }), 'graphql-transport-ws', origin ? { origin } : {});
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

it('A WebSocket, for which browsers ask no leave, is opened for our own pages, origins that are let in, and clients that are no pages', async () => {
  const { base } = await world();
  const behindTls = base.replace('http', 'https');
  for (const origin of [base, behindTls, undefined]) expect(await opened(base, origin)).toBe('open');
  for (const origin of ['https://evil.example', 'null', 'http://localhost', 'file://', APP, 'nonsense'])
    expect(await opened(base, origin), origin).toBe(403);
  const other = await allowing();
  expect(await opened(other.base, APP)).toBe('open');
  expect(await opened(other.base, `${APP}.evil.example`)).toBe(403);
});

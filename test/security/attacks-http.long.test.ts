import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { rawConnection } from '../support/raw.js';
import { world } from '../support/world.js';

/** What comes back on a connection for exactly these bytes. */
async function bytes(base: string, text: string): Promise<string> {
  const connection = await rawConnection({ base });
  connection.send(text);
  return connection.all();
}

const request = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

const asBrowser = { accept: 'text/html,*/*;q=0.8' };

describe('What a caller sends', () => {
  const CRLF = 'x\r\nSet-Cookie: hostile=1';

  it('puts no header into an answer', async () => {
    const { base, rest, newUser } = await world({ config: configOf({ TRUST_PROXY: '1' }) });
    const ana = await newUser({ name: CRLF });
    const task = await ana.hasTask({ title: CRLF, description: CRLF });
    const encoded = encodeURIComponent(CRLF);
    const forwarded = { 'x-forwarded-for': 'hostile', 'x-forwarded-host': 'hostile' };
    const answers = [
      await ana.rest.get('/api/user/profile', forwarded),
      await ana.rest.put(`/api/tasks/${encoded}`, { title: CRLF }),
      await ana.completes(task, { 'idempotency-key': 'hostile', origin: 'https://hostile.example' }),
      await ana.completes(task, { 'idempotency-key': 'hostile' }),
      await ana.rest.get(`/${encoded}?${encoded}`),
      await rest.post('/api/auth/login', { email: CRLF, password: CRLF }),
      await ana.rest.post('/graphql', { query: `{ me { name } } # ${encoded}`, operationName: CRLF }),
      await rest.get(`/graphql?query=${encoded}`, { ...asBrowser, ...forwarded }),
      await rest.send('OPTIONS', '/api/tasks', undefined, { origin: 'https://hostile.example' }),
    ];
    for (const { headers } of answers) expect([...headers].join('\n')).not.toContain('hostile');
    const raw = await bytes(base, request('GET /api/%0d%0aSet-Cookie:hostile=1'));
    expect(raw).toMatch(/^HTTP\/1\.1 404 /);
    expect(raw).not.toMatch(/set-cookie/i);
  });

  it('opens no file of ours', async () => {
    const { base } = await world();
    for (const line of [
      'GET /../../../../etc/passwd',
      'GET /api/docs/..%2f..%2fpackage.json',
      'GET /graphql-playground/assets/%2e%2e/%2e%2e/index.html',
      'GET /graphql-playground/assets/..\\..\\index.html',
      'GET /.data/jwt-secret',
      'GET /package.json',
    ]) {
      const answer = await bytes(base, request(line));
      expect(String(statusOf(answer)), line).toMatch(/^4/);
      expect(answer).not.toMatch(/node_modules|dependencies|repositoryformatversion|root:/);
    }
  });
});

it('Over plain http no page forces https, on which a local network would show nothing', async () => {
  const { rest } = await world();
  for (const page of ['/graphql', '/api/docs', '/api/openapi.json']) {
    const { status, headers } = await rest.get(page, asBrowser);
    expect(status, page).toBe(200);
    const policy = headers.get('content-security-policy');
    expect(policy).not.toMatch(/upgrade-insecure-requests|block-all-mixed-content/);
    expect([...headers.keys()].join()).not.toMatch(/strict-transport-security|cross-origin-opener-policy/);
  }
});

it('An answer of the API is nothing that a browser would show, run or frame', async () => {
  const { rest } = await (await world()).newUser();
  for (const path of ['/api/user/profile', '/nowhere'])
    expect(Object.fromEntries((await rest.get(path)).headers)).toMatchObject({
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    });
});

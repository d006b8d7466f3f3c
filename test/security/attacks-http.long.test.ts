import net, { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectCheap, someOf } from '../support/cpu.js';
import { configOf } from '../support/database.js';
import { rawConnection } from '../support/raw.js';
import { refusal, world, worldOf } from '../support/world.js';

/** What comes back on a connection for exactly these bytes. */
async function bytes(base: string, text: string): Promise<string> {
  const connection = await rawConnection({ base });
  connection.send(text);
  return connection.all();
}

const request = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

const pages = [
  '/graphql',
  '/api/docs',
  '/api/docs/start.js',
  '/api/docs/swagger-ui.css',
  '/api/openapi.json',
];
const asBrowser = { accept: 'text/html,*/*;q=0.8' };

/** All that an answer may carry; a header that is new is to be looked at. */
const HEADERS = [
  ...['allow', 'accept-ranges', 'cache-control', 'connection', 'content-length', 'content-security-policy'],
  ...['content-type', 'cross-origin-resource-policy', 'date', 'etag', 'idempotent-replayed', 'keep-alive'],
  ...['last-modified', 'referrer-policy', 'retry-after', 'transfer-encoding', 'vary', 'x-accel-buffering'],
  ...['x-content-type-options', 'x-dns-prefetch-control', 'x-download-options', 'x-frame-options'],
  ...['x-permitted-cross-domain-policies', 'x-request-id', 'x-xss-protection', 'error-reason'],
  'www-authenticate',
];

describe('What a caller sends', () => {
  const CRLF = 'x\r\nSet-Cookie: hostile=1';

  it('puts no header into an answer', async () => {
    const { base, rest, newUser } = await world({ config: configOf({ TRUST_PROXY: '1' }) });
    const ana = await newUser({ name: CRLF });
    const task = await ana.hasTask({ title: CRLF, description: CRLF });
    const encoded = encodeURIComponent(CRLF);
    const forwarded = {
      'x-forwarded-for': 'hostile',
      'x-forwarded-host': 'hostile',
      'x-forwarded-proto': 'hostile',
    };
    const answers = [
      await ana.rest.get('/api/user/profile', forwarded),
      await ana.rest.put(`/api/tasks/${encoded}`, { title: CRLF }),
      await ana.rest.put(`/api/tasks/${task.id}`, { title: CRLF }),
      await ana.completes(task, { 'idempotency-key': 'hostile', origin: 'https://hostile.example' }),
      await ana.completes(task, { 'idempotency-key': 'hostile' }),
      await ana.rest.get(`/${encoded}?${encoded}`),
      await rest.post('/api/auth/login', { email: CRLF, password: CRLF }),
      await ana.rest.post('/graphql', { query: `{ me { name } } # ${encoded}`, operationName: CRLF }),
      await ana.rest.post('/graphql', { query: '{ tasks(after: "x\\r\\nhostile: 1") { totalCount } }' }),
      await rest.get(`/graphql?query=${encoded}`, { ...asBrowser, ...forwarded }),
      await rest.send('OPTIONS', '/api/tasks', undefined, { origin: 'https://hostile.example' }),
      ...(await Promise.all(pages.map((page) => rest.get(page, asBrowser)))),
    ];
    for (const { headers } of answers) {
      expect(HEADERS).toEqual(expect.arrayContaining([...headers.keys()]));
      for (const [name, value] of headers) expect(`${name}: ${value}`).not.toContain('hostile');
    }
    const raw = await bytes(base, request('GET /api/%0d%0aSet-Cookie:hostile=1'));
    expect(raw).toMatch(/^HTTP\/1\.1 404 /);
    expect(raw).not.toMatch(/set-cookie/i);
  });

  it('gets the same answer, whatever host X-Forwarded-Host or the target names', async () => {
    const { base, newUser } = await world({ config: configOf({ TRUST_PROXY: '1' }) });
    const { token } = await newUser();
    const ask = async (line: string, ...headers: string[]) =>
      (
        await bytes(base, request(line, `Authorization: Bearer ${token}`, 'Accept: text/html', ...headers))
      ).replace(/(date|x-request-id): .*/gi, '');
    for (const path of ['/api/user/profile', '/api/docs', '/api/docs/', '/graphql', '/nowhere']) {
      const usual = await ask(`GET ${path}`);
      expect(await ask(`GET ${path}`, 'X-Forwarded-Host: hostile.example')).toBe(usual);
      expect(await ask(`GET ${path}`, 'X-Forwarded-Proto: https')).toBe(usual);
      expect(await ask(`GET http://hostile.example${path}`)).toBe(usual);
    }
  });

  it('does not turn one method into another', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    const override = { 'x-http-method-override': 'PUT', 'x-http-method': 'PUT', 'x-method-override': 'PUT' };
    const body = { name: 'Changed', _method: 'PUT' };
    expect(await rest.post('/api/user/profile?_method=PUT', body, override)).toEqual(refusal(405));
    expect(await rest.get('/api/user/profile?_method=PUT', override)).toMatchObject({
      status: 200,
      body: { id, name: 'Ana' },
    });
  });

  it.each([
    'GET /api/%',
    'GET /api/tasks/%00',
    'GET /../../../../etc/passwd',
    'GET /api/docs/..%2f..%2fpackage.json',
    'GET /graphql-playground/assets/%2e%2e/%2e%2e/index.html',
    'GET /graphql-playground/assets/..\\..\\index.html',
    'GET /.data/jwt-secret',
    'GET /.git/config',
    'GET /package.json',
  ])('opens no file of ours: %j', async (line) => {
    const { base } = await world();
    const answer = await bytes(base, request(line));
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
    expect(statusOf(answer)).toBeLessThan(500);
    expect(answer).not.toMatch(/node_modules|dependencies|repositoryformatversion|root:/);
  });

  it.each([
    ['a greeting in TLS', 400, '\x16\x03\x01\x00\xf8\x01\x00\x00\xf4\x03\x03'],
    ['a greeting in HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method nobody knows', 400, request('BREW /')],
    ['bare line feeds', 400, 'GET / HTTP/1.1\nHost: x\n\n'],
    ['a NUL in a header', 400, request('GET /', 'A: a\0b')],
    ['a target that is no URL', 400, request('GET http://[')],
    ['a WebSocket elsewhere', 404, request('GET /', 'Connection: Upgrade', 'Upgrade: websocket')],
    ['nonsense without end', 400, 'nonsense'.repeat(1_000_000)],
  ])('that never becomes a request is answered in JSON: %s', async (_what, status, text) => {
    const { base } = await world();
    const answer = await bytes(base, text);
    expect(statusOf(answer)).toBe(status);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({ error: expect.any(String) });
  });
});

describe('A quarter of a megabyte of chosen text keeps nobody busy', () => {
  const fields: [endpoint: string, field: string][] = [
    ['POST /api/auth/signup', 'name'],
    ['POST /api/auth/signup', 'email'],
    ['POST /api/auth/login', 'email'],
    ['POST /api/auth/login', 'password'],
    ['PUT /api/user/profile', 'profile_picture'],
    ['PUT /api/user/profile', 'newPassword'],
    ['POST /api/tasks', 'description'],
  ];
  const others: Record<string, string> = {
    name: 'Ana',
    email: 'ana@example.com',
    password: 'wrong!',
    title: 'Swim',
  };
  const pieces = [' ', '@', 'a@', 'http://', 'https://a.', '%', '\u{1f511}', 'é', '\t\n'];
  const LIMIT = 500;

  it.each(fields)('%s, %s', async (endpoint, field) => {
    const { newUser } = await world({ config: { ...configOf(), loginAttemptsPerAddress: 1_000_000 } });
    const { rest } = await newUser();
    const [method = '', path = ''] = endpoint.split(' ');
    for (const piece of someOf(pieces)) {
      const text = `http://${piece.repeat(Math.floor(230_000 / Buffer.byteLength(JSON.stringify(piece))))}`;
      const ask = async () => {
        const { status } = await rest.send(method, path, { ...others, [field]: text });
        expect(status).toBeLessThan(500);
      };
      await expectCheap(ask, LIMIT, piece);
    }
  });
});

describe('The address of a picture', () => {
  it('is kept and never asked for', async () => {
    let visitors = 0;
    const listener = net.createServer((socket) => {
      visitors += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void listener.close());
    const picture = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/me.png`;

    const { ana, rest } = await worldOf('ana');
    await ana.rest.put('/api/user/profile', { profile_picture: picture });
    await ana.query(
      'mutation ($url: String) { updateProfile(input: { profilePicture: $url }) { user { id } } }',
      {
        url: `${picture}?2`,
      },
    );
    await ana.query('{ me { profilePicture } }');
    await ana.completes(await ana.hasTask());
    await rest.post('/api/auth/login', ana.account);
    expect(await ana.profile()).toMatchObject({ profile_picture: `${picture}?2` });
    expect(visitors).toBe(0);
  });
});

describe('Over plain http', () => {
  it('no page forces https, on which a local network would show nothing', async () => {
    const { rest } = await world();
    for (const page of pages) {
      const { status, headers } = await rest.get(page, asBrowser);
      expect(status, page).toBe(200);
      expect(headers.get('strict-transport-security')).toBeNull();
      expect(headers.get('cross-origin-opener-policy')).toBeNull();
      expect(headers.get('content-security-policy')).not.toMatch(
        /upgrade-insecure-requests|block-all-mixed-content/,
      );
    }
  });

  it.each(['/graphql', '/api/docs'])('%s may run all that it brings, and nothing else', async (path) => {
    const { rest } = await world();
    const page = await rest.get(path, asBrowser);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    const brought = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
    expect(brought.length).toBeGreaterThan(2);
    for (const url of brought.filter((each) => !each.startsWith('data:image/'))) {
      expect(url).toMatch(/^\/[^/]/);
      const { status, headers } = await rest.get(url);
      expect(status, url).toBe(200);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-type')).toMatch(/^(text\/(javascript|css)|image\/)/);
    }
    // No script in the page itself: the policy would not run it.
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>|\son\w+=/i);
  });

  it.each(['/api/user/profile', '/health/live', '/nowhere', '/api/challenge-templates'])(
    '%s is nothing that a browser would show, run or frame',
    async (path) => {
      const { newUser } = await world();
      const { headers } = await (await newUser()).rest.get(path);
      expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    },
  );
});

import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { socketAddress } from '../support/live.js';
import { rawConnection, socketTo } from '../support/raw.js';
import { type TestUser, world } from '../support/world.js';

interface RawAnswer {
  status: number;
  type: string | undefined;
  text: string;
}

/** Sends bytes as they are; answers what comes back until the connection ends. */
async function ask(base: string, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = await rawConnection({ base });
  connection.send(bytes);
  const [head = '', ...rest] = (await connection.all()).split('\r\n\r\n');
  const type = /^content-type: ([^;\r]*)/im.exec(head)?.[1];
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), type, text: rest.join('\r\n\r\n') };
}

const request = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;
const bearer = ({ token }: TestUser) => `Authorization: Bearer ${token}`;

const refused = (status: number, error: unknown = expect.any(String)) => ({
  status,
  type: 'application/json',
  body: { error },
});
const withBody = ({ status, type, text }: RawAnswer) => ({ status, type, body: JSON.parse(text) });

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

describe('What never becomes a request', () => {
  it.each<[what: string, status: number, bytes: string]>([
    ['a greeting in TLS', 400, '\x16\x03\x01\x00\xf8\x01\x00\x00\xf4\x03\x03'],
    ['a greeting in HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method nobody knows', 400, request('BREW /')],
    ['a method in lower case', 400, request('get /')],
    ['a version nobody knows', 400, 'GET / HTTP/3.7\r\n\r\n'],
    ['bare line feeds', 400, 'GET / HTTP/1.1\nHost: x\n\n'],
    ['a bare line feed among the headers', 400, 'GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n'],
    ['a bare carriage return among the headers', 400, 'GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n'],
    ['a folded header', 400, request('GET /', 'A: b\r\n c')],
    ['a space before the colon', 400, request('GET /', 'A : b')],
    ['a NUL in a header', 400, request('GET /', 'A: a\0b')],
    ['a control character in a header', 400, request('GET /', 'A: a\x01b')],
    ['a line feed in the target', 400, request('GET /a\nb')],
    ['two lengths', 400, `${request('POST /api/tasks', 'Content-Length: 1', 'Content-Length: 2')}ab`],
    [
      'a length and chunks',
      400,
      `${request('POST /api/tasks', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['an encoding after chunks', 400, request('POST /api/tasks', 'Transfer-Encoding: chunked, gzip')],
    ['an encoding nobody knows', 400, request('POST /api/tasks', 'Transfer-Encoding: xchunked')],
    ['a negative length', 400, request('POST /api/tasks', 'Content-Length: -1')],
    ['a length with a sign', 400, `${request('POST /api/tasks', 'Content-Length: +1')}a`],
    ['a length beyond all numbers', 400, request('POST /api/tasks', `Content-Length: ${'9'.repeat(30)}`)],
    [
      'a chunk without a length',
      400,
      `${request('POST /api/auth/login', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}x\r\n`,
    ],
    [
      'endless remarks on a chunk',
      413,
      `${request('POST /api/auth/login', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}1;${'x'.repeat(20_000)}`,
    ],
    ['headers that are too large', 431, request('GET /', `A: ${'x'.repeat(20_000)}`)],
    ['a target that is too long', 431, request(`GET /${'x'.repeat(20_000)}`)],
    ['a target that is no URL', 400, request('GET http://[')],
    ['an expectation nobody knows', 417, request('GET /', 'Expect: tea')],
    ['a tunnel', 404, request('CONNECT x:443')],
    ['a WebSocket elsewhere', 404, request('GET /', ...UPGRADE)],
    ['a WebSocket without a key', 400, request('GET /graphql', ...UPGRADE, 'Sec-WebSocket-Version: 13')],
    ['a WebSocket of another version', 400, request('GET /graphql', ...UPGRADE, KEY)],
    [
      'a WebSocket with a broken list of protocols',
      400,
      request('GET /graphql', ...UPGRADE, KEY, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: ,,'),
    ],
  ])('%s is answered with %i as JSON', async (_what, status, bytes) => {
    const { base } = await world();
    expect(withBody(await ask(base, bytes))).toEqual(refused(status));
  });

  it.each([
    ['nonsense', 400, 'nonsense'],
    ['for a WebSocket elsewhere', 404, request('GET /', ...UPGRADE)],
  ])('is answered to the end, however much follows: %s', async (_what, status, beginning) => {
    const { base } = await world();
    const bytes = beginning + 'x'.repeat(10_000_000);
    for (let time = 0; time < 3; time += 1) expect(withBody(await ask(base, bytes))).toEqual(refused(status));
  });
});

describe('An odd use of WebSockets:', () => {
  it('a POST that offers one is answered like any other', async () => {
    const { base } = await world();
    const body = '{"query":"{ __typename }"}';
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Upgrade: websocket',
    ];
    const bytes = request('POST /graphql', ...headers).replace('close', 'Upgrade, close');
    expect(await ask(base, bytes + body)).toMatchObject({ status: 200 });
  });

  const messages = [
    ...['{"type":"next","id":"1","payload":{}}', '{"type":"connection_ack"}', '{"type":"nonsense"}'],
    ...['{"type":"error","id":"1","payload":[]}', '{"type":"subscribe"}', '[', '"\\ud800"', ''],
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  ];

  it('a message that is none is answered with close code 4400', async () => {
    const address = socketAddress(await world());
    for (const message of messages) {
      const socket = new WebSocket(address, 'graphql-transport-ws');
      await new Promise((resolve) => socket.once('open', resolve));
      socket.send(message);
      const closed = await new Promise((resolve) => socket.once('close', resolve));
      expect(closed, message.slice(0, 40)).toBe(4400);
    }
  });
});

describe('The target of a request', () => {
  it.each([
    ['as an absolute URL', 'http://elsewhere.example/health/live'],
    ['as an absolute URL with everything', 'https://u:p@elsewhere.example:99999/health/live?a=b#c'],
    ['with a query that cannot be decoded', '/health/live?%&%ff&a=%00'],
  ])('is understood %s', async (_how, target) => {
    const { base } = await world();
    expect(await ask(base, request(`GET ${target}`))).toMatchObject({
      status: 200,
      text: '{"status":"live"}',
    });
  });

  const nowhere = [
    ...['//', '//api/tasks/me', '/api//tasks/me', '/api%2Ftasks%2Fme', '/%2e%2e/api/tasks/me', '/\\', '*'],
    ...['http://x', '/%00', '/%ff', '/%', '/%C0%AE', `/${'x'.repeat(8_000)}`],
    ...['/api/docs/..%2f..%2fpackage.json', '/api/docs/../../../package.json'],
  ];

  it.each(['GET', 'TRACE', 'PATCH', 'PROPFIND'])(
    'of %s is answered with 404 where there is nothing',
    async (method) => {
      const { base } = await world();
      for (const target of nowhere) {
        const answer = withBody(await ask(base, request(`${method} ${target}`)));
        expect(answer, target.slice(0, 40)).toEqual(refused(404));
      }
    },
  );

  const pieces = [
    ...[
      '/',
      '//',
      'api',
      'graphql',
      'tasks',
      'me',
      'docs',
      'health/live',
      'auth/login',
      '1',
      '..',
      '.',
      '?',
      '#',
    ],
    ...[
      '&',
      '=',
      ';',
      ':',
      '@',
      '[',
      ']',
      '%',
      '%2f',
      '%00',
      '%ff',
      '%u0041',
      '\\',
      '*',
      '|',
      '"',
      '<',
      '{',
      '\xff',
    ],
    ...[
      'http:',
      'x',
      'javascript:',
      '\xa0',
      '\x7f',
      '^',
      '`',
      'query={__typename}',
      'variables=',
      '__proto__',
      '+',
    ],
  ];
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PATCH', 'QUERY'];

  it('may be anything at all: the answer is JSON or a page of ours, and never a fault', async () => {
    const { base, newUser } = await world();
    const token = bearer(await newUser());
    const target = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...methods),
        fc.constantFrom('', '/'),
        target,
        async (method, first, rest) => {
          const answer = await ask(base, request(`${method} ${first}${rest.join('')}`, token));
          expect(answer.status).toBeGreaterThanOrEqual(200);
          expect(answer.status).toBeLessThan(500);
          expect(answer.text).not.toMatch(/<pre>|node_modules/);
          const isPlain = method === 'OPTIONS' || answer.status < 400;
          if (!isPlain) expect(answer.type).toBe('application/json');
        },
      ),
      { numRuns: Number(process.env.ODD_TARGETS ?? 500) },
    );
  });
});

/** The same on both APIs: where it goes, a body that is fine, and with what it is answered then. */
const apis: [api: string, path: string, body: string, status: number][] = [
  ['REST', '/api/tasks', '{"title":"Swim"}', 201],
  ['GraphQL', '/graphql', '{"query":"{ __typename }","more":"Swim"}', 200],
];

describe.each(apis)('A body over %s', (_face, path, fine, success) => {
  const send = async (body: Buffer | string, ...headers: string[]) => {
    const { base, newUser } = await world();
    const bytes = Buffer.from(body);
    const about = headers.some((each) => each.startsWith('Content-Type'))
      ? []
      : ['Content-Type: application/json'];
    const lines = [bearer(await newUser()), ...about, `Content-Length: ${bytes.length}`, ...headers];
    const { status, type } = await ask(
      base,
      Buffer.concat([Buffer.from(request(`POST ${path}`, ...lines)), bytes]),
    );
    expect(type).toBe('application/json');
    return status;
  };

  it.each<[encoding: string, pack: (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    // At its best it takes seconds, in which connections that lie idle are closed.
    ['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdCompressSync],
  ])('is unpacked from %s, up to its limit, and refused when it is broken', async (encoding, pack) => {
    const packed = pack(fine);
    expect(await send(packed, `Content-Encoding: ${encoding}`)).toBe(success);
    expect(await send(pack(`"${'x'.repeat(5_000_000)}"`), `Content-Encoding: ${encoding}`)).toBe(413);
    for (const broken of ['', 'hello', packed.subarray(0, packed.length - 9), packed.subarray(5)]) {
      expect(await send(broken, `Content-Encoding: ${encoding}`)).toBe(400);
    }
  });

  it('is not unpacked from anything else', async () => {
    const packed = gzipSync(fine);
    for (const encoding of ['x-gzip', 'compress', 'gzip, gzip', 'nonsense', '__proto__']) {
      expect(await send(packed, `Content-Encoding: ${encoding}`), encoding).toBe(415);
    }
  });

  it('may begin with a byte order mark', async () => {
    expect(await send(`\ufeff${fine}`)).toBe(success);
  });

  it('in another encoding than UTF-8 is answered with 415, or 400 where no charset is named', async () => {
    const wide = Buffer.from(fine, 'utf16le');
    for (const charset of ['utf-16', 'utf-16le', 'utf-7', 'utf-99']) {
      const bytes = charset.startsWith('utf-16') ? wide : fine;
      expect(await send(bytes, `Content-Type: application/json; charset=${charset}`), charset).toBe(415);
    }
    expect(await send(wide)).toBe(400);
    const broken = {
      'a byte that is no character': '\xff',
      'half a character': '\xe2\x82',
      'a character in more bytes than it needs': '\xc0\xaf',
      'a surrogate': '\xed\xa0\x80',
      'a character beyond all characters': '\xf5\x80\x80\x80',
      'Latin-1': 'Schwimmen f\xfcr alle',
    };
    for (const [what, bytes] of Object.entries(broken)) {
      expect(await send(Buffer.from(fine.replace('Swim', bytes), 'latin1')), what).toBe(400);
    }
  });

  it('that is cut off in the middle disturbs nobody', async () => {
    const { base, newUser } = await world();
    const ana = await newUser();
    const headers = [bearer(ana), 'Content-Type: application/json', 'Content-Length: 100'];
    for (const how of ['end', 'resetAndDestroy'] as const) {
      const socket = socketTo({ base });
      await new Promise<void>((resolve) =>
        socket.write(request(`POST ${path}`, ...headers) + fine, () => resolve()),
      );
      socket[how]();
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
    }
    expect((await ana.rest.get('/api/tasks/me')).body).toEqual([]);
  });
});

describe('GraphQL', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  it.each<[what: string, body: string]>([
    [
      'variables nested 50,000 times',
      `{"query":"query($i:ID!){task(id:$i){id}}","variables":{"i":${nested(50_000)}}}`,
    ],
    [
      'a day nested 50,000 times',
      `{"query":"query($d:Date!){me{calendar(from:$d,to:$d){__typename}}}","variables":{"d":${nested(50_000)}}}`,
    ],
    [
      'an input nested 20,000 times',
      `{"query":"mutation($i:CreateTaskInput!){createTask(input:$i){task{id}}}","variables":{"i":${'{"title":'.repeat(20_000)}1${'}'.repeat(20_000)}}}`,
    ],
    [
      'extensions nested 20,000 times',
      `{"query":"{x}","extensions":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
    ],
    ['a query nested 20,000 times', `${'{"query":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['an operation name nested 50,000 times', `{"query":"{x}","operationName":${nested(50_000)}}`],
    ['an argument nested 900 times', JSON.stringify({ query: `{task(id:${nested(900)}){id}}` })],
    ['a document of 200,000 braces', JSON.stringify({ query: '{'.repeat(200_000) })],
    ['a NUL in the document', '{"query":"{__typename}\\u0000"}'],
    ['a lone surrogate in the document', '{"query":"{task(id:\\"\\ud800\\"){id}}"}'],
    [
      'an escaped lone surrogate',
      '{"query":"mutation{createTask(input:{title:\\"\\\\ud800\\"}){task{id}}}"}',
    ],
    [
      'a lone surrogate in a variable',
      '{"query":"mutation($t:String!){createTask(input:{title:$t}){task{id}}}","variables":{"t":"\\ud800"}}',
    ],
    ['an escaped NUL', '{"query":"mutation{createTask(input:{title:\\"\\\\u0000\\"}){task{id}}}"}'],
    [
      'a number beyond all numbers',
      '{"query":"mutation{createTask(input:{title:\\"a\\",points:1e400}){task{id}}}"}',
    ],
    ['a page too large to count', '{"query":"{tasks(first:99999999999){totalCount}}"}'],
    ['a NUL in a cursor', '{"query":"{tasks(after:\\"\\\\u0000\\"){totalCount}}"}'],
    ['an operation called __proto__', '{"query":"{__typename}","operationName":"__proto__"}'],
    ['a number where an id belongs', '{"query":"{task(id:1e0){id}}"}'],
    ['a fraction where an id belongs', '{"query":"query($i:ID!){task(id:$i){id}}","variables":{"i":1.5}}'],
  ])('refuses %s without a fault', async (_what, body) => {
    const { newUser } = await world();
    const answer = await (await newUser()).rest.post('/graphql', body);
    expect([200, 400]).toContain(answer.status);
    expect(answer.body.errors).toHaveLength(1);
    expect(answer.body.errors[0].extensions.code).not.toBe('INTERNAL_SERVER_ERROR');
  });
});

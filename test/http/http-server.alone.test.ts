import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { httpServer } from '../../src/http/server.js';
import { eventually } from '../support/eventually.js';
import { socketTo, statusesIn } from '../support/raw.js';

type Handler = Parameters<typeof httpServer>[0];

const serving: Handler = (_request, response) => response.end('served');

const connectionTo = (handler: Handler) => connectionToServer(httpServer(handler).server);

async function connectionToServer(server: Server): Promise<Socket> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return socketTo((server.address() as AddressInfo).port);
}

/** What comes back until the connection ends. */
async function received(socket: Socket): Promise<string> {
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

async function answerTo(bytes: string, handler = serving) {
  const socket = await connectionTo(handler);
  socket.write(Buffer.from(bytes, 'latin1'));
  return received(socket);
}

const asked = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, ...headers, '', ''].join('\r\n');
const got = (...headers: string[]) => asked('GET /', ...headers);
const posted = (headers: string[], body: string) => asked('POST /', 'Host: x', ...headers) + body;

const UPGRADE = ['Connection: upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
const UNREADABLE = 'The request could not be read';
const NOT_VALID = 'The Host header is not valid';
const TWICE = 'Authorization and Content-Type may be given only once';

const two = (target: string, ...headers: string[]) =>
  `${asked(`POST ${target}`, 'Host: x', 'Content-Length: 2', ...headers)}{}${got('Host: x')}`;
const junk = Array.from({ length: 1_500 }, (_, index) => `${index.toString(36)}:`);

it.each<[what: string, status: number, message: string, bytes: string]>([
  ['nonsense', 400, UNREADABLE, 'nonsense\r\n\r\n'],
  ['two lengths', 400, UNREADABLE, asked('POST /', 'Content-Length: 1', 'Content-Length: 2')],
  ['huge headers', 431, 'The headers are too large', got(`A: ${'x'.repeat(20_000)}`)],
  [
    'an expectation nobody knows',
    417,
    'The expectation cannot be met',
    got('Host: x', 'Expect: tea', 'Connection: close'),
  ],
  ['a tunnel', 404, 'Not found', asked('CONNECT x:443', 'Host: x')],
  ['two hosts', 400, NOT_VALID, got('Host: x', 'Host: y')],
  ['the same host twice', 400, NOT_VALID, got('Host: x', 'hOST: x')],
  ['a second host behind fifteen hundred headers', 400, NOT_VALID, got('Host: x', ...junk, 'Host: y')],
  ['a host with a blank', 400, NOT_VALID, got('Host: x y')],
  ['a host with a path', 400, NOT_VALID, got('Host: x/y')],
  ['a host with a name and password', 400, NOT_VALID, got('Host: a@x')],
  ['two hosts in one', 400, NOT_VALID, got('Host: x, y')],
  ['a host with a byte that is no ASCII', 400, NOT_VALID, got('Host: \xe9')],
  ['two hosts in a handshake', 400, NOT_VALID, got(...UPGRADE, 'Host: x', 'Host: y')],
  ['two hosts for a tunnel', 400, NOT_VALID, asked('CONNECT x:1', 'Host: x', 'Host: y')],
  ['two hosts with an expectation', 400, NOT_VALID, got('Host: x', 'Host: y', 'Expect: tea')],
  ['two tokens', 400, TWICE, two('/api/tasks', 'Authorization: Bearer a', 'Authorization: Bearer b')],
  ['two tokens for GraphQL', 400, TWICE, two('/graphql', 'Authorization: a', 'X: y', 'AUTHORIZATION: b')],
  ['two types', 400, TWICE, two('/graphql', 'Content-Type: application/json', 'Content-Type: text/plain')],
  ['two tokens in a handshake', 400, TWICE, two('/x', 'Authorization: a', 'Authorization: b', ...UPGRADE)],
])(
  'The HTTP server itself refuses, in JSON, and closes the connection: %s',
  async (_what, status, message, bytes) => {
    const seen: unknown[] = [];
    const { server } = httpServer((request, response) => response.end(seen.push(request)));
    server.on('upgrade', (request) => seen.push(request));
    const socket = await connectionToServer(server);
    socket.write(Buffer.from(bytes, 'latin1'));
    const [head = '', body] = (await received(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(body).toBe(JSON.stringify({ error: message }));
    expect(seen).toEqual([]);
  },
);

describe('The Host header', () => {
  it.each([
    ...['Host: x', 'Host: x:80', 'Host: X.example.com:', 'Host:', 'Host: [::1]:80', 'Host: 127.0.0.1'],
    ...['Host: a_b~!$.example', 'Host: %c3%a9.example', 'Accept: */*'],
  ])('may be %s', async (line) => {
    expect(statusesIn(await answerTo(got(line, 'Connection: close')))).toEqual([200]);
  });

  it('that is not valid is answered in its turn, and no request behind it is begun', async () => {
    const waiting: (() => void)[] = [];
    const socket = await connectionTo(({ url }, response) => {
      waiting.push(() => response.end(`served ${url}`));
    });
    socket.write(got('Host: x') + got('Host: x', 'Host: y') + got('Host: x').repeat(50));
    const answer = received(socket);
    await eventually(() => waiting.length === 1);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    waiting[0]?.();
    expect(statusesIn(await answer)).toEqual([200, 400]);
    expect(await answer).toMatch(/served \/[\s\S]*not valid"\}$/);
    expect(waiting).toHaveLength(1);
  });
});

describe('Requests that are sent ahead of answers', () => {
  const REQUEST = got('Host: x');

  it('are answered up to ten, and the connection is closed behind these where more came, so that a client asks again', async () => {
    let begun = 0;
    const answering: Handler = (_request, response) => {
      begun += 1;
      setImmediate(() => response.end(`answer ${begun}`));
    };
    const KEPT = 'Connection: keep-alive';
    const ten = await connectionTo(answering);
    ten.write(REQUEST.repeat(10));
    let answers = '';
    ten.on('data', (chunk) => (answers += chunk));
    await eventually(() => answers.includes('answer 10'));
    expect(answers.match(/Connection: (?:keep-alive|close)/g)).toEqual(Array(10).fill(KEPT));
    begun = 0;
    const all = await answerTo(REQUEST.repeat(40), answering);
    expect(all.match(/answer \d+/g)).toEqual(Array.from({ length: 10 }, (_, at) => `answer ${at + 1}`));
    const closing = [...Array(9).fill(KEPT), 'Connection: close'];
    expect(all.match(/Connection: (?:keep-alive|close)/g)).toEqual(closing);
    expect(begun).toBe(10);
  });

  it.each([
    [101, false],
    [102, true],
  ])('end the connection as soon as more than a hundred and one are passed over: %i', async (over, isCut) => {
    let server: Socket | undefined;
    const socket = await connectionTo(({ socket }) => {
      server = socket as Socket;
    });
    const bytes = REQUEST.repeat(10 + over);
    socket.write(bytes);
    await eventually(() => server?.bytesRead === bytes.length);
    expect(server?.destroyed).toBe(isCut);
  });
});

it('A connection that lies idle stays open for longer than proxies reuse one, and clients are told a shorter time', async () => {
  const { server } = httpServer(serving);
  const socket = await connectionToServer(server);
  socket.write(got('Host: x'));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('Keep-Alive: timeout=5\r\n');
  expect(server.keepAliveTimeout + server.keepAliveTimeoutBuffer).toBeGreaterThan(60_000); // of nginx and of AWS
});

it('Connections beyond the most that may be open are closed at once, and there is room again when others have gone', async () => {
  const { server } = httpServer(serving, { connections: 3 });
  const first = await connectionToServer(server);
  const { port } = server.address() as AddressInfo;
  const others = [socketTo(port), socketTo(port)];
  await eventually(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count === 3))));
  await once(socketTo(port), 'close');
  first.destroy();
  await eventually(async () => {
    const socket = socketTo(port);
    socket.write(got('Connection: close'));
    return (await received(socket).catch(() => '')).endsWith('served');
  });
  for (const socket of others) expect(socket.destroyed).toBe(false);
});

const HIDDEN = asked('GET /hidden', 'Host: x');
const CHUNKED = 'Transfer-Encoding: chunked';

/** What two servers in a row may read differently; see also test/security/attacks-http.long.test.ts. */
it.each([
  ['two lengths in one', posted(['Content-Length: 2, 2'], `{}${HIDDEN}`)],
  ['chunks, then a length', posted([CHUNKED, 'Content-Length: 5'], `0\r\n\r\n${HIDDEN}`)],
  ['chunks that are not last', posted([`${CHUNKED}, identity`], `0\r\n\r\n${HIDDEN}`)],
  ['chunks behind a bare line feed', posted([`X: y\n${CHUNKED}`], `0\r\n\r\n${HIDDEN}`)],
  ['a blank before the colon', posted(['Transfer-Encoding : chunked'], `0\r\n\r\n${HIDDEN}`)],
  ['a chunk longer than it says', posted([CHUNKED], `1\r\nxy\r\n0\r\n\r\n${HIDDEN}`)],
])('A second request hidden in the first is not seen: %s', async (_how, bytes) => {
  const seen: (string | undefined)[] = [];
  const answer = await answerTo(bytes, (request, response) => {
    seen.push(request.url);
    request.on('end', () => response.end('served')).resume();
  });
  expect(statusesIn(answer)).toEqual([400]);
  expect(seen).not.toContain('/hidden');
});

describe('What cannot be read as a request', () => {
  it.each([
    ['nonsense in a body', asked('POST /', CHUNKED).concat('x\r\n'), [200]],
    ['a WebSocket', got('Connection: upgrade, close', 'Upgrade: websocket'), [200, 200]],
    ['a tunnel', asked('CONNECT x:443', 'Host: x'), []],
  ])('does not become an answer to the request before it: %s', async (what, bytes, expected) => {
    let arrived = 0;
    let first: (() => void) | undefined;
    const { server } = httpServer((_request, response) => {
      if (first) response.end('served');
      else first = () => response.end('served');
    });
    server.on('request', () => {
      arrived += 1;
    });
    const socket = await connectionToServer(server);
    socket.write(got());
    await eventually(() => first);
    socket.write(bytes);
    const answer = received(socket).catch(() => '');
    if (what !== 'a tunnel') await eventually(() => arrived === 2);
    else await answer;
    first?.();
    expect(statusesIn(await answer)).toEqual(expected);
  });

  it('breaks off an answer that has begun, and adds nothing to it', async () => {
    const socket = await connectionTo((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('begun');
    });
    socket.write(got());
    socket.once('data', () => socket.write('nonsense\r\n\r\n'));
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nbegun$/);
  });

  it.each([
    ['right after an answer', `${got('Connection: close')}nonsense\r\n\r\n`],
    ['in the body of a request that has its answer', asked('POST /', CHUNKED).concat('x\r\n')],
    ['where there should be no body', asked('POST /', 'Content-Length: 0', 'Connection: close').concat('{}')],
  ])('gets no answer of its own %s', async (_where, bytes) => {
    expect(statusesIn(await answerTo(bytes))).toEqual([200]);
  });
});

it('An error that the application passes on is answered with 400 where no answer has begun, and breaks it off otherwise', async () => {
  const [bytes, error] = [got('Connection: close'), new Error('Passed on')];
  expect(statusesIn(await answerTo(bytes, (_request, _response, next) => next(error)))).toEqual([400]);

  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  const begun = answerTo(bytes, (_request, response, next) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('begun', () => next(error));
  });
  expect(await begun.catch(() => '')).not.toContain('400');
  expect(printed).toHaveBeenCalledWith(error);
});

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { httpServer } from '../../src/http/server.js';
import { eventually } from '../support/eventually.js';
import { socketTo } from '../support/raw.js';

const UPGRADE = ['Connection: upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];

type Handler = Parameters<typeof httpServer>[0];

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

async function answerTo(bytes: string, handler: Handler = (_request, response) => response.end('served')) {
  const socket = await connectionTo(handler);
  socket.write(bytes);
  return received(socket);
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

describe('What the HTTP server itself refuses', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'The request could not be read'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'The request could not be read',
    ],
    ['huge headers', `GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'The headers are too large'],
    [
      'an expectation nobody knows',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n',
      417,
      'The expectation cannot be met',
    ],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'Not found'],
  ])('is answered in JSON: %s', async (_name, bytes, status, message) => {
    const [head = '', body] = (await answerTo(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(body).toBe(JSON.stringify({ error: message }));
  });
});

describe('The Host header', () => {
  const NOT_VALID = '{"error":"The Host header is not valid"}';
  const asked = (...hosts: string[]) => ['GET / HTTP/1.1', ...hosts, '', ''].join('\r\n');
  const junk = Array.from({ length: 1_500 }, (_, index) => `${index.toString(36)}:`);
  const handshake = (...lines: string[]) =>
    asked('Connection: upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', ...lines);

  it.each([
    ['two of them', asked('Host: x', 'Host: y')],
    ['the same one twice', asked('Host: x', 'hOST: x')],
    ['a second one behind fifteen hundred others', asked('Host: x', ...junk, 'Host: y')],
    ['a blank in it', asked('Host: x y')],
    ['a path in it', asked('Host: x/y')],
    ['a name and password in it', asked('Host: a@x')],
    ['two in one', asked('Host: x, y')],
    ['a byte that is no ASCII', asked('Host: \xe9')],
    ['two in a handshake', handshake('Host: x', 'Host: y')],
    ['two for a tunnel', asked('Host: x', 'Host: y').replace('GET /', 'CONNECT x:1')],
    ['two with an expectation', asked('Host: x', 'Host: y', 'Expect: tea')],
  ])('is answered with 400, and the connection closed, where it is not valid: %s', async (_how, bytes) => {
    const upgrades: unknown[] = [];
    const { server } = httpServer((_request, response) => response.end('served'));
    server.on('upgrade', (request) => upgrades.push(request));
    const socket = await connectionToServer(server);
    socket.write(Buffer.from(bytes, 'latin1'));
    const [head, body] = (await received(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(body).toBe(NOT_VALID);
    expect(upgrades).toEqual([]);
  });

  it.each([
    ...['Host: x', 'Host: x:80', 'Host: X.example.com:', 'Host:', 'Host: [::1]:80', 'Host: 127.0.0.1'],
    ...['Host: a_b~!$.example', 'Host: %c3%a9.example', 'Accept: */*'],
  ])('may be %s', async (line) => {
    expect(statuses(await answerTo(asked(line, 'Connection: close')))).toEqual(['200']);
  });

  it('that is not valid is answered in its turn, and no request behind it is begun', async () => {
    const waiting: (() => void)[] = [];
    const socket = await connectionTo(({ url }, response) => {
      waiting.push(() => response.end(`served ${url}`));
    });
    socket.write(asked('Host: x') + asked('Host: x', 'Host: y') + asked('Host: x').repeat(50));
    const answer = received(socket);
    await eventually(() => waiting.length === 1);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(waiting).toHaveLength(1);
    waiting[0]?.();
    expect(statuses(await answer)).toEqual(['200', '400']);
    expect(await answer).toMatch(/served \/[\s\S]*not valid"\}$/);
    expect(waiting).toHaveLength(1);
  });
});

describe('A header that says who asks, or what is sent,', () => {
  const asked = (target: string, ...lines: string[]) =>
    `${[`POST ${target} HTTP/1.1`, 'Host: x', 'Content-Length: 2', ...lines].join('\r\n')}\r\n\r\n{}`;

  it.each([
    ['two tokens', asked('/api/tasks', 'Authorization: Bearer a', 'Authorization: Bearer b')],
    ['two tokens for GraphQL', asked('/graphql', 'Authorization: Bearer a', 'X: y', 'AUTHORIZATION: b')],
    ['two types', asked('/graphql', 'Content-Type: application/json', 'Content-Type: text/plain')],
    ['two tokens in a handshake', asked('/graphql', 'Authorization: a', 'Authorization: b', ...UPGRADE)],
  ])('is given once, or the answer is 400: %s', async (_how, bytes) => {
    let isServed = false;
    const answer = await answerTo(bytes + asked('/'), (_request, response) => {
      isServed = true;
      response.end();
    });
    expect(statuses(answer)).toEqual(['400']);
    expect(answer).toMatch(/\{"error":"Authorization and Content-Type may be given only once"\}$/);
    expect(isServed).toBe(false);
  });
});

describe('Requests that are sent ahead of answers', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  it('are answered up to ten, and the connection is closed behind these where more came, so that a client asks again', async () => {
    let begun = 0;
    const answering: Handler = (_request, response) => {
      begun += 1;
      setImmediate(() => response.end(`answer ${begun}`));
    };
    const ten = await connectionTo(answering);
    ten.write(REQUEST.repeat(10));
    let answers = '';
    ten.on('data', (chunk) => (answers += chunk));
    await eventually(() => answers.includes('answer 10'));
    expect(answers.match(/Connection: (?:keep-alive|close)/g)).toEqual(
      Array(10).fill('Connection: keep-alive'),
    );
    ten.destroy();
    begun = 0;
    const forty = await connectionTo(answering);
    forty.write(REQUEST.repeat(40));
    const all = await received(forty);
    expect(all.match(/answer \d+/g)).toEqual(Array.from({ length: 10 }, (_, at) => `answer ${at + 1}`));
    expect(all.match(/Connection: (?:keep-alive|close)/g)).toEqual([
      ...Array(9).fill('Connection: keep-alive'),
      'Connection: close',
    ]);
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
    socket.destroy();
  });
});

describe('A connection that lies idle', () => {
  it('stays open for longer than proxies reuse one, and clients are told a shorter time', async () => {
    const { server } = httpServer((_request, response) => response.end('served'));
    const socket = await connectionToServer(server);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('Keep-Alive: timeout=5\r\n');
    expect(server.keepAliveTimeout + server.keepAliveTimeoutBuffer).toBeGreaterThan(60_000); // of nginx and of AWS
  });
});

describe('Connections beyond the most that may be open', () => {
  it('are closed at once, and there is room again when others have gone', async () => {
    const { server } = httpServer((_request, response) => response.end('served'), { connections: 3 });
    const sockets = [await connectionToServer(server)];
    const { port } = server.address() as AddressInfo;
    const connect = () => {
      const socket = socketTo(port);
      sockets.push(socket);
      return socket;
    };
    let accepted = 0;
    server.on('connection', () => {
      accepted += 1;
    });
    connect();
    connect();
    await eventually(() => accepted >= 2);
    await eventually(
      () => new Promise((resolve) => server.getConnections((_, count) => resolve(count === 3))),
    );
    const refused = connect();
    await new Promise((resolve) => refused.once('close', resolve));
    sockets[0]?.destroy();
    const served = eventually(async () => {
      const socket = connect();
      socket.write('GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
      return (await received(socket).catch(() => '')).endsWith('served');
    });
    await served;
    for (const socket of sockets) socket.destroy();
  });
});

/** What two servers in a row may read differently; see also test/security/attacks-http.long.test.ts. */
describe('A second request hidden in the first', () => {
  const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
  const post = (lines: string[], body: string) =>
    `${['POST / HTTP/1.1', 'Host: x', ...lines].join('\r\n')}\r\n\r\n${body}`;

  it.each([
    ['two lengths in one', post(['Content-Length: 2, 2'], `{}${hidden}`)],
    [
      'chunks, then a length',
      post(['Transfer-Encoding: chunked', 'Content-Length: 5'], `0\r\n\r\n${hidden}`),
    ],
    ['chunks that are not last', post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${hidden}`)],
    ['chunks behind a bare line feed', post(['X: y\nTransfer-Encoding: chunked'], `0\r\n\r\n${hidden}`)],
    ['a blank before the colon', post(['Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`)],
    ['a chunk longer than it says', post(['Transfer-Encoding: chunked'], `1\r\nxy\r\n0\r\n\r\n${hidden}`)],
  ])('is not seen: %s', async (_how, bytes) => {
    const seen: (string | undefined)[] = [];
    const answer = await answerTo(bytes, (request, response) => {
      seen.push(request.url);
      request.on('end', () => response.end('served')).resume();
    });
    expect(statuses(answer)).toEqual(['400']);
    expect(seen).not.toContain('/hidden');
  });
});

describe('What cannot be read as a request', () => {
  const NONSENSE = 'nonsense\r\n\r\n';

  it.each([
    ['nonsense in a body', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n', ['200']],
    [
      'a WebSocket',
      'GET / HTTP/1.1\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      ['200', '200'],
    ],
  ])('does not become an answer to the request before it: %s', async (_what, bytes, expected) => {
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
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await eventually(() => first);
    socket.write(bytes);
    const answer = received(socket).catch(() => '');
    await eventually(() => arrived === 2);
    first?.();
    expect(statuses(await answer)).toEqual(expected);
  });

  it('does not become an answer to the request before it: a tunnel', async () => {
    let isAsked = false;
    const socket = await connectionTo(() => {
      isAsked = true;
    });
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await eventually(() => isAsked);
    socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await received(socket).catch(() => '')).toBe('');
  });

  it('breaks off an answer that has begun, and adds nothing to it', async () => {
    const socket = await connectionTo((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('begun');
    });
    socket.write('GET / HTTP/1.1\r\n\r\n');
    socket.once('data', () => socket.write(NONSENSE));
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nbegun$/);
  });

  it.each([
    ['right after an answer', `GET / HTTP/1.1\r\nConnection: close\r\n\r\n${NONSENSE}`],
    [
      'in the body of a request that has its answer',
      'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n',
    ],
    ['where there should be no body', 'POST / HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n{}'],
  ])('gets no answer of its own %s', async (_where, bytes) => {
    expect(statuses(await answerTo(bytes))).toEqual(['200']);
  });
});

describe('An error that the application passes on', () => {
  it('is answered with 400 where no answer has begun, and breaks the answer off otherwise', async () => {
    const [bytes, error] = ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', new Error('Passed on')];
    expect(statuses(await answerTo(bytes, (_request, _response, next) => next(error)))).toEqual(['400']);

    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const begun = answerTo(bytes, (_request, response, next) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('begun', () => next(error));
    });
    await expect(begun.catch(() => '')).resolves.not.toContain('400');
    expect(printed).toHaveBeenCalledWith(error);
  });
});

import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { httpServer } from '../../src/http-server.js';
import { eventually } from '../support/eventually.js';

type Handler = Parameters<typeof httpServer>[0];

async function connectionTo(handler: Handler): Promise<Socket> {
  const { server } = httpServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return net.connect((server.address() as AddressInfo).port, '127.0.0.1');
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
  ])('is JSON: %s', async (_name, bytes, status, message) => {
    const [head = '', body] = (await answerTo(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(body).toBe(JSON.stringify({ error: message }));
  });

  it('is not a request without a Host header', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('What cannot be read', () => {
  const NONSENSE = 'nonsense\r\n\r\n';

  it('after a request that is still worked on waits for its answer, and gets no other', async () => {
    let answer: (() => void) | undefined;
    const socket = await connectionTo((_request, response) => {
      answer = () => response.end('served');
    });
    socket.write(`GET / HTTP/1.1\r\n\r\n${NONSENSE}`);
    await eventually(() => answer);
    answer?.();
    expect(statuses(await received(socket))).toEqual(['200']);
  });

  it.each([
    ['nonsense in a body', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n', ['200']],
    [
      'a WebSocket',
      'GET / HTTP/1.1\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      ['200', '200'],
    ],
  ])('is no answer to the request before it: %s', async (_what, bytes, expected) => {
    const waiting: (() => void)[] = [];
    const socket = await connectionTo((_request, response) => {
      waiting.push(() => response.end('served'));
    });
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await eventually(() => waiting.length === 1);
    socket.write(bytes);
    const answer = received(socket).catch(() => '');
    await eventually(() => waiting.length === 2);
    for (const each of waiting) each();
    expect(statuses(await answer)).toEqual(expected);
  });

  it('is no answer to the request before it: a tunnel', async () => {
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

  it('is refused where a request before it has been answered', async () => {
    const socket = await connectionTo((_request, response) => response.end('served'));
    socket.write('GET / HTTP/1.1\r\n\r\n');
    socket.once('data', () => socket.write(NONSENSE));
    expect(statuses(await received(socket))).toEqual(['200', '400']);
  });
});

describe('What the application passes on', () => {
  it('is answered with 400 where nothing has been, and broken off otherwise', async () => {
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

import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpServer } from '../../src/http-server.js';

/** Sends bytes as they are; answers what comes back until the connection ends. */
async function answerTo(bytes: string): Promise<string> {
  const { server } = httpServer((_request, response) => response.end('served'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

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
  ])('is JSON: %s', async (_name, bytes, status, message) => {
    const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).toEqual({ error: message });
  });

  it('is not a request without a Host header', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { PROGRESS, socketOf, streamOf } from '../support/live.js';
import { dataDirectory, startService } from '../support/process.js';
import { socketTo } from '../support/raw.js';
import type { RestClient } from '../support/world.js';

/** In milliseconds, by promise. */
const PATIENCE = 15_000;

interface Kind {
  name: string;
  /** How many at once. */
  count: number;
  /** Sent at once. */
  opening: string | Buffer;
  /** Of which a byte is sent now and then, over and over. */
  drops?: string;
  /** How the first line of what came back may look. */
  answer: RegExp;
}

const headers = (target: string, ...lines: string[]) =>
  `${['POST', 'Host: x', ...lines].join('\r\n').replace('POST', target)}\r\n\r\n`;
const handshake = headers(
  'GET /graphql HTTP/1.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
);
const signUp = (...lines: string[]) =>
  headers('POST /api/auth/signup HTTP/1.1', 'Content-Type: application/json', ...lines);

const TIMED_OUT = /^HTTP\/1\.1 408 [^{]*\r\n\r\n\{"error":"The request took too long to arrive"\}$/;
/** They are of one address, of which ten are at work: some of the others wait in line until that is too long. */
const TIMED_OUT_IN_LINE =
  /^HTTP\/1\.1 (?:408 [^{]*\r\n\r\n\{"error":"The request took too long to arrive"\}|503 [^{]*\r\n\r\n\{"error":"Service unavailable, nothing was changed"\})$/;
const REFUSED = /^HTTP\/1\.1 400 [^{]*\r\n\r\n\{"error":"The request could not be read"\}$/;
const OPENED = /^HTTP\/1\.1 101 /;

const kinds: Kind[] = [
  { name: 'says nothing', count: 450, opening: '', answer: TIMED_OUT },
  {
    name: 'sends headers byte by byte',
    count: 200,
    opening: 'GET /health/live HTTP/1.1\r\nHost: x\r\nA: ',
    drops: 'x',
    answer: TIMED_OUT,
  },
  {
    name: 'sends a body byte by byte',
    count: 150,
    opening: signUp('Content-Length: 1000'),
    drops: ' ',
    answer: TIMED_OUT_IN_LINE,
  },
  {
    name: 'sends a body chunk by chunk',
    count: 100,
    opening: signUp('Transfer-Encoding: chunked'),
    drops: '1\r\n \r\n',
    answer: TIMED_OUT_IN_LINE,
  },
  { name: 'speaks TLS', count: 25, opening: Buffer.from('16030100f8010000f40303', 'hex'), answer: REFUSED },
  { name: 'speaks HTTP/2', count: 25, opening: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', answer: REFUSED },
  { name: 'opens a WebSocket and says nothing', count: 50, opening: handshake, answer: OPENED },
];

/** In milliseconds. */
const TICK = 250;

/** A client that never ends its side of the connection. Resolves when the connection is gone altogether. */
async function suffer(port: number, { opening, drops }: Kind) {
  const socket = socketTo(port, { allowHalfOpen: true });
  await new Promise((resolve) => socket.once('connect', resolve));
  const since = performance.now();
  let received = '';
  socket.on('data', (chunk) => (received += chunk));
  socket.write(opening);
  let sent = 0;
  let ticks = 0;
  let hasEnded = false;
  socket.once('end', () => (hasEnded = true));
  // Only by writing does one learn that the other side is not there any more.
  const dripping = setInterval(() => {
    ticks += 1;
    const from = drops ?? (hasEnded ? ' ' : '');
    const at = from.length > 0 ? sent++ % from.length : 0;
    socket.write(Buffer.from(from).subarray(at, at + 1));
  }, TICK);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(dripping);
  // A machine that is busy with other things ticks later, and so does the service.
  return { received, milliseconds: Math.min(performance.now() - since, ticks * TICK) };
}

/** On a connection of its own. */
const isLive = (base: string) =>
  new Promise<boolean>((resolve, reject) => {
    http
      .get(`${base}/health/live`, { agent: false }, (answer) => resolve(answer.resume().statusCode === 200))
      .on('error', reject);
  });

async function signedUp(rest: RestClient, name: string) {
  const account = { name, email: `${name}@example.com`, password: 'secret1' };
  const { token } = (await rest.post('/api/auth/signup', account)).body;
  const user = rest.as(token);
  const create = async (task: object) => (await user.post('/api/tasks', { title: 'Swim', ...task })).body.id;
  const complete = (id: number) => user.post('/api/task-completions', { task_id: id });
  return { base: rest.base, token, user, create, complete };
}

describe('A thousand slow and broken clients at once', () => {
  it('are cut off within 15 seconds, told why where they can be, and hurt nobody', async () => {
    const service = startService({ DATA_DIR: dataDirectory() });
    const rest = await service.listening();
    const [ana, ben] = [await signedUp(rest, 'ana'), await signedUp(rest, 'ben')];
    const [swim, run] = [await ana.create({ points: 1 }), await ben.create({})];
    const stream = await streamOf(ben, PROGRESS);
    const heard = socketOf(ben).iterate({ query: PROGRESS }).next();
    heard.catch(() => {});

    const port = Number(new URL(rest.base).port);
    const suffering = kinds.flatMap((kind) =>
      Array.from({ length: kind.count }, async () => ({ ...kind, ...(await suffer(port, kind)) })),
    );
    expect(suffering).toHaveLength(1_000);
    let isOver = false;
    const cutOff = Promise.all(suffering).finally(() => (isOver = true));
    let completions = 0;
    let longestAccept = 0;
    while (!isOver) {
      expect((await ana.complete(swim)).status).toBe(201);
      const connectedAt = performance.now();
      expect(await isLive(rest.base)).toBe(true);
      longestAccept = Math.max(longestAccept, performance.now() - connectedAt);
      completions += 1;
    }

    for (const { name, milliseconds, received, answer } of await cutOff) {
      // The service counts from when it has accepted a connection, which takes a busy machine a while.
      expect(milliseconds - longestAccept, name).toBeLessThan(PATIENCE);
      expect(received, name).toMatch(answer);
    }
    expect((await ana.user.get('/api/user/profile')).body.points).toBe(completions);
    await ben.complete(run);
    await Promise.all([heard, stream.next()]); // nobody has cut off those who only wait
    expect(service.output).not.toMatch(/"level":[56]0|Error/);
  });
});

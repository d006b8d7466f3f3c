import http from 'node:http';
import { expect, it } from 'vitest';
import { PROGRESS, socketOf, streamOf } from '../support/live.js';
import { dataDirectory, startService } from '../support/process.js';
import { HANDSHAKE, socketTo } from '../support/raw.js';
import { type RestClient, signUp } from '../support/world.js';

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
  /** How what comes back may look. */
  answer: RegExp;
}

const posted = (header: string) =>
  `POST /api/auth/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;

const told = (status: number, error: string) =>
  String.raw`HTTP/1\.1 ${status} [^{]*\r\n\r\n\{"error":"${error}"\}`;
const LATE = told(408, 'The request took too long to arrive');
const TIMED_OUT = new RegExp(`^${LATE}$`);
/** They are of one address, of which ten are at work: some of the others wait in line until that is too long. */
const IN_LINE = new RegExp(`^(?:${LATE}|${told(503, 'Service unavailable, nothing was changed')})$`);
const REFUSED = new RegExp(`^${told(400, 'The request could not be read')}$`);

const hello = Buffer.from('16030100f8010000f40303', 'hex');
const begun = 'GET /health/live HTTP/1.1\r\nHost: x\r\nA: ';
const [long, chunked] = [posted('Content-Length: 1000'), posted('Transfer-Encoding: chunked')];

const kinds: Kind[] = [
  { name: 'says nothing', count: 450, opening: '', answer: TIMED_OUT },
  { name: 'sends headers byte by byte', count: 200, opening: begun, drops: 'x', answer: TIMED_OUT },
  { name: 'sends a body byte by byte', count: 150, opening: long, drops: ' ', answer: IN_LINE },
  { name: 'sends a body in chunks', count: 100, opening: chunked, drops: '1\r\n \r\n', answer: IN_LINE },
  { name: 'speaks TLS', count: 25, opening: hello, answer: REFUSED },
  { name: 'speaks HTTP/2', count: 25, opening: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', answer: REFUSED },
  { name: 'opens a WebSocket, and no more', count: 50, opening: HANDSHAKE, answer: /^HTTP\/1\.1 101 / },
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
const isLive = ({ base }: RestClient) =>
  new Promise<boolean>((resolve, reject) => {
    http
      .get(`${base}/health/live`, { agent: false }, (answer) => resolve(answer.resume().statusCode === 200))
      .on('error', reject);
  });

it('A thousand slow and broken clients at once are cut off within 15 seconds, told why where they can be, and hurt nobody', async () => {
  const service = startService({ DATA_DIR: dataDirectory() });
  const rest = await service.listening();
  const [ana, ben] = [await signUp(rest), await signUp(rest)];
  const [swim, run] = [await ana.hasTask({ points: 1 }), await ben.hasTask()];
  const stream = await streamOf(ben, PROGRESS);
  const heard = socketOf(ben).iterate({ query: PROGRESS }).next();
  heard.catch(() => {});

  const port = Number(new URL(rest.base).port);
  const suffering = kinds.flatMap((kind) =>
    Array.from({ length: kind.count }, async () => ({ ...kind, ...(await suffer(port, kind)) })),
  );
  let isOver = false;
  const cutOff = Promise.all(suffering).finally(() => (isOver = true));
  let completions = 0;
  let longestAccept = 0;
  while (!isOver) {
    expect((await ana.completes(swim)).status).toBe(201);
    const connectedAt = performance.now();
    expect(await isLive(rest)).toBe(true);
    longestAccept = Math.max(longestAccept, performance.now() - connectedAt);
    completions += 1;
  }

  for (const { name, milliseconds, received, answer } of await cutOff) {
    // The service counts from when it has accepted a connection, which takes a busy machine a while.
    expect(milliseconds - longestAccept, name).toBeLessThan(PATIENCE);
    expect(received, name).toMatch(answer);
  }
  expect((await ana.profile()).points).toBe(completions);
  await ben.completes(run);
  await Promise.all([heard, stream.next()]); // nobody has cut off those who only wait
  expect(service.output).not.toMatch(/"level":[56]0|Error/);
});

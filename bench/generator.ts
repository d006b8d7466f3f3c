import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Times, timesOf } from './figures.ts';

// Load, in a process of its own, over plain sockets: it shares the machine with the service, so it takes as
// little of it as it can. An order comes as a message, and its figures go back as one.

/** Requests as they go over the wire, by kind; one of its kind is chosen at random each time. */
export type Requests = Record<string, string[]>;

export interface Order {
  port: number;
  kind: string;
  seconds: number;
  /** So many ask, each again once it was answered. */
  askers?: number;
  /** So many requests a second, however long the answers take. */
  perSecond?: number;
}

export interface Figures {
  seconds: number;
  served: Times;
  /** Answered 503. */
  refused: number;
  /** Answered otherwise, with an error, or not at all. */
  failed: number;
  /** Found every connection waiting for an answer. */
  unsent: number;
}

/** Where nobody asks again. */
const CONNECTIONS = 200;

/** Stands in a request for what must be different each time; as long as what takes its place. */
export const UNIQUE = '{unique}';

export const madeUnique = (request: string) =>
  request.replaceAll(UNIQUE, () => Math.random().toString(36).slice(2, 10).padEnd(UNIQUE.length, '0'));

/** In milliseconds: the service keeps a connection without a request a little longer. */
const KEPT = 4_000;

type Answered = (status: number, body: string) => void;

export function connect(port: number) {
  let tell: Answered | undefined;
  let received = '';
  let usedAt = performance.now();
  const finish = (status: number, body = '') => {
    if (!tell) return; // it is being closed, and with a word if it was never used
    const answered = tell;
    tell = undefined;
    usedAt = performance.now();
    answered(status, body);
  };
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('close', () => finish(0));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const end = received.indexOf('\r\n\r\n') + 4;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (end >= 4 && received.length >= end + length)
      finish(Number(received.slice(9, 12)), received.slice(end));
  });
  return {
    opened: new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
    /** Not so long without a request that the service may be closing it just now. */
    isFresh: () => socket.writable && performance.now() - usedAt < KEPT,
    /** Answers with the status, and the body byte by byte; with 0 when the connection broke. */
    ask: (request: string, answered: Answered) => {
      tell = answered;
      received = '';
      socket.write(request, 'latin1');
    },
    close: () => socket.destroy(),
  };
}

async function carryOut(order: Order, requests: Requests): Promise<Figures> {
  const { port, kind, seconds, askers, perSecond = 0 } = order;
  const choice = requests[kind] ?? [];
  const idle = Array.from({ length: askers ?? CONNECTIONS }, () => connect(port));
  await Promise.all(idle.map(({ opened }) => opened));
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const isOver = () => elapsed() > seconds * 1_000;
  const waits: number[] = [];
  const bad = { refused: 0, failed: 0, unsent: 0 };
  let asking = 0;

  const ask = (next = () => {}) => {
    const free = idle.shift(); // each in its turn, so that none is closed as idle
    if (!free) {
      bad.unsent += 1;
      return;
    }
    if (!free.isFresh()) free.close();
    const connection = free.isFresh() ? free : connect(port);
    const request = choice[Math.floor(Math.random() * choice.length)] ?? '';
    const askedAt = performance.now();
    asking += 1;
    connection.ask(madeUnique(request), (status, body) => {
      asking -= 1;
      if (status === 503) bad.refused += 1;
      else if (status >= 200 && status < 300 && !body.includes('"errors":'))
        waits.push(performance.now() - askedAt);
      else bad.failed += 1;
      idle.push(connection);
      next();
    });
  };

  const askAgain = () => {
    if (!isOver()) ask(askAgain);
  };
  for (let started = 0; started < (askers ?? 0); started += 1) askAgain();
  for (let asked = 0; !isOver(); await sleep(askers ? 5 : 1))
    for (; asked < (elapsed() * perSecond) / 1_000; asked += 1) ask();
  const took = elapsed() / 1_000;
  while (asking > 0) await sleep(1);
  for (const connection of idle) connection.close();
  return { seconds: took, served: timesOf(waits), ...bad };
}

/** A process that imports this sends orders to one that runs it. */
export async function startGenerator(requests: Requests) {
  const generator = fork(new URL(import.meta.url));
  const ended = once(generator, 'exit').then(() => Promise.reject(new Error('The generator ended')));
  ended.catch(() => {}); // at the end of the benchmark
  const tell = async (message: { requests: Requests } | { order: Order }): Promise<Figures> => {
    generator.send(message);
    const [answer] = await Promise.race([once(generator, 'message'), ended]);
    return answer;
  };
  await tell({ requests });
  return { carryOut: (order: Order) => tell({ order }), stop: () => void generator.kill() };
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>;

function obey(): void {
  let requests: Requests = {};
  process.on('message', async (message: { requests: Requests } | { order: Order }) => {
    if ('requests' in message) {
      requests = message.requests;
      process.send?.('ready');
    } else process.send?.(await carryOut(message.order, requests));
  });
}

if (import.meta.main) obey();

import { fork } from 'node:child_process';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Times, timesOf } from './figures.ts';

// Load, in a process of its own, over plain sockets: it shares the machine with the service, so it takes as
// little of it as it can. An order comes as a message, and its figures go back as one.

/** Requests as they go over the wire, by kind; one of its kind is chosen at random each time. */
export type Requests = Record<string, string[]>;

export interface Order {
  port: number;
  seconds: number;
  /** Requests per second of each kind, however long the answers take; in a closed loop, how they are mixed. */
  rates: Record<string, number>;
  /** Makes it a closed loop: so many ask, each again when it was answered. */
  askers?: number;
  /** By kind: an answer of another length, in bytes, has failed. */
  lengths?: Record<string, { least: number; most: number }>;
}

export interface Figures {
  seconds: number;
  /** By kind. */
  served: Record<string, Times>;
  /** Answered 503. */
  refused: number;
  /** Answered otherwise, or not at all. */
  failed: number;
  /** Found every connection waiting for an answer. */
  unsent: number;
}

/** Opened beforehand in an open loop. */
const CONNECTIONS = 200;

/** Stands in a request for what must be different each time; as long as what takes its place. */
export const UNIQUE = '{unique}';

const unique = () => Math.random().toString(36).slice(2, 10).padEnd(UNIQUE.length, '0');

/** In milliseconds: the service keeps a connection without a request a little longer. */
const KEPT = 4_000;

type Answered = (status: number, body: string) => void;

interface Connection {
  opened: Promise<unknown>;
  /** Not so long without a request that the service may be closing it just now. */
  isFresh: () => boolean;
  /** Answers with the status, and the body byte by byte; with 0 when the connection broke. */
  ask: (request: string, answered: Answered) => void;
  close: () => void;
}

export function connect(port: number): Connection {
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
    isFresh: () => socket.writable && performance.now() - usedAt < KEPT,
    ask: (request, answered) => {
      tell = answered;
      received = '';
      socket.write(request, 'latin1');
    },
    close: () => socket.destroy(),
  };
}

async function carryOut(order: Order, requests: Requests): Promise<Figures> {
  const { port, seconds, rates, askers, lengths = {} } = order;
  const idle = Array.from({ length: askers ?? CONNECTIONS }, () => connect(port));
  await Promise.all(idle.map(({ opened }) => opened));
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const isOver = () => elapsed() > seconds * 1_000;
  const served: Record<string, number[]> = {};
  let asking = 0;
  let refused = 0;
  let failed = 0;
  let unsent = 0;

  const isLengthFine = (kind: string, length: number) => {
    const { least = 0, most = Infinity } = lengths[kind] ?? {};
    return length >= least && length <= most;
  };

  const record = (kind: string, [status, body]: Parameters<Answered>, wait: number) => {
    if (status === 503) refused += 1;
    else if (status >= 200 && status < 300 && isLengthFine(kind, body.length)) {
      served[kind] ??= [];
      served[kind].push(wait);
    } else failed += 1;
  };

  const ask = (kind: string, next = () => {}) => {
    const choice = requests[kind] ?? [];
    const request = choice[Math.floor(Math.random() * choice.length)] ?? '';
    const free = idle.shift(); // each in its turn, so that none is closed as idle
    if (!free) {
      unsent += 1;
      return;
    }
    if (!free.isFresh()) free.close();
    const connection = free.isFresh() ? free : connect(port);
    const askedAt = performance.now();
    asking += 1;
    connection.ask(request.replaceAll(UNIQUE, unique), (...answer) => {
      asking -= 1;
      record(kind, answer, performance.now() - askedAt);
      idle.push(connection);
      next();
    });
  };

  const inClosedLoop = async (count: number) => {
    const total = Object.values(rates).reduce((sum, rate) => sum + rate, 0);
    const anyKind = () => {
      let rest = Math.random() * total;
      const [kind = ''] =
        Object.entries(rates).find(([, rate]) => {
          rest -= rate;
          return rest < 0;
        }) ?? [];
      return kind;
    };
    const askAgain = () => {
      if (!isOver()) ask(anyKind(), askAgain);
    };
    for (let started = 0; started < count; started += 1) askAgain();
    while (!isOver()) await sleep(5);
  };

  const inOpenLoop = async () => {
    const sent = Object.entries(rates).map(([kind, rate]) => ({ kind, interval: 1_000 / rate, count: 0 }));
    while (!isOver()) {
      for (const each of sent) {
        for (; each.count * each.interval < elapsed(); each.count += 1) ask(each.kind);
      }
      await sleep(1);
    }
  };

  await (askers === undefined ? inOpenLoop() : inClosedLoop(askers));
  const took = elapsed() / 1_000;
  while (asking > 0) await sleep(1);
  for (const connection of idle) connection.close();
  return {
    seconds: took,
    served: Object.fromEntries(Object.entries(served).map(([kind, waits]) => [kind, timesOf(waits)])),
    refused,
    failed,
    unsent,
  };
}

/** A process that imports this sends orders to one that runs it. */
export interface Generator {
  carryOut: (order: Order) => Promise<Figures>;
  stop: () => void;
}

export async function startGenerator(requests: Requests): Promise<Generator> {
  const generator = fork(new URL(import.meta.url));
  const tell = <Answer>(message: { requests: Requests } | { order: Order }): Promise<Answer> => {
    generator.send(message);
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('The generator ended'));
      generator.once('exit', fail).once('message', (answer) => {
        generator.off('exit', fail);
        resolve(answer as Answer);
      });
    });
  };
  await tell({ requests });
  return { carryOut: (order) => tell({ order }), stop: () => void generator.kill() };
}

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

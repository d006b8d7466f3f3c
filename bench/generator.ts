import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// Load from a process of its own, over plain sockets: it shares the machine with the service, so it uses as little
// CPU as it can. The order comes as a message, and the figures go back as one.

/** Raw requests by kind. Each time, one of the kind is chosen at random. */
export type Requests = Record<string, string[]>;

export interface Order {
  port: number;
  seconds: number;
  /**
   * Requests per second for each kind, however long the answers take. In a closed loop: the proportions of the mix.
   */
  rates: Record<string, number>;
  /** Makes it a closed loop with this many clients: each sends its next request when the last one is answered. */
  askers?: number;
}

/** All but `count` are in milliseconds. */
export interface Times {
  count: number;
  p50: number;
  p99: number;
  longest: number;
}

/** The events of one window, which is `WINDOW` milliseconds long. */
export interface Window {
  refused: number;
  served: Times;
}

export interface Figures {
  seconds: number;
  /** By kind of request. */
  served: Record<string, Times>;
  /** Requests answered with 503. */
  refused: Times;
  /** Requests answered with another error, or not at all. */
  failed: number;
  /** Requests that found no idle connection. */
  unsent: number;
  /** How late requests were sent because this process had to wait for the CPU. */
  late: Times;
  /** In milliseconds: the time from the last request to the last answer. */
  drained: number;
  /** CPU usage of this process, in cores. */
  load: number;
  windows: Window[];
}

export const WINDOW = 250;

/** Opened beforehand: many users behind a few proxies, as in production. */
const CONNECTIONS = 1_000;

/** A placeholder for text that differs in each request. It is as long as the text that replaces it. */
export const UNIQUE = '{unique}';

const unique = () => Math.random().toString(36).slice(2, 10).padEnd(UNIQUE.length, '0');

export function timesOf(waits: number[]): Times {
  const sorted = Float64Array.from(waits).sort();
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** In milliseconds: a little less than the keep-alive timeout of the service. */
const KEPT = 4_000;

interface Connection {
  opened: Promise<unknown>;
  /** False when the connection was idle for so long that the service may be closing it. */
  isFresh: () => boolean;
  /** Calls back with the status, or with 0 when the connection broke. */
  ask: (request: string, answered: (status: number) => void) => void;
  close: () => void;
}

function connect(port: number): Connection {
  let report: ((status: number) => void) | undefined;
  let received = '';
  let usedAt = performance.now();
  const finish = (status: number) => {
    if (!report) return; // the service closes the connection; if it was never used, it sends a 408 first
    const answered = report;
    report = undefined;
    usedAt = performance.now();
    answered(status);
  };
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('close', () => finish(0));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const end = received.indexOf('\r\n\r\n') + 4;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (end >= 4 && received.length >= end + length) finish(Number(received.slice(9, 12)));
  });
  return {
    opened: new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
    isFresh: () => socket.writable && performance.now() - usedAt < KEPT,
    ask: (request, answered) => {
      report = answered;
      received = '';
      socket.write(request, 'latin1');
    },
    close: () => socket.destroy(),
  };
}

async function carryOut({ port, seconds, rates, askers }: Order, requests: Requests): Promise<Figures> {
  const idle = Array.from({ length: askers ?? CONNECTIONS }, () => connect(port));
  await Promise.all(idle.map(({ opened }) => opened));
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const isOver = () => elapsed() > seconds * 1_000;
  const served: Record<string, number[]> = {};
  const refused: number[] = [];
  const late: number[] = [];
  const windows: { refused: number; served: number[] }[] = [];
  let asking = 0;
  let failed = 0;
  let unsent = 0;

  const record = (kind: string, status: number, wait: number) => {
    while (windows.length * WINDOW <= elapsed()) windows.push({ refused: 0, served: [] });
    const window = windows.at(-1);
    if (status === 503) {
      refused.push(wait);
      if (window) window.refused += 1;
    } else if (status >= 200 && status < 300) {
      served[kind] ??= [];
      served[kind].push(wait);
      window?.served.push(wait);
    } else failed += 1;
  };

  const ask = (kind: string, next = () => {}) => {
    const choice = requests[kind] ?? [];
    const request = choice[Math.floor(Math.random() * choice.length)] ?? '';
    const free = idle.shift(); // the longest idle one first, so that none reaches the keep-alive timeout
    if (!free) {
      unsent += 1;
      return;
    }
    if (!free.isFresh()) free.close();
    const connection = free.isFresh() ? free : connect(port);
    const askedAt = performance.now();
    asking += 1;
    connection.ask(request.replaceAll(UNIQUE, unique), (status) => {
      asking -= 1;
      record(kind, status, performance.now() - askedAt);
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
        for (; each.count * each.interval < elapsed(); each.count += 1) {
          late.push(elapsed() - each.count * each.interval);
          ask(each.kind);
        }
      }
      await sleep(1);
    }
  };

  const before = process.cpuUsage();
  await (askers === undefined ? inOpenLoop() : inClosedLoop(askers));
  const took = elapsed() / 1_000;
  const { user, system } = process.cpuUsage(before);
  while (asking > 0) await sleep(1);
  const drained = elapsed() - took * 1_000;
  for (const connection of idle) connection.close();
  return {
    seconds: took,
    served: Object.fromEntries(Object.entries(served).map(([kind, waits]) => [kind, timesOf(waits)])),
    refused: timesOf(refused),
    failed,
    unsent,
    late: timesOf(late),
    drained,
    load: (user + system) / 1e6 / took,
    windows: windows.map((window) => ({ refused: window.refused, served: timesOf(window.served) })),
  };
}

let requests: Requests = {};

process.on('message', async (message: { requests: Requests } | { order: Order }) => {
  if ('requests' in message) {
    requests = message.requests;
    process.send?.('ready');
  } else process.send?.(await carryOut(message.order, requests));
});

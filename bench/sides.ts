import { fork } from 'node:child_process';
import type { Figures, Generator, Order } from './generator.ts';
import { SECRET } from './service.ts';
import { cpuOf } from './usage.ts';

/** Somebody who serves requests, in a process of its own. */
export interface Server {
  port: number;
  pid: number;
  stop: () => Promise<void>;
}

/** Of a script that says on which port it listens. */
export async function startScript(file: string, environment: Record<string, string>): Promise<Server> {
  const child = fork(new URL(file, import.meta.url), {
    env: { ...process.env, NODE_ENV: 'production', JWT_SECRET: SECRET, ...environment },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (said) => resolve((said as { port: number }).port));
    ended.then(() => reject(new Error(`${file} ended`)));
  });
  const stop = () => {
    child.kill();
    return ended;
  };
  return { port, pid: child.pid ?? 0, stop };
}

/** What one round has cost. CPU is that of the server and of PostgreSQL, in milliseconds a request. */
export interface Cost {
  node: number;
  database: number;
  perSecond: number;
  /** In milliseconds: of the kind that waited the longest. */
  p99: number;
}

export const totalOf = ({ node, database }: Cost) => node + database;

/** One round. Whatever is not answered well ends the benchmark. */
export async function costOf(
  server: Pick<Server, 'port' | 'pid'>,
  { generator, database }: { generator: Generator; database?: number },
  order: Omit<Order, 'port'>,
): Promise<Cost> {
  const spent = () => [cpuOf(server.pid), database === undefined ? 0 : cpuOf(database)];
  const before = spent();
  const figures = await generator.carryOut({ port: server.port, ...order });
  const [node = 0, ofDatabase = 0] = spent().map((cpu, at) => cpu - (before[at] ?? 0));
  const { seconds, failed, refused, unsent } = figures;
  const count = countOf(figures);
  if (failed + refused.count + unsent > 0 || count === 0) {
    throw new Error(
      `${Object.keys(order.rates)}: ${count} answered well, ${failed} badly, ${refused.count} refused, ${unsent} not sent`,
    );
  }
  return {
    node: (node / count) * 1_000,
    database: (ofDatabase / count) * 1_000,
    perSecond: count / seconds,
    p99: Math.max(...Object.values(figures.served).map(({ p99 }) => p99)),
  };
}

const countOf = ({ served }: Figures) => Object.values(served).reduce((sum, { count }) => sum + count, 0);

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** As Markdown. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

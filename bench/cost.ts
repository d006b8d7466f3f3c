import type { Generator, Order } from './generator.ts';
import type { Server } from './service.ts';
import { cpuOf } from './usage.ts';

/** What one round has cost. CPU is that of the server and of PostgreSQL, in milliseconds a request. */
export interface Cost {
  node: number;
  database: number;
  perSecond: number;
  /** In milliseconds. */
  p99: number;
  /** Bytes that PostgreSQL wrote ahead for each; undefined where nobody asked. */
  wal?: number;
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
  const { seconds, failed, refused, unsent, served } = figures;
  if (failed + refused + unsent > 0 || served.count === 0) {
    throw new Error(
      `${order.kind}: ${served.count} answered well, ${failed} badly, ${refused} refused, ${unsent} not sent`,
    );
  }
  return {
    node: (node / served.count) * 1_000,
    database: (ofDatabase / served.count) * 1_000,
    perSecond: served.count / seconds,
    p99: served.p99,
  };
}

import type { Generator, Order } from './generator.ts';
import type { Server } from './service.ts';
import { cpuOf } from './usage.ts';

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
  const count = Object.values(figures.served).reduce((sum, { count }) => sum + count, 0);
  if (failed + refused + unsent > 0 || count === 0) {
    throw new Error(
      `${Object.keys(order.rates)}: ${count} answered well, ${failed} badly, ${refused} refused, ${unsent} not sent`,
    );
  }
  return {
    node: (node / count) * 1_000,
    database: (ofDatabase / count) * 1_000,
    perSecond: count / seconds,
    p99: Math.max(...Object.values(figures.served).map(({ p99 }) => p99)),
  };
}

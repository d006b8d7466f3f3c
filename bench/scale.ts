import os from 'node:os';
import pg from 'pg';
import { startPgBouncer } from '../test/support/pgbouncer.ts';
import { startPostgres } from '../test/support/server.ts';
import { type Figures, type Generator, type Requests, startGenerator } from './generator.ts';
import { wholeNumbers } from './numbers.ts';
import { play } from './played.ts';
import { MIX } from './population.ts';
import { header, POSTGRES } from './prepared.ts';
import { runBenchmark } from './run-benchmark.ts';
import { type Service, seed, startService } from './service.ts';
import { median, table } from './sides.ts';
import type { Cost } from './town.ts';
import { cpuOf } from './usage.ts';

// `npm run bench -- scale [--rounds=N] [--seconds=N]`: one process and four on one database, straight and through
// PgBouncer, side by side: rounds alternate. And what the simulation predicts for the first, from what single requests
// cost, against what it does with the mix. On Linux, with PgBouncer installed. Everything shares the machine.

const ASKERS = 32;

interface Side {
  name: string;
  service: Service;
  pooler?: number;
}

/** In milliseconds a request, and requests a second. */
interface Round {
  node: number;
  database: number;
  client: number;
  perSecond: number;
  p50: number;
  p99: number;
}

interface Bench {
  generator: Generator;
  database: number;
  seconds: number;
}

async function round(
  { service, pooler }: Side,
  rates: Record<string, number>,
  { generator, database, seconds }: Bench,
  askers = ASKERS,
): Promise<Round> {
  const spent = () => [service.pid, database, pooler].map((pid) => (pid === undefined ? 0 : cpuOf(pid)));
  const before = spent();
  const figures: Figures = await generator.carryOut({ port: service.port, seconds, rates, askers });
  const [node = 0, ofDatabase = 0, ofPooler = 0] = spent().map((cpu, at) => cpu - (before[at] ?? 0));
  const served = Object.values(figures.served);
  const count = served.reduce((sum, each) => sum + each.count, 0);
  if (figures.failed + figures.refused.count > 0) throw new Error(`${figures.failed} failed`);
  const each = (seconds: number) => (seconds * 1_000) / count;
  return {
    node: each(node),
    database: each(ofDatabase + ofPooler),
    client: each(figures.load * figures.seconds),
    perSecond: count / figures.seconds,
    p50: Math.max(...served.map(({ p50 }) => p50)),
    p99: Math.max(...served.map(({ p99 }) => p99)),
  };
}

const of = (rounds: Round[], read: (round: Round) => number, digits = 0) =>
  median(rounds.map(read)).toFixed(digits);

async function compare(sides: Side[], bench: Bench, rounds: number): Promise<string> {
  const measured = new Map(sides.map((side) => [side, [] as Round[]]));
  for (const side of sides) await round(side, MIX, { ...bench, seconds: 2 * bench.seconds });
  for (let number = 0; number < rounds; number += 1)
    for (const side of sides) measured.get(side)?.push(await round(side, MIX, bench));
  const rows = [...measured].map(([{ name }, all]) => [
    name,
    of(all, ({ perSecond }) => perSecond),
    of(all, ({ p99 }) => p99, 1),
    of(all, ({ node }) => node * 1_000),
    of(all, ({ database }) => database * 1_000),
  ]);
  return table(['', 'requests/s', 'p99 (ms)', 'µs of the service', 'µs of PostgreSQL and PgBouncer'], rows);
}

/** From the cost of single requests to what the mix can do. */
async function predict(side: Side, bench: Bench): Promise<string> {
  const costs: Record<string, Cost> = {};
  let client = 0;
  for (const [kind, share] of Object.entries(MIX)) {
    const alone = await round(side, { [kind]: 1 }, bench, 1);
    const together = await round(side, { [kind]: 1 }, bench);
    const disk = Math.max(0, alone.p50 - alone.node - alone.database - alone.client);
    costs[kind] = {
      process: together.node,
      database: together.database,
      ...(kind === 'completion' && { disk }),
    };
    client += share * together.client;
  }
  const cores = os.availableParallelism();
  const setup = { processes: 1, databases: 1, cores, pool: 10, network: 0.05, admitted: 1_000 };
  const shared = { cores, client };
  const predicted = play({ setup: { ...setup, shared }, costs, rates: MIX, seconds: 10, askers: ASKERS });
  const measured = await round(side, MIX, { ...bench, seconds: 2 * bench.seconds });
  const ratio = predicted.servedPerSecond / measured.perSecond;
  const rows = Object.entries(costs).map(([kind, { process, database, disk = 0 }]) => [
    kind,
    ...[process, database, disk].map((cost) => cost.toFixed(2)),
  ]);
  return [
    table(['ms a request, asked alone', 'process', 'database', 'disk'], rows),
    `Predicted for the mix: ${predicted.servedPerSecond.toFixed(0)}/s; measured: ${measured.perSecond.toFixed(0)}/s; ratio ${ratio.toFixed(2)}.`,
  ].join('\n\n');
}

async function benchmark(): Promise<void> {
  const { rounds, seconds } = wholeNumbers({ rounds: 3, seconds: 5 });
  const server = await startPostgres(POSTGRES);
  const pooler = await startPgBouncer(server.url('steady'));
  const services: Service[] = [];
  try {
    await server.execute('create database steady');
    const url = server.url('steady');
    const requests: Requests = await seed(url);
    const through = { DATABASE_URL: pooler.through(url), DATABASE_DIRECT_URL: url };
    const generator = await startGenerator({
      list: requests.list ?? [],
      completion: requests.completion ?? [],
    });
    const sides: Side[] = [];
    for (const [name, environment] of [
      ['one process', { DATABASE_URL: url }],
      ['four processes', { DATABASE_URL: url, WORKERS: '4' }],
      ['one process, through PgBouncer', through],
      ['four processes, through PgBouncer', { ...through, WORKERS: '4' }],
    ] as [string, Record<string, string>][]) {
      const service = await startService({ LOG_REQUESTS: 'none', ...environment });
      services.push(service);
      sides.push({ name, service, ...('DATABASE_DIRECT_URL' in environment && { pooler: pooler.pid() }) });
    }
    const bench = { generator, database: server.process().pid ?? 0, seconds };
    const client = new pg.Client(url);
    await client.connect();
    console.log(`${await header(client)}\n`);
    await client.end();
    console.log(`${await compare(sides, bench, rounds)}\n`);
    console.log(await predict(sides[0] as Side, bench));
    generator.stop();
  } finally {
    await Promise.all(services.map(({ stop }) => stop()));
    await pooler.stop();
    await server.stop();
  }
}

await runBenchmark(benchmark);

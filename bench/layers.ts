import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../test/support/server.ts';
import {
  CompleteTaskInput,
  countedTaskShape,
  createLog,
  inputFrom,
  Metrics,
  openDatabase,
  options,
  readConfig,
  requestLog,
  systemClock,
  Tokens,
  tasks,
  UsageError,
} from './built.ts';
import { startGenerator } from './generator.ts';
import { LIST } from './operations.ts';
import { header, POSTGRES } from './prepared.ts';
import { runBenchmark } from './run-benchmark.ts';
import { request, SECRET, type SeededUser, seedUsers, startService } from './service.ts';
import { type Cost, costOf, median, type Server, startScript, table } from './sides.ts';

// `npm run bench:layers -- [--rounds=N] [--seconds=N] [--json=FILE]`: what each layer adds to the CPU of a list of 20
// tasks. Each rung is a server with one layer more than the one before (`rung.ts`); rounds alternate, and a layer is
// the median of the differences within a round. On Linux.

const ASKERS = 32;

/** In rounds: code takes some seconds of work to become as fast as it will be. */
const WARMING = 2;
const AGAIN = 0.3;

interface Rung {
  /** The layer that it adds. */
  adds: string;
  /** To what; nothing, for the first. */
  to?: string;
  server: string;
  kind: string;
}

const rest = { kind: 'REST list' };

/** By name. Layers that cannot be told apart in the noise of a machine are added together. */
const rungs: Record<string, Rung> = {
  bare: { adds: 'bare node:http, an empty list', server: 'bare', ...rest },
  door: { adds: 'our HTTP server and the door', to: 'bare', server: 'door', ...rest },
  headers: { adds: 'shortcuts, headers, CORS', to: 'door', server: 'headers', ...rest },
  token: { adds: 'REST router, scope, token', to: 'headers', server: 'token', ...rest },
  driver: { adds: 'statement: named, on the bare driver', to: 'token', server: 'driver', ...rest },
  statement: { adds: 'statement: as the service asks', to: 'driver', server: 'statement', ...rest },
  service: { adds: 'shape, answer, and the rest', to: 'statement', server: 'service', ...rest },
  log: { adds: 'the line in the log', to: 'service', server: 'log', ...rest },
  metrics: { adds: 'metrics', to: 'log', server: 'metrics', ...rest },
  apollo: {
    adds: 'body, fast path, context (token, scope), limits',
    to: 'headers',
    server: 'service',
    kind: '{ __typename }',
  },
  resolver: {
    adds: 'authorization, gate (page), resolver',
    to: 'apollo',
    server: 'service',
    kind: '{ tasks { __typename } }',
  },
  page: {
    adds: 'statement: as the service asks',
    to: 'resolver',
    server: 'service',
    kind: '{ tasks { pageInfo { hasNextPage } } }',
  },
  fields: { adds: 'fields, size limit, answer', to: 'page', server: 'service', kind: LIST },
};

/** The settings of the service, by the name of its rung. */
const environments: Record<string, Record<string, string>> = {
  service: { LOG_REQUESTS: 'none' },
  log: { LOG_REQUESTS: 'all' },
  metrics: { LOG_REQUESTS: 'all', METRICS_PORT: '29464' },
};

/** The ladder of each face, from the bottom. */
const ladders = {
  REST: ['bare', 'door', 'headers', 'token', 'driver', 'statement', 'service', 'log', 'metrics'],
  GraphQL: ['bare', 'door', 'headers', 'apollo', 'resolver', 'page', 'fields'],
};

/** In microseconds: the median, and the least and the most of all rounds. */
function spread(values: number[]): [string, string] {
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map((value) =>
    (value * 1_000).toFixed(0),
  );
  return [middle ?? '', `${least} to ${most}`];
}

function ladder(face: string, names: string[], costs: Record<string, Cost[]>): string {
  const differences = (name: string, read: (cost: Cost) => number) => {
    const below = rungs[name]?.to;
    return (costs[name] ?? []).map((cost, round) => {
      const lower = below === undefined ? undefined : costs[below]?.[round];
      return read(cost) - (lower ? read(lower) : 0);
    });
  };
  const rows = names.map((name) => [
    rungs[name]?.adds ?? '',
    ...spread(differences(name, ({ node }) => node)),
    ...spread(differences(name, ({ database }) => database)),
  ]);
  const top = costs[names.at(-1) ?? ''] ?? [];
  const whole = [...spread(top.map(({ node }) => node)), ...spread(top.map(({ database }) => database))];
  return table(
    [`${face}: µs of CPU a request`, 'node', 'rounds', 'pg', 'rounds'],
    [...rows, ['**in all**', ...whole]],
  );
}

/** In microseconds: a piece of work by itself, over and over. What it costs among others is more. */
async function alone(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const before = process.cpuUsage();
    const until = performance.now() + 100;
    let count = 0;
    for (; performance.now() < until; count += 10) for (let time = 0; time < 10; time += 1) work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / count);
  }
  return median(times.slice(2));
}

/** What is done with a request that is over. */
function whenOver(userId: string): Record<string, () => void> {
  const trail = { id: userId, startedAt: 0, route: '/api/tasks/me', userId, address: '127.0.0.1' };
  const seen = { trail, method: 'GET', status: 200, milliseconds: 3.2 };
  const metrics = new Metrics();
  const log = createLog({ logLevel: 'info' }, { write: () => {} });
  const write = requestLog({ logs: 'all', addressOf: () => '', log });
  return {
    'log: the line of a request, not written': () => write(seen),
    'metrics: of a request': () => metrics.seen(seen),
  };
}

async function inIsolation(environment: Record<string, string>, user: SeededUser): Promise<string> {
  const config = readConfig({ ...environment, JWT_SECRET: SECRET });
  const database = await openDatabase(config, { isForCommand: true, onEnd: (error) => console.error(error) });
  const tokens = new Tokens(SECRET, systemClock);
  const { id: userId } = user;
  const rowsOf = tasks.oldestFirst.page(database, { userId }, { first: 100 }, async () => {});
  const found = await rowsOf.rows();
  const works = {
    'token: checked': () => tokens.authenticate(`Bearer ${user.token}`),
    'gate: the input of a completion': () => inputFrom(CompleteTaskInput, { taskId: user.taskId }),
    'statement: with its values': () => tasks.byId.with({ userId, id: user.taskId }),
    'shape: the text of 20 tasks': () => found.map(countedTaskShape.write),
    ...whenOver(userId),
  };
  const rows: string[][] = [];
  for (const [what, work] of Object.entries(works)) rows.push([what, (await alone(work)).toFixed(1)]);
  await database.close();
  return table(['In isolation, hot', 'µs'], rows);
}

function read() {
  const given = { rounds: '5', seconds: '1', ...options(['rounds', 'seconds', 'json']) };
  const number = (name: 'rounds' | 'seconds', pattern: RegExp) => {
    if (pattern.test(given[name]) && Number(given[name]) > 0) return Number(given[name]);
    throw new UsageError(`--${name} must be a positive number, and is "${given[name]}"`);
  };
  return {
    rounds: number('rounds', /^\d{1,3}$/),
    seconds: number('seconds', /^\d{1,3}(\.\d+)?$/),
    file: given.json,
  };
}

async function benchmark(): Promise<void> {
  const { rounds, seconds, file } = read();
  const postgres = await startPostgres(POSTGRES);
  const stops: (() => unknown)[] = [() => postgres.stop()];
  try {
    await postgres.execute('create database steady');
    const environment = { DATABASE_URL: postgres.url('steady'), CORS_ORIGINS: 'https://app.example.com' };
    const users = await seedUsers(environment, { users: 500, tasks: 20, completions: 20 });
    const [someone] = users;
    if (!someone) throw new Error('Nobody was seeded');
    const database = new pg.Client(environment.DATABASE_URL);
    await database.connect();
    console.log(`${await header(database)}\n`);
    await database.end();
    console.log(`${await inIsolation(environment, someone)}\n`);

    const asked = users.map(({ token }) => request('GET', '/api/tasks/me', { token }));
    const documents = [...new Set(Object.values(rungs).map(({ kind }) => kind))].filter(
      (kind) => kind !== rest.kind,
    );
    const generator = await startGenerator({
      [rest.kind]: asked,
      ...Object.fromEntries(
        documents.map((query) => [
          query,
          users.map(({ token }) => request('POST', '/graphql', { token, body: { query } })),
        ]),
      ),
    });
    stops.push(generator.stop);
    const names = [...new Set(Object.values(rungs).map(({ server }) => server))];
    const started = names.map(async (name) => {
      const own = environments[name];
      const server = own
        ? await startService({ ...environment, ...own })
        : await startScript('./rung.ts', { ...environment, RUNG: name });
      stops.push(server.stop);
      return [name, server] as const;
    });
    await Promise.allSettled(started); // before anything is stopped again
    const servers: Record<string, Server> = Object.fromEntries(await Promise.all(started));

    const onServer = { generator, database: postgres.process().pid ?? 0 };
    const measure = ({ server, kind }: Rung, time: number) => {
      const chosen = servers[server];
      if (!chosen) throw new Error(`${server} was not started`);
      return costOf(chosen, onServer, { seconds: time, askers: ASKERS, rates: { [kind]: 1 } });
    };
    for (const rung of Object.values(rungs)) await measure(rung, seconds * WARMING);
    const costs: Record<string, Cost[]> = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, rung] of Object.entries(rungs)) {
        await measure(rung, seconds * AGAIN); // idle connections to the database have been closed
        costs[name] = [...(costs[name] ?? []), await measure(rung, seconds)];
      }
    }
    for (const [face, names] of Object.entries(ladders)) console.log(`${ladder(face, names, costs)}\n`);
    if (file) writeFileSync(file, `${JSON.stringify({ rounds, seconds, costs }, null, 2)}\n`);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

await runBenchmark(benchmark);

import { writeFileSync } from 'node:fs';
import { question } from '../bench.ts';
import { type Cost, costOf } from '../cost.ts';
import { spread, table } from '../figures.ts';
import { LIST } from '../operations.ts';
import { request, type Server, seedUsers } from '../service.ts';

// What does each layer add to the CPU of a list of 20 tasks? Each rung is a server with one layer more than the one
// before (`rung.ts`); rounds alternate, and a layer is the median of the differences within a round.

const ASKERS = 32;

/** In rounds: code takes some seconds of work to become as fast as it will be. */
const WARMING = 2;
const AGAIN = 0.3;

interface Rung {
  /** The layer that it has more than the rung before. */
  adds: string;
  server: string;
  /** What it is asked: the list of REST, or a document of GraphQL. */
  kind: string;
}

const REST = 'REST list';

const shared: Rung[] = [
  { adds: 'bare node:http, an empty list', server: 'bare', kind: REST },
  { adds: 'our HTTP server and admission', server: 'admission', kind: REST },
  { adds: 'shortcuts, headers, CORS', server: 'headers', kind: REST },
];

/** Layers that cannot be told apart in the noise of a machine are added together. */
const ladders: Record<string, Rung[]> = {
  REST: [
    ...shared,
    { adds: 'REST router, scope, token', server: 'token', kind: REST },
    { adds: 'statement: named, on the bare driver', server: 'driver', kind: REST },
    { adds: 'statement: as the service asks', server: 'statement', kind: REST },
    { adds: 'serializer, answer, and the rest', server: 'service', kind: REST },
    { adds: 'the line in the log', server: 'log', kind: REST },
    { adds: 'metrics', server: 'metrics', kind: REST },
  ],
  GraphQL: [
    ...shared,
    { adds: 'body, fast path, context (token, scope), limits', server: 'service', kind: '{ __typename }' },
    { adds: 'authorization, validation, resolver', server: 'service', kind: '{ tasks { __typename } }' },
    {
      adds: 'statement: as the service asks',
      server: 'service',
      kind: '{ tasks { pageInfo { hasNextPage } } }',
    },
    { adds: 'fields, size limit, answer', server: 'service', kind: LIST },
  ],
};

/** The settings of the service, by the name of its rung. */
const environments: Record<string, Record<string, string>> = {
  service: { LOG_REQUESTS: 'none' },
  log: { LOG_REQUESTS: 'all' },
  metrics: { LOG_REQUESTS: 'all', METRICS_PORT: '29464' },
};

const nameOf = ({ server, kind }: Rung) => `${server}: ${kind}`;
const costsOf = (rung: Rung, costs: Record<string, Cost[]>) => costs[nameOf(rung)] ?? [];

function ladder(api: string, rungs: Rung[], costs: Record<string, Cost[]>): string {
  const differences = (rung: Rung, below: Rung | undefined, read: (cost: Cost) => number) =>
    costsOf(rung, costs).map((cost, round) => {
      const lower = below && costsOf(below, costs)[round];
      return read(cost) - (lower ? read(lower) : 0);
    });
  const row = (title: string, rung: Rung, below?: Rung) => [
    title,
    spread(
      differences(rung, below, ({ node }) => 1_000 * node),
      0,
    ),
    spread(
      differences(rung, below, ({ database }) => 1_000 * database),
      0,
    ),
  ];
  const top = rungs.at(-1) as Rung;
  return table(
    [`${api}: µs of CPU a request`, 'node (rounds)', 'pg (rounds)'],
    [...rungs.map((rung, at) => row(rung.adds, rung, rungs[at - 1])), row('**in all**', top)],
  );
}

export default question({ rounds: 5, seconds: 1, json: '' }, async (bench, { rounds, seconds, json }) => {
  const postgres = await bench.postgres();
  const environment = { DATABASE_URL: postgres.url('steady'), CORS_ORIGINS: 'https://app.example.com' };
  const users = await seedUsers(environment, { users: 500, tasks: 20, completions: 20 });
  const rungs = Object.values(ladders).flat();
  const documents = new Set(rungs.map(({ kind }) => kind).filter((kind) => kind !== REST));
  const asked = (query: string) =>
    users.map(({ token }) => request('POST', '/graphql', { token, body: { query } }));
  const generator = await bench.generator({
    [REST]: users.map(({ token }) => request('GET', '/api/tasks/me', { token })),
    ...Object.fromEntries([...documents].map((query) => [query, asked(query)])),
  });
  const servers: Record<string, Server> = {};
  for (const { server: name } of rungs) {
    const own = environments[name];
    servers[name] ??= own
      ? await bench.service({ ...environment, ...own })
      : await bench.script('./rung.ts', { ...environment, RUNG: name });
  }

  const onServer = { generator, database: postgres.process().pid ?? 0 };
  const measure = ({ server, kind }: Rung, time: number) =>
    costOf(servers[server] as Server, onServer, { seconds: time, askers: ASKERS, rates: { [kind]: 1 } });
  const each = [...new Map(rungs.map((rung) => [nameOf(rung), rung])).values()];
  for (const rung of each) await measure(rung, seconds * WARMING);
  const costs: Record<string, Cost[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const rung of each) {
      await measure(rung, seconds * AGAIN); // idle connections to the database have been closed
      costs[nameOf(rung)] = [...costsOf(rung, costs), await measure(rung, seconds)];
    }
  }
  for (const [api, rungs] of Object.entries(ladders)) console.log(`${ladder(api, rungs, costs)}\n`);
  if (json) writeFileSync(json, `${JSON.stringify({ rounds, seconds, costs }, null, 2)}\n`);
});

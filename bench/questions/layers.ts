import { question } from '../bench.ts';
import { graphql, of } from '../contests.ts';
import { type Cost, costOf } from '../cost.ts';
import { spread, table } from '../figures.ts';
import { LIST } from '../operations.ts';
import { request, type Server, seedUsers } from '../service.ts';

// What does each layer add to the CPU of a list of 20 tasks? Each rung asks for more than the one before it, or the
// service does more; rounds alternate, and a layer is the median of the differences within a round.

const ASKERS = 32;

/** In rounds: code takes some seconds of work to become as fast as it will be. */
const WARMING = 2;
const AGAIN = 0.3;

interface Rung {
  /** The layer that it has more than the rung before. */
  adds: string;
  server: keyof typeof environments | 'bare';
  /** What it is asked: a kind of REST, or a document of GraphQL. */
  kind: string;
}

/** The settings of the service, by the name of its rung. */
const environments = {
  service: { LOG_REQUESTS: 'none' },
  log: { LOG_REQUESTS: 'all' },
  metrics: { LOG_REQUESTS: 'all', METRICS_PORT: '29464' },
};

const bare: Rung = { adds: 'bare node:http, an empty list', server: 'bare', kind: 'nothing' };

/** Layers that cannot be told apart in the noise of a machine are added together. */
const ladders: Record<string, Rung[]> = {
  REST: [
    bare,
    { adds: 'server, admission, router, token, one row', server: 'service', kind: 'REST profile' },
    { adds: 'statement of 20 rows, serializer, answer', server: 'service', kind: 'REST list' },
    { adds: 'the line in the log', server: 'log', kind: 'REST list' },
    { adds: 'metrics', server: 'metrics', kind: 'REST list' },
  ],
  GraphQL: [
    bare,
    { adds: 'server, admission, body, fast path, token, limits', server: 'service', kind: '{ __typename }' },
    { adds: 'authorization, validation, resolver', server: 'service', kind: '{ tasks { __typename } }' },
    { adds: 'statement', server: 'service', kind: '{ tasks { pageInfo { hasNextPage } } }' },
    { adds: 'fields, size limit, answer', server: 'service', kind: LIST },
  ],
};

const nameOf = ({ server, kind }: Rung) => `${server}: ${kind}`;
const costsOf = (rung: Rung, costs: Record<string, Cost[]>) => costs[nameOf(rung)] ?? [];

function ladder(api: string, rungs: Rung[], costs: Record<string, Cost[]>): string {
  /** In microseconds, with those of the rounds. */
  const difference = (rung: Rung, below: Rung | undefined, part: 'node' | 'database') => {
    const lower = below && costsOf(below, costs);
    const ofRound = (cost: Cost, round: number) => 1_000 * (cost[part] - (lower?.[round]?.[part] ?? 0));
    return spread(costsOf(rung, costs).map(ofRound), 0);
  };
  const row = (title: string, rung: Rung, below?: Rung) => [
    title,
    difference(rung, below, 'node'),
    difference(rung, below, 'database'),
  ];
  return table(
    [`${api}: µs of CPU a request`, 'node (rounds)', 'pg (rounds)'],
    [
      ...rungs.map((rung, at) => row(rung.adds, rung, rungs[at - 1])),
      row('**in all**', rungs.at(-1) as Rung),
    ],
  );
}

export default question({ rounds: 5, seconds: 1 }, async (bench, { rounds, seconds }) => {
  const postgres = await bench.postgres();
  const environment = { DATABASE_URL: postgres.url('steady'), CORS_ORIGINS: 'https://app.example.com' };
  const users = await seedUsers(environment, { users: 500, tasks: 20, completions: 20 });
  const each = [
    ...new Map(Object.values(ladders).flatMap((rungs) => rungs.map((rung) => [nameOf(rung), rung]))).values(),
  ];
  const asked = (kind: string) =>
    users.map(
      (user) =>
        of(kind, user) || (kind === bare.kind ? request('GET', '/nothing', {}) : graphql(kind, user.token)),
    );
  const generator = await bench.generator(Object.fromEntries(each.map(({ kind }) => [kind, asked(kind)])));
  const servers: Partial<Record<Rung['server'], Server>> = {
    bare: await bench.script('./baseline.ts', environment),
  };
  for (const [name, own] of Object.entries(environments))
    servers[name as Rung['server']] = await bench.service({ ...environment, ...own });

  const onServer = { generator, database: postgres.process().pid ?? 0 };
  const measure = ({ server, kind }: Rung, time: number) =>
    costOf(servers[server] as Server, onServer, { seconds: time, askers: ASKERS, kind });
  for (const rung of each) await measure(rung, seconds * WARMING);
  const costs: Record<string, Cost[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const rung of each) {
      await measure(rung, seconds * AGAIN); // idle connections to the database have been closed
      costs[nameOf(rung)] = [...costsOf(rung, costs), await measure(rung, seconds)];
    }
  }
  for (const [api, rungs] of Object.entries(ladders)) console.log(`${ladder(api, rungs, costs)}\n`);
});

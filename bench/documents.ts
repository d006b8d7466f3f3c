import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { fill } from '../test/support/hostile-data.ts';
import { chance, climb, documentOf, type Found } from '../test/support/hostile-documents.ts';
import { startPostgres } from '../test/support/server.ts';
import { queriesOf } from '../test/support/statements.ts';
import {
  createLog,
  createService,
  declaredSchema,
  model,
  openServer,
  options,
  Passwords,
  readConfig,
  systemClock,
  Tokens,
  UsageError,
} from './built.ts';

// `npm run bench -- documents [--seed=N] [--climbs=N] [--steps=N] [--rows=N]`: searches for documents that pass the
// limits, cost little and still take much work, for a user with long texts in every row. Prints the worst ones.
// Asserts nothing, for CPU time depends on the machine. The same seed starts the same search, but measured times
// steer it.

const SECRET = 'a secret of the benchmarks, of more than 32 characters';
const USER = '00000000-0000-4000-8000-000000000001';

interface Work {
  cost: number;
  bytes: number;
  /** CPU time of this process in milliseconds. */
  cpu: number;
  statements: number;
}

const RATIOS: Record<string, (work: Work, fields: number) => number> = {
  'bytes of the answer per cost': ({ bytes, cost }) => bytes / cost,
  'microseconds of CPU per cost': ({ cpu, cost }) => (cpu * 1_000) / (cost + 100), // 100 stands for the work that every request takes
  'statements per field': ({ statements }, fields) => statements / fields,
};

async function open(url: string, rows: number) {
  const config = readConfig({ DATABASE_URL: url, JWT_SECRET: SECRET });
  const database = await openServer(model, { url, poolSize: 10, patience: config.timeouts.patience });
  const passwords = new Passwords(config);
  const log = createLog({ logLevel: 'fatal' });
  const instance = { config, secret: SECRET, clock: systemClock, database, passwords, log };
  const service = await createService({ ...instance, trustedDocuments: undefined, isServing: () => true });
  const { server } = service;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const { token } = new Tokens(SECRET, systemClock).issue(USER);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'graphql-cost': '1',
  };
  const send = async (query: string) =>
    (await fetch(address, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();

  const query = database.query<unknown>();
  await sql`
    insert into users (id, name, email, password_hash, created_at, updated_at)
    values (${USER}, 'Ana', 'ana@example.com', '', now(), now())`.execute(query);
  await sql`insert into user_progress (user_id) values (${USER})`.execute(query);
  const known = await fill(query, { userId: USER, rows, ask: async (text) => JSON.parse(await send(text)) });
  const close = async () => {
    server.closeAllConnections();
    await service.stop();
    await passwords.close();
    await database.close();
  };
  return { limits: config.limits, known, send, database, close };
}

type Here = Awaited<ReturnType<typeof open>>;

const schema = declaredSchema();

async function measure({ limits, known, send, database }: Here, ratio: string, genes: readonly number[]) {
  const document = documentOf(schema, known, limits, genes);
  let answer = '';
  const before = process.cpuUsage();
  const { length: statements } = await queriesOf({ database }, async () => {
    answer = await send(document.query);
  });
  const { user, system } = process.cpuUsage(before);
  const cost = Number(/"cost":\{"requested":(\d+)/.exec(answer.slice(-200))?.[1] ?? Number.NaN);
  const work: Work = { cost, bytes: answer.length, cpu: (user + system) / 1_000, statements };
  const score = RATIOS[ratio]?.(work, document.fields);
  return { genes, document, work, score: score !== undefined && score > 0 ? score : -1 };
}

function numbers() {
  const given = options(['seed', 'climbs', 'steps', 'rows']);
  const whole = (name: keyof typeof given, fallback: number) => {
    const text = given[name] ?? String(fallback);
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number, and is "${text}"`);
    return Number(text);
  };
  const seed = whole('seed', Math.floor(Math.random() * 1_000_000));
  return { seed, climbs: whole('climbs', 10), steps: whole('steps', 60), rows: whole('rows', 100) };
}

const { seed, climbs, steps, rows } = numbers();
const postgres = await startPostgres();
await postgres.execute('create database bench');
const here = await open(postgres.url('bench'), rows);
try {
  for (const ratio of Object.keys(RATIOS)) {
    let worst: Found<Work> | undefined;
    for (let climbing = 0; climbing < climbs; climbing += 1) {
      const below = chance(seed + climbing);
      const start = Array.from({ length: 20 + below(60) }, () => below(1_000));
      const found = await climb(start, steps, below, (genes) => measure(here, ratio, genes));
      if (!worst || found.score > worst.score) worst = found;
    }
    if (!worst) continue;
    const { cost, bytes, cpu, statements } = worst.work;
    console.log(`\n${ratio}: ${worst.score.toFixed(1)} (seed ${seed})`);
    console.log(
      `cost ${cost}, ${bytes} bytes, ${cpu.toFixed(0)} ms, ${statements} statements, ${worst.document.fields} fields`,
    );
    console.log(worst.document.query);
  }
} finally {
  await here.close();
  await postgres.stop();
}

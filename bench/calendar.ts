import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres } from '../test/support/server.ts';
import { type Ask, asking } from './ask.ts';
import { wholeNumbers } from './numbers.ts';
import { POSTGRES } from './prepared.ts';
import { runBenchmark } from './run-benchmark.ts';
import { startService } from './service.ts';

// `npm run bench -- calendar [--times=N] [--daily=N]`: how long the year of a task, and of a user, takes as a whole
// request, where the task was done so many times each day. Beside it, a request that reads the task alone.

const DAY = 24 * 60 * 60 * 1_000;
const DAYS = 366;

const ENTRIES = '(from: $from, to: $to) { date completions points firstCompletedAt streak }';
const QUESTIONS = {
  'the task alone': 'query ($id: ID!) { task(id: $id) { title } }',
  "the task's year": `query ($id: ID!, $from: Date!, $to: Date!) { task(id: $id) { calendar${ENTRIES} } }`,
  "the user's year": `query ($from: Date!, $to: Date!) { me { calendar${ENTRIES} } }`,
};

const dateOf = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
const lastDay = () => Math.floor(Date.now() / DAY) - 1;

/** An export of somebody who has done one task many times on each day of a year, until yesterday. */
function yearOf(daily: number) {
  const first = (lastDay() - DAYS + 1) * DAY;
  const step = DAY / 2 / daily;
  const instants = Array.from({ length: DAYS * daily }, (_, index) => {
    const at = first + Math.floor(index / daily) * DAY + DAY / 4 + (index % daily) * step;
    return new Date(at).toISOString();
  });
  const made = { createdAt: instants[0], updatedAt: instants[0] };
  return {
    format: 'steady-export',
    version: 1,
    account: { timeZone: 'Europe/London', dayStartsAt: 0 },
    tasks: [{ id: 1, title: 'Water', points: 1, isDailyRoutine: true, ...made }],
    challenges: [],
    completions: instants.map((at) => ({
      task: 1,
      points: 1,
      completedAt: at,
      day: at.slice(0, 10),
      recordedAt: at,
    })),
  };
}

async function measure(ask: Ask, engine: string, { times, daily }: { times: number; daily: number }) {
  const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
  const { token } = (await ask('/api/auth/signup', {}, account)) as { token: string };
  const headers = { Authorization: `Bearer ${token}` };
  await ask('/account/import', headers, yearOf(daily));
  const [listed] = (await ask('/api/tasks/me', headers)) as { task: { id: number } }[];
  const variables = { id: listed?.task.id, from: dateOf(lastDay() - DAYS + 1), to: dateOf(lastDay()) };
  const rows = [];
  for (const [what, query] of Object.entries(QUESTIONS)) {
    const waits: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const startedAt = performance.now();
      const { errors } = (await ask('/graphql', headers, { query, variables })) as { errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      waits.push(performance.now() - startedAt);
    }
    const sorted = waits.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(share * (times - 1))]?.toFixed(1);
    const figures = { 'first ms': waits[0]?.toFixed(1), 'p50 ms': at(0.5), 'p90 ms': at(0.9) };
    rows.push({ '': `${engine}: ${what}`, ...figures });
  }
  return rows;
}

async function benchmark(): Promise<void> {
  const options = wholeNumbers({ times: 100, daily: 10 });
  const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-calendar-'));
  const server = await startPostgres(POSTGRES);
  try {
    await server.execute('create database calendar');
    const engines = { embedded: '', 'on a server': server.url('calendar') };
    const rows = [];
    for (const [engine, url] of Object.entries(engines)) {
      const service = await startService({ DATABASE_URL: url, DATA_DIR: path.join(directory, 'data') });
      rows.push(...(await measure(asking(service.port), engine, options).finally(service.stop)));
    }
    console.table(rows);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

await runBenchmark(benchmark);

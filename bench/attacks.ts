import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../test/support/server.ts';
import type { AttackOrder } from './attackers.ts';
import { attacks } from './attackers.ts';
import { options, UsageError } from './built.ts';
import { timesOf } from './generator.ts';
import { type People, people } from './hostile.ts';
import { runBenchmark } from './run-benchmark.ts';
import { SECRET, type Service, startService } from './service.ts';
import { memoryOf } from './usage.ts';

// `npm run bench -- limits [--on=server|embedded] [--seconds=N] [--clients=N] [--only=TEXT]`: runs hostile clients,
// first one kind at a time, then all of them, and measures how long an honest user waits meanwhile. Linux only.

/** In seconds. */
const WEIGHED_FOR = 2;

const PROMISES = { wait: 250, held: 64, memory: 1_024 };

interface Watched {
  /** Waiting times in milliseconds of a user who reads a list of tasks, and of a health check. */
  list: ReturnType<typeof timesOf>;
  live: ReturnType<typeof timesOf>;
  /** Requests that failed, or were answered with anything but 200. */
  unwell: number;
  /** In megabytes: the peak of the process, garbage included, and how much more it holds at the end than before. */
  peak: number;
  held: number;
  answers: Record<string, number>;
}

/** Measures what an honest user sees while `clients` attack. */
async function during(
  service: Service,
  target: People,
  order: Pick<AttackOrder, 'clients' | 'seconds'>,
): Promise<Watched> {
  const agent = new http.Agent({ keepAlive: true });
  const heldBefore = await service.held();
  let peak = memoryOf(service.pid);
  let held = 0;
  let isOver = false;
  let unwell = 0;
  const ask = (url: string, headers: Record<string, string>) =>
    new Promise<boolean>((resolve) => {
      http
        .get({ host: '127.0.0.1', port: service.port, path: url, agent, headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode === 200));
        })
        .once('error', () => resolve(false));
    });
  const watch = async (url: string, headers: Record<string, string> = {}) => {
    const waits: number[] = [];
    while (!isOver) {
      const askedAt = performance.now();
      if (!(await ask(url, headers))) unwell += 1;
      waits.push(performance.now() - askedAt);
      await sleep(20);
    }
    return timesOf(waits);
  };
  const weighing = setInterval(() => {
    peak = Math.max(peak, memoryOf(service.pid));
  }, 100);
  const list = watch('/api/tasks/me', { Authorization: `Bearer ${target.honest.token}` });
  const live = watch('/health/live');
  const attackers = fork(new URL('./attackers.ts', import.meta.url));
  const { clients, seconds } = order;
  const attack = { clients, seconds: seconds + WEIGHED_FOR };
  attackers.send({ target: { port: service.port, people: target }, ...attack } satisfies AttackOrder);
  const over = new Promise<Record<string, number>>((resolve) => attackers.once('message', resolve));
  await sleep(seconds * 1_000);
  isOver = true; // measuring stops first: weighing the service blocks it
  const waits = { list: await list, live: await live };
  clearInterval(weighing);
  for (let time = 0; time < WEIGHED_FOR * 2; time += 1) {
    held = Math.max(held, (await service.held()) - heldBefore);
    await sleep(400);
  }
  const answers = await over;
  attackers.kill();
  agent.destroy();
  return { ...waits, unwell, peak, held, answers };
}

const shown = (value: number) => value.toFixed(value < 10 ? 1 : 0);

const row = (attack: string, { list, live, unwell, peak, held, answers }: Watched) => ({
  attack,
  'list p99': shown(list.p99),
  longest: shown(list.longest),
  'live longest': shown(live.longest),
  unwell,
  'MB held': shown(held),
  'MB peak': shown(peak),
  kept: Math.max(list.longest, live.longest) <= PROMISES.wait && held <= PROMISES.held ? 'yes' : 'NO',
  answers: Object.entries(answers)
    .sort(([, one], [, other]) => other - one)
    .slice(0, 4)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', '),
});

function readOptions() {
  const given = {
    on: 'server',
    seconds: '8',
    clients: '100',
    only: '',
    ...options(['on', 'seconds', 'clients', 'only']),
  };
  if (!['server', 'embedded'].includes(given.on)) throw new UsageError('--on must be server or embedded');
  const [seconds, clients] = [Number(given.seconds), Number(given.clients)];
  if (!(seconds > 0) || !Number.isInteger(clients))
    throw new UsageError('--seconds and --clients must be numbers');
  return { ...given, seconds, clients };
}

async function measure(environment: Record<string, string>): Promise<void> {
  const { seconds, clients, only } = readOptions();
  const names = Object.keys(attacks).filter((name) => name.includes(only));
  if (names.length === 0)
    throw new UsageError(`--only must be part of one of: ${Object.keys(attacks).join('; ')}`);
  const target = await people(environment, SECRET);
  const rows: ReturnType<typeof row>[] = [];
  const run = async (name: string, order: Pick<AttackOrder, 'clients' | 'seconds'>) => {
    const service = await startService(environment); // a new one, so that its memory is measured by itself
    try {
      await during(service, target, { clients: {}, seconds: 1 });
      const watched = await during(service, target, order);
      rows.push(row(name, watched));
      console.log(name, JSON.stringify(rows.at(-1)));
    } catch (error) {
      console.log(`${name}: the service ended, ${(error as Error).message}`);
    } finally {
      await service.stop();
    }
  };
  await run('nobody hostile', { clients: {}, seconds });
  for (const name of names) await run(name, { clients: { [name]: 1 }, seconds });
  if (clients > 0) {
    const share = Object.fromEntries(names.map((name) => [name, Math.ceil(clients / names.length)]));
    await run(`${clients} of all kinds at once`, { clients: share, seconds: Math.max(60, seconds) });
  }
  console.table(rows);
  console.log(
    `Promised: nobody waits longer than ${PROMISES.wait} ms for one client, who makes it hold at most ${PROMISES.held} MB once garbage is collected; the process stays under ${PROMISES.memory} MB.`,
  );
}

async function benchmark(): Promise<void> {
  const { on } = readOptions();
  if (on === 'embedded') {
    const directory = path.join(mkdtempSync(path.join(tmpdir(), 'steady-attacks-')), 'data');
    return measure({ DATA_DIR: directory }).finally(() =>
      rmSync(path.dirname(directory), { recursive: true, force: true }),
    );
  }
  const server = await startPostgres({ shared_buffers: '256MB' });
  try {
    await server.execute('create database steady');
    await measure({ DATABASE_URL: server.url('steady') });
  } finally {
    await server.stop();
  }
}

await runBenchmark(benchmark);

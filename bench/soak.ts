import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../test/support/server.ts';
import { options, UsageError } from './built.ts';
import { of } from './contests.ts';
import { type Requests, startGenerator } from './generator.ts';
import { addChallenges, header, POSTGRES, type Stops } from './prepared.ts';
import { runBenchmark } from './run-benchmark.ts';
import { type Service, seedUsers, signUp, startService } from './service.ts';
import { memoryOf } from './usage.ts';

// `npm run bench -- soak [--minutes=N] [--on=server|embedded]`: full load on both faces, with sign-ups, minute after
// minute. What is held once garbage is collected must not grow.

/** How the kinds are mixed. */
const rates: Record<string, number> = {
  'REST list': 5,
  'REST complete': 3,
  'REST profile': 1,
  'GraphQL list': 5,
  'GraphQL complete': 3,
  'GraphQL profile': 1,
  'GraphQL nested': 2,
};

const SIGN_UPS = 0.2;

const ASKERS = 32;

function read() {
  const given = { minutes: '10', on: 'server', ...options(['minutes', 'on']) };
  const minutes = Number(given.minutes);
  if (!(minutes >= 1)) throw new UsageError('--minutes must be a number from 1 on');
  if (!/^(server|embedded)$/.test(given.on)) throw new UsageError('--on must be server or embedded');
  return { minutes, isEmbedded: given.on === 'embedded' };
}

async function soak(service: Service, requests: Requests, minutes: number, stops: Stops): Promise<void> {
  const generator = await startGenerator(requests);
  stops.push(generator.stop);
  console.log('minute | answered | refused | failed | MB held | MB in all');
  for (let minute = 1; minute <= minutes; minute += 1) {
    const order = {
      port: service.port,
      seconds: 60,
      askers: ASKERS,
      rates: { ...rates, 'sign-up': SIGN_UPS },
    };
    const { served, refused, failed } = await generator.carryOut(order);
    const answered = Object.values(served).reduce((sum, { count }) => sum + count, 0);
    const memory = [await service.held(), memoryOf(service.pid)].map((megabytes) => megabytes.toFixed(0));
    console.log([minute, answered, refused.count, failed, ...memory].join(' | '));
  }
}

async function benchmark(): Promise<void> {
  const { minutes, isEmbedded } = read();
  const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-soak-'));
  const postgres = await startPostgres(POSTGRES);
  const stops: Stops = [() => rmSync(directory, { recursive: true }), () => postgres.stop()];
  try {
    await postgres.execute('create database steady');
    const database = new pg.Client(postgres.url('steady'));
    await database.connect();
    stops.push(() => database.end());
    console.log(await header(database));
    const environment = isEmbedded
      ? { DATABASE_URL: '', DATA_DIR: directory }
      : { DATABASE_URL: postgres.url('steady') };
    const users = await seedUsers(environment, { users: 200, tasks: 20, completions: 100 });
    if (!isEmbedded) await addChallenges(database);
    const service = await startService(environment);
    stops.push(service.stop);
    const asked = Object.keys(rates).map((kind) => [kind, users.map((user) => of(kind, user))]);
    await soak(service, { ...Object.fromEntries(asked), 'sign-up': [signUp()] }, minutes, stops);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

await runBenchmark(benchmark);

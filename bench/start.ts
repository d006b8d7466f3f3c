import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres } from '../test/support/server.ts';
import { wholeNumbers } from './numbers.ts';
import { runBenchmark } from './run-benchmark.ts';
import { SECRET } from './service.ts';

// `npm run bench -- start [--rounds=N]`: from `npm start` of a built project to its first line, beside npm alone.

/** Seconds until the command says that it listens, or ends. */
async function start(environment: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, JWT_SECRET: SECRET, HOST: '127.0.0.1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => npm.once('exit', resolve));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    npm.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('/api')) resolve();
    });
    ended.then(() => reject(new Error(`The service ended: ${output}`)));
  });
  const seconds = (performance.now() - startedAt) / 1_000;

  process.kill(-(npm.pid ?? 0), 'SIGTERM');
  await ended;
  return seconds;
}

async function npmAlone(): Promise<number> {
  const startedAt = performance.now();
  const npm = spawn('npm', ['run', 'has-no-such-script'], { stdio: 'ignore' });
  await new Promise((resolve) => npm.once('exit', resolve));
  return (performance.now() - startedAt) / 1_000;
}

async function benchmark(): Promise<void> {
  const { rounds } = wholeNumbers({ rounds: 7 });
  const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-start-'));
  const server = await startPostgres({});
  const found: Record<string, number[]> = { 'npm alone': [], 'on a server': [], embedded: [] };
  try {
    await server.execute('create database steady');
    const onServer = { DATABASE_URL: server.url('steady') };
    const embedded = { DATABASE_URL: '', DATA_DIR: path.join(directory, 'data') };
    await start(onServer); // these make the tables
    await start(embedded);
    for (let round = 1; round <= rounds; round += 1) {
      found['npm alone']?.push(await npmAlone());
      found['on a server']?.push(await start(onServer));
      found.embedded?.push(await start(embedded));
    }
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  console.table(
    Object.entries(found).map(([what, seconds]) => {
      const sorted = seconds.toSorted((one, other) => one - other);
      const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
      return { 'npm start': what, 'least s': at(0), 'median s': at(0.5), 'most s': at(1) };
    }),
  );
}

await runBenchmark(benchmark);

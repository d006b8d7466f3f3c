import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { heapOf } from '../scripts/node-options.ts';
import { startPostgres } from '../test/support/server.ts';
import { model, openServer, readConfig } from './built.ts';
import { underLoad, type Waits } from './load.ts';
import { wholeNumbers } from './numbers.ts';
import { POSTGRES } from './prepared.ts';
import { runBenchmark } from './run-benchmark.ts';
import { peakOf } from './usage.ts';

// `npm run bench -- backup [--users=N] [--rate=PER_SECOND] [--rounds=N]`: a backup of a server, beside completions and
// without them, and the way to the embedded database and back.

interface Ran {
  seconds: number;
  /** In megabytes: the most that it held, as far as it was seen. */
  peak: number;
}

/** A command of the built service, as its npm script runs it. */
async function run(command: string, args: string[], environment: Record<string, string>): Promise<Ran> {
  const startedAt = performance.now();
  const script = `commands/${command}.js`;
  const child = spawn(process.execPath, [...heapOf(script), `dist/src/${script}`, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 200);
  const status = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(looking);
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return { seconds: (performance.now() - startedAt) / 1_000, peak };
}

const shown = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const row = (what: string, { seconds, peak }: Ran) => ({
  '': what,
  s: shown(seconds),
  'peak MB': shown(peak),
});

/** Completions alone and beside a backup, in turns, each as long as the other. */
async function besideBackup(url: string, file: string, rate: number, rounds: number): Promise<void> {
  const { patience } = readConfig({}).timeouts;
  const service = await openServer(model, { url, poolSize: 10, patience });
  const found: Record<'alone' | 'beside a backup', Waits[]> = { alone: [], 'beside a backup': [] };
  try {
    await underLoad(service, rate, () => sleep(3_000));
    for (let round = 1; round <= rounds; round += 1) {
      const [{ seconds }, beside] = await underLoad(service, rate, () =>
        run('backup', ['--to', `${file}-beside`], { DATABASE_URL: url }),
      );
      found['beside a backup'].push(beside);
      const [, alone] = await underLoad(service, rate, () => sleep(seconds * 1_000));
      found.alone.push(alone);
      console.log(
        `Round ${round}: p99 ${shown(alone.p99)} ms alone, ${shown(beside.p99)} ms beside a backup`,
      );
    }
  } finally {
    await service.close();
  }
  console.table(
    Object.entries(found).map(([what, waits]) => ({
      [`${rate} completions/s`]: what,
      'p50 ms': waits.map(({ p50 }) => shown(p50)).join(' '),
      'p99 ms': waits.map(({ p99 }) => shown(p99)).join(' '),
      'longest ms': waits.map(({ longest }) => shown(longest)).join(' '),
      failed: waits.map(({ failed }) => failed).join(' '),
    })),
  );
}

async function benchmark(): Promise<void> {
  const { users, rate, rounds } = wholeNumbers({ users: 1_000_000, rate: 200, rounds: 3 });
  const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-backup-'));
  const server = await startPostgres({ ...POSTGRES, shared_buffers: '1GB' });
  const to = (name: string) => path.join(directory, name);
  const embedded = { DATA_DIR: to('data'), DATABASE_URL: '' };
  try {
    for (const name of ['seeded', 'restored']) await server.execute(`create database ${name}`);
    const seeded = { DATABASE_URL: server.url('seeded') };
    await run('seed', [`--users=${users}`, '--tasks=1', '--completions=3', '--yes'], seeded);
    await server.execute('checkpoint');
    const figures = [row('backup of a server', await run('backup', ['--to', to('file')], seeded))];
    console.log(`The file has ${shown(statSync(to('file')).size / 2 ** 20)} MB`);
    const target = { DATABASE_URL: server.url('restored') };
    figures.push(row('restore into a server', await run('restore', [to('file')], target)));
    figures.push(row('restore into the embedded database', await run('restore', [to('file')], embedded)));
    figures.push(row('backup of the embedded database', await run('backup', ['--to', to('back')], embedded)));
    console.table(figures);
    await besideBackup(server.url('seeded'), to('file'), rate, rounds);
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

await runBenchmark(benchmark);

import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { heapOf } from '../../scripts/node-options.ts';
import { type Bench, question } from '../bench.ts';
import { model, openServer, readConfig } from '../built.ts';
import { table } from '../figures.ts';
import { underLoad, type Waits } from '../load.ts';
import { seed } from '../service.ts';
import { peakOf } from '../usage.ts';

// How long does a backup of a server take, beside completions and without them, and the way to the embedded database
// and back?

/** A command of the built service, as its npm script runs it: how long it took, and the most that it was seen to hold. */
async function run(bench: Bench, command: string, args: string[], environment: Record<string, string>) {
  const startedAt = performance.now();
  const script = `commands/${command}.js`;
  const child = spawn(process.execPath, [...heapOf(script), `dist/src/${script}`, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  bench.defer(() => child.kill('SIGKILL'));
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
const row = (what: string, { seconds, peak }: Awaited<ReturnType<typeof run>>) => [
  what,
  ...[seconds, peak].map(shown),
];

/** Completions alone and beside a backup, in turns, each as long as the other. */
async function besideBackup(
  bench: Bench,
  url: string,
  file: string,
  rate: number,
  rounds: number,
): Promise<void> {
  const { patience } = readConfig({}).timeouts;
  const service = await openServer(model, { url, poolSize: 10, patience });
  const rows: string[][] = [];
  const add = (what: string, { p50, p99, longest, failed }: Waits) =>
    rows.push([what, shown(p50), shown(p99), shown(longest), String(failed)]);
  bench.defer(() => service.close());
  await underLoad(service, rate, () => sleep(3_000));
  for (let round = 1; round <= rounds; round += 1) {
    const [{ seconds }, beside] = await underLoad(service, rate, () =>
      run(bench, 'backup', ['--to', `${file}-beside`], { DATABASE_URL: url }),
    );
    const [, alone] = await underLoad(service, rate, () => sleep(seconds * 1_000));
    add(`round ${round}: beside a backup`, beside);
    add(`round ${round}: alone`, alone);
  }
  console.log(`\n${table([`${rate} completions/s`, 'p50 ms', 'p99 ms', 'longest ms', 'failed'], rows)}`);
}

export default question({ users: 1_000_000, rate: 200, rounds: 3 }, async (bench, options) => {
  const { users, rate, rounds } = options;
  const directory = bench.directory();
  const to = (name: string) => path.join(directory, name);
  const server = await bench.postgres({ shared_buffers: '1GB' });
  await server.execute('create database restored');
  const seeded = { DATABASE_URL: server.url('steady') };
  const target = { DATABASE_URL: server.url('restored') };
  const embedded = { DATA_DIR: to('data'), DATABASE_URL: '' };
  await seed([`--users=${users}`, '--tasks=1', '--completions=3'], seeded);
  await server.execute('checkpoint');
  const rows = [
    row('backup of a server', await run(bench, 'backup', ['--to', to('file')], seeded)),
    row('restore into a server', await run(bench, 'restore', [to('file')], target)),
    row('restore into the embedded database', await run(bench, 'restore', [to('file')], embedded)),
    row('backup of the embedded database', await run(bench, 'backup', ['--to', to('back')], embedded)),
  ];
  console.log(`The file has ${shown(statSync(to('file')).size / 2 ** 20)} MB\n`);
  console.log(table(['', 's', 'peak MB'], rows));
  await besideBackup(bench, server.url('steady'), to('file'), rate, rounds);
});

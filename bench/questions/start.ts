import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { question } from '../bench.ts';
import { spread } from '../figures.ts';
import { SECRET } from '../service.ts';

// How long is it from `npm start` of a built project to its first line, beside npm alone?

/** Seconds until the command says that it listens, or ends. */
async function start(environment: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const npm = spawn('npm', ['start'], {
    env: { ...process.env, JWT_SECRET: SECRET, HOST: '127.0.0.1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(npm, 'exit');
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
  spawnSync('npm', ['run', 'has-no-such-script'], { stdio: 'ignore' });
  return (performance.now() - startedAt) / 1_000;
}

export default question({ rounds: 7 }, async (bench, { rounds }) => {
  const server = await bench.postgres();
  const onServer = { DATABASE_URL: server.url('steady') };
  const embedded = { DATABASE_URL: '', DATA_DIR: bench.directory() };
  await start(onServer); // these make the tables
  await start(embedded);
  const found: [string, () => Promise<number>, number[]][] = [
    ['npm alone', npmAlone, []],
    ['on a server', () => start(onServer), []],
    ['embedded', () => start(embedded), []],
  ];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [, measure, seconds] of found) seconds.push(await measure());
  }
  for (const [what, , seconds] of found) console.log(`${what}: ${spread(seconds, 2)} s`);
});

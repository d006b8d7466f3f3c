import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { build, compileAhead, discardCompiled, endOf, outdated, stateOfSources } from './dist.ts';

// `npm run dev`: builds and starts the service, and again after every change of a source. It polls instead of
// watching: a file watcher loses a file that is replaced, as `git checkout` does.

/** In milliseconds. */
const POLL_INTERVAL = 200;

/** In milliseconds: short, because browsers keep connections open and the service would wait for them. */
const STOP_TIMEOUT = 1_000;

let service: { child: ChildProcess; ended: Promise<number | string | null> } | undefined;
let isEnding = false;
let compiled: Promise<unknown> | undefined;

function start(): void {
  const child = spawn(process.execPath, ['dist/src/main.js'], { stdio: 'inherit' });
  const started = { child, ended: endOf(child) };
  service = started;
  started.ended.then((ended) => {
    if (service !== started || isEnding) return;
    service = undefined;
    console.error(`The service has ended (${ended}). It is started again after the next change.`);
  });
}

async function stop(): Promise<void> {
  if (!service) return;
  const { child, ended } = service;
  service = undefined;
  child.kill();
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
  await ended;
  clearTimeout(kill);
}

/** Builds what is outdated. Returns false if that fails; the running service is then left as it is. */
async function isBuilt(): Promise<boolean> {
  const parts = outdated();
  if (parts.length === 0) return true;
  const isDone = await build(parts, { incremental: true });
  if (!isDone)
    console.error(`${service ? 'The service runs on as it was' : 'Nothing runs'}, until the next change.`);
  return isDone;
}

async function end(signal: NodeJS.Signals): Promise<void> {
  isEnding = true;
  if (!service) process.exit(0);
  service.child.kill(signal); // pass on a second signal as well: the service treats it differently
  const ended = await service.ended;
  process.exit(typeof ended === 'number' ? ended : 1);
}

process.once('exit', discardCompiled);
process.on('SIGTERM', end);
process.on('SIGINT', end);

for (let seen = ''; !isEnding; await delay(POLL_INTERVAL)) {
  const state = stateOfSources();
  if (state === seen) continue;
  seen = state;
  if (service && outdated().length === 0) continue; // the file was touched but not changed
  if (!(await isBuilt()) || isEnding) continue;
  await stop();
  start();
  compiled ??= compileAhead();
  await compiled;
}

import '../startup/node-version.js';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, ConfigError, readConfig } from '../config.js';
import { argumentsOf, printedHelp, UsageError } from './arguments.js';
import type { Declaration, Given } from './usage/declaration.js';

const HEALTH = {
  script: 'health',
  does: `Asks the service that runs with these settings whether it is ready, as GET /health/ready does. For
health checks of containers and supervisors, which then need no other program.`,
  options: { wait: { value: 'SECONDS', says: 'asks again until it is ready, at most so long' } },
  examples: ['', '--wait 60'],
  exits: { 0: 'it is ready', 1: 'it is not, and a line says why' },
} as const satisfies Declaration;

/** In milliseconds: how long one answer may take. */
const PATIENCE = 3_000;

/** In milliseconds. */
const PAUSE = 250;

/** An address that stands for all cannot be asked. */
const ADDRESSES: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

function urlOf({ host, port }: Config): string {
  if (port === 0) throw new UsageError('PORT is 0, so the service has chosen its port itself: set PORT');
  const address = ADDRESSES[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}/health/ready`;
}

/** Not by `fetch`, which knows ports that it refuses to ask. */
const ask = (url: string) =>
  new Promise<{ isReady: boolean; line: string }>((resolve) => {
    const isNot = (why: string) => resolve({ isReady: false, line: `Not ready: ${url} ${why}` });
    const request = get(url, { signal: AbortSignal.timeout(PATIENCE) }, ({ statusCode }) => {
      request.destroy();
      if (statusCode === 200) resolve({ isReady: true, line: `Ready: ${url}` });
      else isNot(`answers ${statusCode}`);
    });
    request.on('error', ({ message }) => isNot(`does not answer: ${message}`));
  });

function patienceIn({ given: { wait = '0' } }: Given<typeof HEALTH>): number {
  if (/^\d{1,5}$/.test(wait)) return Number(wait) * 1_000;
  throw new UsageError(`--wait must be a whole number of seconds, and is "${wait}"`);
}

async function check(): Promise<number> {
  const patience = patienceIn(argumentsOf(HEALTH));
  const url = urlOf(readConfig());
  const until = performance.now() + patience;
  let answer = await ask(url);
  while (!answer.isReady && performance.now() < until) {
    await delay(PAUSE);
    answer = await ask(url);
  }
  (answer.isReady ? console.log : console.error)(answer.line);
  return answer.isReady ? 0 : 1;
}

// Not by what other commands share: that loads the database, and a container is checked every half a minute.
if (!printedHelp(HEALTH)) {
  try {
    process.exitCode = await check();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

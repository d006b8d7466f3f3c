import '../startup/node-version.js';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { argumentsOf, printedHelp, UsageError } from '../../base/commands/arguments.js';
import { type Config, ConfigError } from '../../base/config.js';
import { readConfig } from '../../features/settings.js';

/** How long one answer may take. */
const PATIENCE_MS = 3_000;

/** An address that stands for all cannot be asked. */
const ADDRESSES: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Where the service with these settings says whether it is ready. */
function readinessUrl({ host, port }: Config): string {
  const address = ADDRESSES[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}/health/ready`;
}

/** Not by `fetch`, which knows ports that it refuses to ask. Rejects where nobody answers in time. */
const askReadiness = (url: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(PATIENCE_MS) }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.on('error', reject);
  });

const HELP = `steady health [--wait SECONDS]

Asks the service that runs with these settings whether it is ready, as GET /health/ready does. For
health checks of containers and supervisors, which then need no other program.

--wait SECONDS  asks again until it is ready, at most so long

Examples:
  steady health
  steady health --wait 60

Exit codes:
  0  it is ready
  1  it is not, and a line says why`;

const PAUSE_MS = 250;

function urlOf(config: Config): string {
  if (config.port === 0)
    throw new UsageError('PORT is 0, so the service has chosen its port itself: set PORT');
  return readinessUrl(config);
}

async function ask(url: string): Promise<{ isReady: boolean; line: string }> {
  const isNot = (why: string) => ({ isReady: false, line: `Not ready: ${url} ${why}` });
  try {
    const { status } = await askReadiness(url);
    return status === 200 ? { isReady: true, line: `Ready: ${url}` } : isNot(`answers ${status}`);
  } catch (error) {
    return isNot(`does not answer: ${(error as Error).message}`);
  }
}

function patience(): number {
  const { wait = '0' } = argumentsOf({ options: { wait: { type: 'string' } } }).values;
  if (/^\d{1,5}$/.test(wait)) return Number(wait) * 1_000;
  throw new UsageError(`--wait must be a whole number of seconds, and is "${wait}"`);
}

async function check(): Promise<number> {
  const wait = patience();
  const url = urlOf(readConfig());
  const until = performance.now() + wait;
  let answer = await ask(url);
  while (!answer.isReady && performance.now() < until) {
    await delay(PAUSE_MS);
    answer = await ask(url);
  }
  (answer.isReady ? console.log : console.error)(answer.line);
  return answer.isReady ? 0 : 1;
}

// Not by what other commands share: that loads the database, and a container is checked every half a minute.
if (!printedHelp(HELP)) {
  try {
    process.exitCode = await check();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

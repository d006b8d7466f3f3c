import { argumentsOf, printedHelp, UsageError } from '../../base/commands/arguments.js';
import { readConfig } from '../../features/settings.js';
import { fail } from './ending.js';

const HELP = `steady

Brings the database and the streaks up to date, then serves until SIGTERM. Everything is set by
variables of the environment: see docs/operate.md.

Examples:
  steady
  steady --data /srv/steady

Exit codes:
  0  it was asked to stop, and has answered everything
  1  it cannot start, and a line says why; or it could not answer everything in time`;

/** Each kind of process loads only what it needs: a service of one process no cluster, a primary no service. */
async function start(): Promise<void> {
  argumentsOf({});
  const config = readConfig();
  if (config.workers === 1) {
    const { serveAlone } = await import('./serve.js');
    return serveAlone(config);
  }
  const { default: cluster } = await import('node:cluster');
  if (cluster.isPrimary) {
    const { Workers } = await import('./workers.js');
    return new Workers(config).start();
  }
  const { serveAsWorker } = await import('./worker.js');
  return serveAsWorker(config);
}

function failed(error: unknown): never {
  if (!(error instanceof UsageError)) fail(error);
  console.error(`${error.message}. Settings are variables of the environment, as in PORT=8080 steady`);
  process.exit(1);
}

if (!printedHelp(HELP)) start().catch(failed);

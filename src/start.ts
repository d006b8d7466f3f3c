import { printedHelp } from './commands/arguments.js';
import { readConfig } from './config.js';
import { fail } from './startup/ending.js';

const HELP = `npm start

Brings the database and the streaks up to date, then serves until SIGTERM. Everything is set by
variables of the environment: see docs/configuration.md.`;

/** Each kind of process loads only what it needs: a service of one process no cluster, a primary no service. */
async function start(): Promise<void> {
  const config = readConfig();
  if (config.workers === 1) {
    const { serveAlone } = await import('./serve.js');
    return serveAlone(config);
  }
  const { default: cluster } = await import('node:cluster');
  if (cluster.isPrimary) {
    const { Workers } = await import('./startup/workers.js');
    return new Workers(config).start();
  }
  const { serveAsWorker } = await import('./startup/worker.js');
  return serveAsWorker(config);
}

if (!printedHelp(HELP)) start().catch(fail);

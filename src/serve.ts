import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Passwords } from './accounts/passwords.js';
import { createService, trustedDocumentsOf } from './app.js';
import { systemClock } from './clock.js';
import { printedHelp } from './commands/arguments.js';
import { readConfig } from './config.js';
import { createLog } from './log.js';
import { openDatabase, secretOf } from './startup/instance.js';
import { explainStartError, ListenError } from './startup/start-errors.js';
import { StreakJob } from './streaks/streak.job.js';
import { StreakSchedule } from './streaks/streak.schedule.js';

const HELP = `npm start

Brings the database and the streaks up to date, then serves until SIGTERM. Everything is set by
variables of the environment: see docs/configuration.md.`;

/**
 * In milliseconds: a stop that takes longer ends the process. Longer than the drain, which cuts slow clients before.
 */
const DRAIN_LIMIT = 10_000;

/**
 * The backlog of the listening socket; beyond it, clients retry with a delay of seconds. The system may allow less.
 */
const BACKLOG = 4_096;

/** In milliseconds: logs refused connections at most this often, because a line for each would be a flood itself. */
const DROP_LOG_INTERVAL = 60_000;

/** In milliseconds. npm forwards a signal to its group, so one signal may arrive twice. */
const SECOND_SIGNAL_AFTER = 1_000;

async function start(): Promise<() => Promise<void>> {
  const config = readConfig();
  const log = createLog(config);
  const onWarning = (line: string) => log.warn(line);
  config.warnings.forEach(onWarning);
  const trustedDocuments = trustedDocumentsOf(config);
  const database = await openDatabase(config, {
    onWaiting: (error) => log.warn({ err: error }, 'Waiting for the database'),
    onRoom: (hasRoom) => {
      if (hasRoom) log.info('There is room on the disk of DATA_DIR again: writes go on');
      else log.warn('The disk of DATA_DIR is nearly full: nothing is written until there is room again');
    },
    onWarning,
    onEnd: fail,
  });
  const secret = secretOf(config, onWarning); // after opening the database, which has checked the directory
  const passwords = new Passwords(config);
  const job = new StreakJob(database, systemClock);
  const streaks = new StreakSchedule(job, database, systemClock, log);
  await streaks.runOnce();

  let isServing = true;
  const instance = { config, secret, clock: systemClock, database, passwords, trustedDocuments, log };
  const service = await createService({ ...instance, isServing: () => isServing });
  const { server } = service;
  database.announcements.open().catch((error: unknown) => {
    log.warn({ err: error }, 'Cannot listen for changes yet; the first subscription tries again');
  });
  await listen(server, config.port, config.host);
  server.on('error', (error) => log.error({ err: error }, 'A connection could not be accepted'));
  server.on(
    'drop',
    atMostOnceIn(DROP_LOG_INTERVAL, () => log.warn('More than MAX_CONNECTIONS: turned away')),
  );
  const url = urlOf(server, config.host);
  log.info(
    `Steady runs on ${database.description}: API ${url}/api, playground ${url}/graphql, docs ${url}/api/docs`,
  );

  return async () => {
    isServing = false;
    log.info('Stopping');
    await service.stop();
    await streaks.stop();
    await passwords.close();
    await database.close();
    log.info('Stopped');
  };
}

function atMostOnceIn(interval: number, act: () => void): () => void {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < interval) return;
    last = performance.now();
    act();
  };
}

const listen = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(new ListenError(error.message, { cause: error }));
    server.once('error', fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', fail);
      resolve();
    });
  });

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

async function main(): Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  let firstSignalAt: number | undefined;
  const onSignal = () => {
    if (!stop) process.exit(1); // nothing is being served yet
    if (firstSignalAt !== undefined) {
      if (performance.now() - firstSignalAt > SECOND_SIGNAL_AFTER) process.exit(1);
      return;
    }
    firstSignalAt = performance.now();
    setTimeout(() => {
      console.error(`Not everything was answered within ${DRAIN_LIMIT / 1_000} seconds`);
      process.exit(1);
    }, DRAIN_LIMIT).unref();
    stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  stop = await start();
}

function fail(error: unknown): never {
  console.error(explainStartError(error));
  process.exit(1);
}

if (!printedHelp(HELP)) main().catch(fail);

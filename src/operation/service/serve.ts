import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createService } from '../../app.js';
import { systemClock } from '../../base/clock.js';
import type { Config } from '../../base/config.js';
import { manifest } from '../../base/files/project.js';
import { HASH_THREADS, Passwords } from '../../base/passwords/passwords.js';
import { shareCall } from '../../base/queues/shared-call.js';
import { currentRequestId } from '../../base/request.js';
import type { Database } from '../../database/database.js';
import type { Live } from '../../graphql/graphql.js';
import { countJobs } from '../../jobs/jobs.queries.js';
import { createLog, isForPeople } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Sources } from '../../telemetry/readings.js';
import { BACKUPS } from '../backup/checks.js';
import { BackupSchedule, type BackupSettings } from '../backup/schedule.js';
import { rememberIn } from '../backup/tombstones.js';
import { checksOfDatabase, checksOfProcess, findingsOf } from '../doctor/checks.js';
import { type Instance, openDatabase, secretOf } from '../startup/instance.js';
import { Ending, fail } from './ending.js';
import { listen, requireFree, SERVICE_ADDRESS } from './listen.js';
import { listenForMetrics } from './metrics-listener.js';

/**
 * The backlog of the listening socket; beyond it, clients retry with a delay of seconds. The system may allow less.
 */
const BACKLOG = 4_096;

/** A line for each refused connection would be a flood itself. */
const DROP_LOG_INTERVAL_MS = 60_000;

export interface ServeSettings {
  config: Config;
  log: Logger;
  /** Whether this process is the leader from the start. */
  isLeader: boolean;
  /** Whether its primary has the embedded database open. */
  isWorker?: boolean;
}

/** A process that listens. */
export interface Serving {
  /** Names what it runs on, and its addresses. */
  description: string;
  /** Where a person begins: the page, or without it the playground. */
  address: string;
  /** Makes this process the leader: it does what one process does for all. */
  keep: () => Promise<void>;
  stop: () => Promise<void>;
  /** Undefined where none are wanted. */
  metrics: Metrics | undefined;
}

/** The only process of a service: it serves until SIGTERM. */
export async function serveAlone(config: Config): Promise<void> {
  const ending = new Ending();
  process.on('SIGTERM', () => ending.ask());
  process.on('SIGINT', () => ending.ask());
  const log = createLog({ ...config, requestId: currentRequestId });
  for (const line of config.warnings) log.warn(line);
  // Before anything is opened: a port that is taken stops the start without side effects.
  await requireFree(config, SERVICE_ADDRESS);
  let metrics: Metrics | undefined;
  if (config.metrics) await listenForMetrics({ ...config.metrics, text: async () => metrics?.text() });
  const { stop, ...serving } = await serve({ config, log, isLeader: true });
  metrics = serving.metrics;
  ending.drainsBy(stop);
  log.info(serving.description);
  showAddress(serving.address, config);
}

/** On a terminal the last line is the address alone, where it is found at once. */
function showAddress(address: string, config: Config): void {
  if (isForPeople(config)) process.stdout.write(`\n${address}\n`);
}

export async function serve({ config, log, isLeader, isWorker = false }: ServeSettings): Promise<Serving> {
  const onWarning = (line: string) => log.warn(line);
  const onMaking = (line: string) => log.info(line);
  const embedded = isWorker ? 'joined' : 'alone';
  const database = await openDatabase(config, {
    ...notices(log),
    embedded,
    onWarning,
    onMaking,
    onEnd: fail,
  });
  const metrics = await metricsOf(config);
  const secret = secretOf(config, onWarning); // after opening the database, which has checked the directory
  const passwords = new Passwords({ ...config, hashThreads: Math.ceil(HASH_THREADS / config.workers) });
  const backups = backupsOf(config, { database, log });

  let isServing = true;
  const backupHealth = backups && (() => backups.health());
  const instance = {
    config,
    secret,
    clock: systemClock,
    database,
    passwords,
    ...{ log, backupHealth, metrics },
    remember: rememberIn(config, onWarning),
  };
  const service = await createService({ ...instance, isServing: () => isServing });
  database.announcements.open().catch((error: unknown) => {
    log.warn({ err: error }, 'Cannot listen for changes yet; the first subscription tries again');
  });
  const probe = async () => {
    if (!isServing) throw new Error('Stopping');
    await database.probe();
  };
  metrics?.read(sourcesOf({ config, database, passwords, backups, probe, ...service }));
  const keep = () => {
    backups?.keep();
    return service.keep();
  };
  if (isLeader) await keep();
  await backups?.prepare();
  await accept(service.server, config, log);
  backups?.start();
  if (isLeader) void warnOfFindings(instance); // it is a service to the operator, and can wait
  const stop = async () => {
    isServing = false;
    log.info('Stopping');
    await Promise.all([service.stop(), backups?.stop()]);
    await passwords.close();
    await database.close();
    log.info('Stopped');
  };
  const url = `${urlOf(service.server, config.host)}${config.publicPath}`;
  return { ...presented(url, config, database), keep, stop, metrics };
}

function presented(url: string, { workers, signUp, ui }: Config, { description: place }: Database) {
  const by = workers > 1 ? ` with ${workers} workers` : '';
  const description = `Steady runs on ${place}${by}: API ${url}/api, playground ${url}/graphql, docs ${url}/api/docs, ${ui === 'on' ? `page ${url}/` : 'no page'} (sign-up is ${signUp})`;
  return { description, address: ui === 'on' ? `${url}/` : `${url}/graphql` };
}

/** What the log tells of the database. */
const notices = (log: Logger) => ({
  onWaiting: (error: unknown) => log.warn({ err: error }, 'Waiting for the database'),
  onListening: (line: string, isHeard: boolean) => (isHeard ? log.info(line) : log.warn(line)),
  onRoom: (line: string, hasRoom: boolean) => (hasRoom ? log.info(line) : log.warn(line)),
});

interface Process {
  config: Config;
  database: Database;
  passwords: Passwords;
  backups: BackupSchedule | undefined;
  live: Live;
  kinds: readonly string[];
  probe: Sources['probe'];
}

const sourcesOf = ({ config, database, passwords, backups, probe, live, kinds }: Process): Sources => ({
  build: {
    version: manifest().version,
    node: process.version,
    database: config.databaseUrl ? 'server' : 'embedded',
  },
  probe,
  connections: () => database.connections(),
  isFull: () => database.isFull(),
  hearsOthers: () => database.announcements.isHeard,
  passwordsWaiting: () => passwords.waiting,
  liveOperations: () => live.operations(),
  jobs: shareCall(() => countJobs(database.query(), kinds, systemClock.now())),
  lastBackup: backups && (() => backups.health().lastGoodAt),
});

/** What the doctor would say of the same; of backups only where others rely on them. */
async function warnOfFindings({
  config,
  database,
  clock,
  log,
}: Pick<Instance, 'config' | 'database' | 'clock' | 'log'>): Promise<void> {
  const found = [
    ...(await findingsOf(checksOfProcess, config)),
    ...(await findingsOf(checksOfDatabase, { config, clock, query: database.query<unknown>() })),
  ];
  for (const { about, state, message, fix } of found)
    if (state !== 'ok' && (config.production || about !== BACKUPS)) log.warn({ fix }, `${about}: ${message}`);
}

/** Loads nothing where no metrics are wanted. */
async function metricsOf({ metrics }: Config): Promise<Metrics | undefined> {
  if (!metrics) return undefined;
  const { Metrics } = await import('../../telemetry/metrics.js');
  return new Metrics();
}

function backupsOf(
  { backupDir: folder, backupEvery: everyHours, backupKeep: keep }: Config,
  others: Pick<BackupSettings, 'database' | 'log'>,
): BackupSchedule | undefined {
  if (folder === undefined) return undefined;
  return new BackupSchedule({ folder, everyHours, keep, clock: systemClock, ...others });
}

async function accept(server: Server, { port, host, maxConnections }: Config, log: Logger): Promise<void> {
  await listen(server, { port, host, backlog: BACKLOG }, SERVICE_ADDRESS);
  server.on('error', (error) => log.error({ err: error }, 'A connection could not be accepted'));
  server.on(
    'drop',
    atMostOnceIn(DROP_LOG_INTERVAL_MS, () =>
      log.warn(`More than ${maxConnections} connections: turned away`),
    ),
  );
}

function atMostOnceIn(interval: number, act: () => void): () => void {
  let last = -Infinity;
  return () => {
    if (performance.now() - last < interval) return;
    last = performance.now();
    act();
  };
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { HASH_THREADS, Passwords } from '../accounts/passwords.js';
import { createService, trustedDocumentsOf } from '../app.js';
import { BackupSchedule, type BackupSettings } from '../backup/schedule.js';
import { rememberIn } from '../backup/tombstones.js';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { BACKUPS } from '../doctor/backups.js';
import { checksOfDatabase, checksOfProcess, resultsOf } from '../doctor/checks.js';
import { manifest } from '../files/project.js';
import type { Live } from '../graphql/graphql.js';
import { shareCall } from '../queues/shared-call.js';
import { countWaiting } from '../reminders/message.queries.js';
import { ReminderKeeper } from '../reminders/reminder.schedule.js';
import { currentRequestId } from '../request.js';
import { type Instance, openDatabase, secretOf } from '../startup/instance.js';
import { StreakJob } from '../streaks/streak.job.js';
import { StreakSchedule } from '../streaks/streak.schedule.js';
import { createLog, isForPeople } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Sources } from '../telemetry/readings.js';
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
  /** Whether this process is the keeper from the start. */
  isKeeper: boolean;
  /** Whether its primary has the embedded database open. */
  isWorker?: boolean;
}

/** A process that listens. */
export interface Serving {
  /** Names what it runs on, and its addresses. */
  description: string;
  /** Where a person begins: the page, or without it the playground. */
  address: string;
  /** Makes this process the keeper: it runs the streak job, now and every hour, and makes backups. */
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
  const { metricsPort: port, metricsHost: host } = config;
  let metrics: Metrics | undefined;
  if (port !== undefined) await listenForMetrics({ host, port, text: async () => metrics?.text() });
  const { stop, ...serving } = await serve({ config, log, isKeeper: true });
  metrics = serving.metrics;
  ending.drainsBy(stop);
  log.info(serving.description);
  showAddress(serving.address, config);
}

/** On a terminal the last line is the address alone, where it is found at once. */
function showAddress(address: string, config: Config): void {
  if (isForPeople(config)) process.stdout.write(`\n${address}\n`);
}

export async function serve({ config, log, isKeeper, isWorker = false }: ServeSettings): Promise<Serving> {
  const onWarning = (line: string) => log.warn(line);
  const trustedDocuments = trustedDocumentsOf(config);
  const embedded = isWorker ? 'joined' : 'alone';
  const database = await openDatabase(config, { ...told(log), embedded, onWarning, onEnd: fail });
  const metrics = await metricsOf(config);
  const secret = secretOf(config, onWarning); // after opening the database, which has checked the directory
  const passwords = new Passwords({ ...config, hashThreads: Math.ceil(HASH_THREADS / config.workers) });
  let streaks: StreakSchedule | undefined;
  const backups = backupsOf(config, { database, log });
  const reminders = new ReminderKeeper(log);
  const keep = () => {
    backups?.keep();
    if (config.reminders === 'on') reminders.keep();
    streaks ??= new StreakSchedule(new StreakJob(database, systemClock), database, systemClock, log);
    return streaks.runOnce();
  };
  if (isKeeper) await keep();

  let isServing = true;
  const backupHealth = backups && (() => backups.health());
  const instance = {
    config,
    secret,
    clock: systemClock,
    database,
    passwords,
    ...{ trustedDocuments, log, backupHealth, metrics },
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
  metrics?.read(sourcesOf({ config, database, passwords, backups, probe, live: service.live }));
  await backups?.prepare();
  await accept(service.server, config, log);
  backups?.start();
  reminders.begin(service.reminders);
  if (isKeeper) void warnOfFindings(instance); // it is a service to the operator, and can wait
  const stop = async () => {
    isServing = false;
    log.info('Stopping');
    await Promise.all([service.stop(), backups?.stop(), reminders.stop()]);
    service.reminders.close();
    await streaks?.stop();
    await passwords.close();
    await database.close();
    log.info('Stopped');
  };
  const url = `${urlOf(service.server, config.host)}${config.publicPath}`;
  return { ...presented(url, config, database), keep, stop, metrics };
}

function presented(url: string, { workers, ui, signUp }: Config, { description: place }: Database) {
  const by = workers > 1 ? ` with ${workers} workers` : '';
  const page = ui === 'on' ? `, page ${url}/` : '';
  const address = ui === 'on' ? `${url}/` : `${url}/graphql`;
  const description = `Steady runs on ${place}${by}: API ${url}/api, playground ${url}/graphql, docs ${url}/api/docs${page} (sign-up is ${signUp})`;
  return { description, address };
}

/** What the log tells of the database. */
const told = (log: Logger) => ({
  onWaiting: (error: unknown) => log.warn({ err: error }, 'Waiting for the database'),
  onListening: (line: string, isHeard: boolean) => (isHeard ? log.info(line) : log.warn(line)),
});

interface Process {
  config: Config;
  database: Database;
  passwords: Passwords;
  backups: BackupSchedule | undefined;
  live: Live;
  probe: Sources['probe'];
}

const sourcesOf = ({ config, database, passwords, backups, probe, live }: Process): Sources => ({
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
  reminders: shareCall(() => countWaiting(database.query(), systemClock.now())),
  lastBackup: backups && (() => backups.health().lastGoodAt),
});

/** What the doctor would say of the same; of backups only where others rely on them. */
async function warnOfFindings({
  config,
  database,
  clock,
  log,
}: Pick<Instance, 'config' | 'database' | 'clock' | 'log'>): Promise<void> {
  const checks = [...checksOfProcess(config), ...checksOfDatabase(database.query(), config, clock)];
  for (const { about, state, message, fix } of await resultsOf(checks))
    if (state !== 'ok' && (config.production || about !== BACKUPS)) log.warn({ fix }, `${about}: ${message}`);
}

/** Loads nothing where no metrics are wanted. */
async function metricsOf({ metricsPort, smtpUrl }: Config): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const { Metrics } = await import('../telemetry/metrics.js');
  const metrics = new Metrics();
  if (smtpUrl !== undefined) metrics.followMails();
  return metrics;
}

function backupsOf(
  { backupDir: folder, backupEvery: everyHours, backupKeep: keep }: Config,
  others: Pick<BackupSettings, 'database' | 'log'>,
): BackupSchedule | undefined {
  if (folder === undefined) return undefined;
  return new BackupSchedule({ folder, everyHours, keep, clock: systemClock, ...others });
}

async function accept(server: Server, { port, host }: Config, log: Logger): Promise<void> {
  await listen(server, { port, host, backlog: BACKLOG }, SERVICE_ADDRESS);
  server.on('error', (error) => log.error({ err: error }, 'A connection could not be accepted'));
  server.on(
    'drop',
    atMostOnceIn(DROP_LOG_INTERVAL_MS, () => log.warn('More than MAX_CONNECTIONS: turned away')),
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

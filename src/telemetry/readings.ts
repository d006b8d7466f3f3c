import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Meter } from './meter.js';

/** Where the state of a process is read. */
export interface Sources {
  build: { version: string; node: string; database: string };
  /** The pool's; undefined without one. */
  connections: () => { open: number; idle: number; waiting: number };
  /** Whether it listens to what other processes announce. */
  hearsOthers: () => boolean;
  passwordsWaiting: () => number;
  /** The subscriptions and other operations under way, by transport. */
  liveOperations: () => Record<string, number>;
  /** Rejects unless the service can take requests. */
  probe: () => Promise<void>;
  /** Whether the last write, or new connection, found no room on the disk of the database. */
  isFull: () => boolean;
  /** Of each kind of jobs how many wait, how many of them have failed, and for how many seconds the oldest has been due. */
  jobs: () => Promise<{ kind: string; waiting: number; failed: number; oldest: number }[]>;
  /** Null while there is none. Undefined where the service makes none. */
  lastBackup: (() => Date | null) | undefined;
}

/** Metrics that are read when they are asked for. */
export function readings(meter: Meter, registry: Registry, sources: Sources): void {
  ofService(meter, sources);
  ofJobs(meter, sources);
  new Gauge({
    name: 'steady_build_info',
    help: 'Always 1: what runs here, by `version`, `node` and `database`.',
    labelNames: Object.keys(sources.build),
    registers: [registry],
    aggregator: 'first',
  }).set(sources.build, 1);
  const start = performance.timeOrigin / 1_000;
  meter.gauge('process_resident_memory_bytes', 'Memory of the service, without the primary.', () =>
    process.memoryUsage.rss(),
  );
  meter.gauge('process_start_time_seconds', 'When the process started.', () => start, { aggregator: 'max' });
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the service, without the primary.',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

/** Whoever asks for metrics waits no longer for a database that does not answer. */
const PROBE_LIMIT_MS = 500;

export async function within<T>(read: () => Promise<T>): Promise<T | undefined> {
  const limit = new AbortController();
  const late = delay(PROBE_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined);
  return Promise.race([read().catch(() => undefined), late]).finally(() => limit.abort());
}

function ofService(meter: Meter, sources: Sources): void {
  meter.gauge(
    'db_client_connection_count',
    'Connections of the pool to the database, by `state`.',
    () => {
      const { open, idle } = sources.connections();
      return { idle, used: open - idle };
    },
    { label: 'state' },
  );
  meter.gauge(
    'db_client_connection_pending_requests',
    'Requests that wait for a connection.',
    () => sources.connections().waiting,
  );
  meter.gauge(
    'steady_ready',
    'Whether it can take requests; of all workers, how many can.',
    () => sources.probe().then(() => 1),
    { missing: 0 },
  );
  meter.gauge(
    'steady_database_full',
    'Whether the last write or new connection found no room on the disk of the database.',
    async () => {
      if (sources.isFull()) await within(sources.probe); // it looks whether there is some again
      return sources.isFull() ? 1 : 0;
    },
    { aggregator: 'max' },
  );
  meter.gauge(
    'steady_announcements_heard',
    'Processes that hear of changes elsewhere. In one that does not, live updates wait, and what was signed out elsewhere is good for up to five seconds.',
    () => (sources.hearsOthers() ? 1 : 0),
  );
  meter.gauge('steady_passwords_waiting', 'Passwords that wait to be hashed.', sources.passwordsWaiting);
  meter.gauge('steady_live_operations', 'Operations that are open, by `transport`.', sources.liveOperations, {
    label: 'transport',
  });
  const { lastBackup } = sources;
  if (lastBackup)
    meter.gauge(
      'steady_backup_last_success_timestamp_seconds',
      'When the newest good backup was made; 0: there is none. Absent without BACKUP_DIR.',
      () => (lastBackup()?.getTime() ?? 0) / 1_000,
      { aggregator: 'max' },
    );
}

function ofJobs(meter: Meter, sources: Sources): void {
  const reading = (name: string, help: string, of: 'waiting' | 'failed' | 'oldest') =>
    meter.gauge(
      name,
      help,
      async () => Object.fromEntries((await sources.jobs()).map((found) => [found.kind, found[of]])),
      { label: 'kind', aggregator: 'max' },
    );
  reading('steady_jobs_waiting', 'Jobs that are to be done beside requests, by `kind`.', 'waiting');
  reading('steady_jobs_failed', 'Those of them that have failed, and are tried again, by `kind`.', 'failed');
  reading('steady_jobs_oldest_seconds', 'For how long the oldest of them has been due, by `kind`.', 'oldest');
}

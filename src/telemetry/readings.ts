import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

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
  /** Whether the last write found no room on the disk of the database. */
  isFull: () => boolean;
  /** How many messages of reminders wait, and for how many seconds the oldest. */
  reminders: () => Promise<{ waiting: number; oldest: number }>;
  /** Null while there is none. Undefined where the service makes none. */
  lastBackup: (() => Date | null) | undefined;
}

type Aggregator = 'sum' | 'max' | 'first';

interface Labelled {
  label?: string[];
  /** What stands for all processes. */
  aggregator?: Aggregator;
}

type Read = (set: (value: number, labels?: Record<string, string>) => void) => void | Promise<void>;

/** Metrics that are read when they are asked for. */
export function readings(registry: Registry, sources: Sources): void {
  const gauge = (name: string, help: string, read: Read, { label = [], aggregator = 'sum' }: Labelled = {}) =>
    new Gauge({
      name,
      help,
      labelNames: label,
      registers: [registry],
      aggregator,
      collect() {
        this.reset();
        return read((value, labels = {}) => this.set(labels, value));
      },
    });
  ofService(gauge, sources);
  ofReminders(gauge, sources);
  ofProcess(gauge);
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the service.',
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

async function within<T>(read: () => Promise<T>): Promise<T | undefined> {
  const limit = new AbortController();
  const late = delay(PROBE_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined);
  return Promise.race([read().catch(() => undefined), late]).finally(() => limit.abort());
}

const isReady = async (probe: () => Promise<void>): Promise<boolean> =>
  (await within(() => probe().then(() => true))) ?? false;

type MakeGauge = (name: string, help: string, read: Read, labelled?: Labelled) => Gauge;

function ofProcess(gauge: MakeGauge): void {
  gauge('process_resident_memory_bytes', 'Memory of the service.', (set) => set(process.memoryUsage.rss()));
  const start = performance.timeOrigin / 1_000;
  gauge('process_start_time_seconds', 'When the process started.', (set) => set(start), {
    aggregator: 'max',
  });
}

function ofService(gauge: MakeGauge, sources: Sources): void {
  const connections = gauge(
    'db_client_connection_count',
    'Connections of the pool to the database.',
    (set) => {
      const { open, idle } = sources.connections();
      set(idle, { state: 'idle' });
      set(open - idle, { state: 'used' });
    },
    { label: ['state'] },
  );
  // Its name, which is OpenTelemetry's, ends as that of a histogram's part: Prometheus wants no type for it then.
  Object.assign(connections, { type: 'untyped' });
  gauge('db_client_connection_pending_requests', 'Requests that wait for a connection.', (set) =>
    set(sources.connections().waiting),
  );
  gauge('steady_ready', 'Whether it can take requests; of all workers, how many can.', async (set) =>
    set((await isReady(sources.probe)) ? 1 : 0),
  );
  gauge(
    'steady_database_full',
    'Whether the last write found no room on the disk of the database.',
    (set) => set(sources.isFull() ? 1 : 0),
    { aggregator: 'max' },
  );
  gauge('steady_announcements_heard', 'Processes that hear what others announce.', (set) =>
    set(sources.hearsOthers() ? 1 : 0),
  );
  gauge('steady_passwords_waiting', 'Passwords that wait to be hashed.', (set) =>
    set(sources.passwordsWaiting()),
  );
  gauge(
    'steady_live_operations',
    'Operations that are open.',
    (set) => {
      for (const [transport, count] of Object.entries(sources.liveOperations())) set(count, { transport });
    },
    { label: ['transport'] },
  );
  const { lastBackup } = sources;
  if (lastBackup)
    gauge(
      'steady_backup_last_success_timestamp_seconds',
      'When the newest good backup was made; 0: there is none. Absent without BACKUP_DIR.',
      (set) => set((lastBackup()?.getTime() ?? 0) / 1_000),
      { aggregator: 'max' },
    );
  gauge('steady_build_info', 'Always 1: what runs here.', (set) => set(1, sources.build), {
    label: Object.keys(sources.build),
    aggregator: 'first',
  });
}

function ofReminders(gauge: MakeGauge, sources: Sources): void {
  gauge(
    'steady_reminders_waiting',
    'Messages of reminders that are to be sent, in the database.',
    async (set) => set((await within(sources.reminders))?.waiting ?? Number.NaN),
    { aggregator: 'max' },
  );
  gauge(
    'steady_reminders_oldest_seconds',
    'For how long the oldest of them has been due.',
    async (set) => set((await within(sources.reminders))?.oldest ?? Number.NaN),
    { aggregator: 'max' },
  );
}

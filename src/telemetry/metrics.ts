import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import { readings, type Sources } from './readings.js';
import { topics } from './topics.js';
import { type Seen, WEBSOCKET } from './trail.js';

/** Says itself whether the service is there. */
const READINESS = '/health/ready';

/** One process's metrics, as it tells them to the primary. */
export type MetricsOfOne = MetricObjectWithValues<MetricValue<string>>[];

/** OpenTelemetry has the same. */
const HTTP_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

const GRAPHQL_BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];

/** OpenTelemetry's word for a method that is not known. */
const OTHER_METHOD = '_OTHER';

/** For an operation that could not be read. */
const OTHER = 'other';

/** Counts what one process does. Labels come from the route table and the schema only, never from a client. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'How long requests take, from their head to the end of their answer.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: HTTP_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  private readonly operations = new Histogram({
    name: 'steady_graphql_duration_seconds',
    help: 'How long GraphQL operations take. Subscriptions are not among them.',
    labelNames: ['type', 'root_field', 'code'],
    buckets: GRAPHQL_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  private readonly fastPath = this.counter(
    'steady_graphql_fast_path_total',
    'GraphQL operations over HTTP: on the fast path (hit), or by Apollo (miss).',
    'outcome',
  );
  private readonly shed = this.counter(
    'steady_requests_shed_total',
    'Requests that there was no room, no time or no database for.',
    'reason',
  );

  constructor() {
    this.follow();
    // A series that begins when it first counts says that nothing has happened yet.
    for (const outcome of ['hit', 'miss']) this.fastPath.inc({ outcome }, 0);
    for (const reason of ['OVERLOADED', 'DATABASE_AWAY']) this.shed.inc({ reason }, 0);
    eventLoopOn(this.registry);
  }

  /** Reads the state of the process whenever it is asked for. */
  read(sources: Sources): void {
    readings(this.registry, sources);
  }

  seen({ trail, method, status, milliseconds }: Seen): void {
    const { route = '', operation, reason = 'OTHER', isStream } = trail;
    const isShed = status === 503 || trail.code === 'SERVICE_UNAVAILABLE';
    if (isShed && route !== READINESS) this.shed.inc({ reason });
    if (isStream) return;
    const seconds = milliseconds / 1_000;
    if (method !== WEBSOCKET) {
      const labels = {
        http_request_method: METHODS.includes(method) ? method : OTHER_METHOD,
        http_route: route,
        http_response_status_code: status,
      };
      this.requests.observe(labels, seconds);
      if (operation) this.fastPath.inc({ outcome: operation.isFast ? 'hit' : 'miss' });
    }
    if (operation?.type === 'subscription' || !(operation ?? trail.code)) return;
    const [field = '', ...others] = operation?.rootFields ?? [];
    const labels = {
      type: operation?.type ?? OTHER,
      root_field: others.length > 0 ? 'several' : field,
      code: trail.code ?? 'OK',
    };
    this.operations.observe(labels, seconds);
  }

  /** In the format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  values(): Promise<MetricsOfOne> {
    return this.registry.getMetricsAsJSON();
  }

  private follow(): void {
    const completions = this.counter('steady_completions_total', 'Completions that were recorded.');
    const runs = this.counter('steady_streak_job_runs_total', 'Runs of the streak job.', 'outcome');
    for (const outcome of ['done', 'skipped', 'failed']) runs.inc({ outcome }, 0);
    const corrections = this.counter(
      'steady_streak_job_corrections_total',
      'Streaks that the streak job corrected.',
    );
    const lastSuccess = new Gauge({
      name: 'steady_streak_job_last_success_timestamp_seconds',
      help: 'When the streak job last ended well in this process; 0: not yet.',
      registers: [this.registry],
      aggregator: 'max',
    });
    const refused = this.counter('steady_logins_refused_total', 'Log-ins refused unread, by limit.', 'limit');
    for (const limit of ['account', 'address']) refused.inc({ limit }, 0);
    const reminders = this.counter(
      'steady_reminders_total',
      'Messages of reminders, by the kind of channel: taken by the receiver (sent), or not (failed).',
      'kind',
      'outcome',
    );
    for (const kind of ['PUSH', 'NTFY', 'APPRISE'])
      for (const outcome of ['sent', 'failed']) reminders.inc({ kind, outcome }, 0);
    topics.reminders.follow((labels) => reminders.inc(labels));
    topics.completions.follow((count) => completions.inc(count));
    topics.logInsRefused.follow((limit) => refused.inc({ limit }));
    topics.streakJob.follow(({ outcome, corrected }) => {
      runs.inc({ outcome });
      corrections.inc(corrected);
      if (outcome === 'done') lastSuccess.setToCurrentTime();
    });
  }

  /** For a service that sends mails. */
  followMails(): void {
    const gauge = (name: string, help: string, aggregator: 'max') =>
      new Gauge({ name, help, registers: [this.registry], aggregator });
    const mails = this.counter('steady_mails_total', 'Mails, by what became of them.', 'outcome');
    for (const outcome of ['accepted', 'refused', 'unknown', 'given_up']) mails.inc({ outcome }, 0);
    const waiting = gauge('steady_mails_waiting', 'Mails that wait to be sent.', 'max');
    const away = gauge('steady_mail_server_away', 'Whether the mail server could not be used last.', 'max');
    topics.mails.follow(({ outcome, count }) => mails.inc({ outcome: outcome.toLowerCase() }, count));
    topics.mailsWaiting.follow((count) => waiting.set(count));
    topics.mailServer.follow((state) => away.set(state === 'AWAY' ? 1 : 0));
  }

  private counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}

/** How often the delay is measured. */
const RESOLUTION_MS = 20;

const NANOSECONDS = 1e9;

/** prom-client would measure the scrape itself. */
function eventLoopOn(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const gauge = (name: string, what: string, value: () => number) =>
    new Gauge({
      name: `nodejs_eventloop_delay_${name}_seconds`,
      help: `How late the event loop came to its work since the last reading, ${what}.`,
      registers: [registry],
      aggregator: 'max',
      collect() {
        this.set(Math.max(0, (value() || 0) / NANOSECONDS - RESOLUTION_MS / 1_000));
      },
    });
  gauge('mean', 'on average', () => delays.mean);
  gauge('p99', 'for 99 of 100', () => delays.percentile(99));
  gauge('max', 'at most', () => {
    const { max } = delays;
    delays.reset(); // the last one to be read
    return max;
  });
}

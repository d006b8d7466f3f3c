import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { Meter } from './meter.js';
import { readings, type Sources, within } from './readings.js';
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
export class Metrics implements Meter {
  private readonly registry = new Registry();

  counter: Meter['counter'] = (name, help, labels = {}) => {
    const labelNames = Object.keys(labels);
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] });
    const all = labelNames.reduce<Record<string, string>[]>(
      (some, label) =>
        (labels[label] ?? []).flatMap((value) => some.map((each) => ({ ...each, [label]: value }))),
      [{}],
    );
    for (const each of all) counter.inc(each, 0);
    return (given = {}, by = 1) => counter.inc(given, by);
  };

  gauge: Meter['gauge'] = (name, help, read, { label, aggregator = 'sum', missing = Number.NaN } = {}) => {
    const gauge = new Gauge({
      ...{ name, help, aggregator, registers: [this.registry] },
      labelNames: label === undefined ? [] : [label],
      async collect() {
        const reading = (await within(async () => read())) ?? missing;
        this.reset();
        if (typeof reading === 'number') return this.set(reading);
        for (const [value, number] of Object.entries(reading)) this.set({ [label ?? '']: value }, number);
      },
    });
    // A name of OpenTelemetry's that ends as that of a histogram's part: Prometheus wants no type for it then.
    if (name.endsWith('_count')) Object.assign(gauge, { type: 'untyped' });
  };

  private readonly requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'How long requests take, from their head to the end of their answer, by `http_request_method`, `http_route` and `http_response_status_code`; without streams.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: HTTP_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  private readonly operations = new Histogram({
    name: 'steady_graphql_duration_seconds',
    help: 'How long GraphQL operations take, by `type`, `root_field` and `code`; without subscriptions.',
    labelNames: ['type', 'root_field', 'code'],
    buckets: GRAPHQL_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  private readonly fastPath = this.counter(
    'steady_graphql_fast_path_total',
    'GraphQL operations over HTTP, by `outcome`: on the fast path (hit), or by Apollo (miss).',
    { outcome: ['hit', 'miss'] },
  );
  private readonly shed = this.counter(
    'steady_requests_shed_total',
    'Requests that were answered by 503, by `reason`: there was no room, no time or no database for them.',
    { reason: ['OVERLOADED', 'DATABASE_AWAY', 'DATABASE_FULL'] },
  );

  /** Reads the state of the process whenever it is asked for. */
  read(sources: Sources): void {
    readings(this, this.registry, sources);
    eventLoopOn(this.registry);
  }

  seen({ trail, method, status, milliseconds }: Seen): void {
    const { route = '', operation, reason = 'OTHER', isStream } = trail;
    const isShed = status === 503 || trail.code === 'SERVICE_UNAVAILABLE';
    if (isShed && route !== READINESS) this.shed({ reason });
    if (isStream) return;
    const seconds = milliseconds / 1_000;
    if (method !== WEBSOCKET) {
      const labels = {
        http_request_method: METHODS.includes(method) ? method : OTHER_METHOD,
        http_route: route,
        http_response_status_code: status,
      };
      this.requests.observe(labels, seconds);
      if (operation) this.fastPath({ outcome: operation.isFast ? 'hit' : 'miss' });
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
}

/** How often the delay is measured: each time wakes the process. */
const RESOLUTION_MS = 400;

const NANOSECONDS = 1e9;

/** prom-client would measure the scrape itself. */
function eventLoopOn(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const gauge = (name: string, what: string, value: () => number) =>
    new Gauge({
      name,
      help: `How late the event loop came to its work since the last reading, ${what}.`,
      registers: [registry],
      aggregator: 'max',
      collect() {
        this.set(Math.max(0, (value() || 0) / NANOSECONDS - RESOLUTION_MS / 1_000));
      },
    });
  gauge('nodejs_eventloop_delay_mean_seconds', 'on average', () => delays.mean);
  gauge('nodejs_eventloop_delay_p99_seconds', 'for 99 of 100', () => delays.percentile(99));
  gauge('nodejs_eventloop_delay_max_seconds', 'at most', () => {
    const { max } = delays;
    delays.reset(); // the last one to be read
    return max;
  });
}

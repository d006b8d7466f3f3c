import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import type { MetricsOfOne } from '../../telemetry/metrics.js';
import type { FromPrimary, FromWorker } from './worker-messages.js';

/** Of a worker that takes longer, the service takes what it told before. */
const PATIENCE_MS = 1_000;

/**
 * The primary's answer for all workers: sums, or the largest where a sum makes no sense. A counter that falls is read
 * as one that began anew, and what all the others have counted as new. So whoever is slow counts as before, and whoever
 * is gone goes on counting.
 */
export class MetricsOfWorkers {
  private readonly own = new Registry();
  readonly restarts = new Counter({
    name: 'steady_worker_restarts_total',
    help: 'Workers that were started because another one had ended by itself.',
    registers: [this.own],
  });
  private readonly received = new Map<Worker, MetricsOfOne>();
  private gone: MetricsOfOne[] = [];

  constructor(private readonly workers: () => Worker[]) {}

  /** Keeps what a worker that is gone has counted by the last time that it was asked. */
  keepOf(worker: Worker): void {
    this.gone.push((this.received.get(worker) ?? []).filter(outlivesWorker));
    this.received.delete(worker);
  }

  /** Rejects when no worker answers: then nothing is known of the whole. */
  async text(): Promise<string> {
    const answering = new Set<Worker>();
    await Promise.all(
      this.workers().map(async (worker) => {
        const metrics = await metricsOf(worker);
        if (!metrics || worker.isDead()) return;
        this.received.set(worker, metrics);
        answering.add(worker);
      }),
    );
    if (answering.size === 0) throw new Error('No worker tells its metrics');
    this.gone = [await AggregatorRegistry.aggregate(this.gone).getMetricsAsJSON()];
    const received = [...this.received].map(([worker, metrics]) =>
      answering.has(worker) ? metrics : metrics.filter(outlivesWorker),
    );
    const all = [...this.gone, ...received, await this.own.getMetricsAsJSON()];
    return AggregatorRegistry.aggregate(all).metrics();
  }
}

/** What has happened, unlike what is. */
const outlivesWorker = ({ name, type }: MetricsOfOne[number]) =>
  `${type}` !== 'gauge' || name.endsWith('_timestamp_seconds');

const metricsOf = (worker: Worker) =>
  new Promise<MetricsOfOne | undefined>((resolve) => {
    const end = (metrics?: MetricsOfOne) => {
      clearTimeout(timer);
      worker.off('message', read);
      resolve(metrics);
    };
    const read = (message: FromWorker) => {
      if (typeof message === 'object' && 'metrics' in message) end(message.metrics);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    worker.on('message', read);
    const message: FromPrimary = 'send the metrics';
    worker.send(message, undefined, undefined, (error) => error && end());
  });

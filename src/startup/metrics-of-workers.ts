import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import type { MetricsOfOne } from '../telemetry/metrics.js';
import type { FromPrimary, FromWorker } from './worker-messages.js';

/** In milliseconds: of a worker that takes longer, what it told before is taken. */
const PATIENCE = 1_000;

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
  private readonly told = new Map<Worker, MetricsOfOne>();
  private gone: MetricsOfOne[] = [];
  private gathering: Promise<string> | undefined;

  constructor(private readonly workers: () => Worker[]) {}

  /** Concurrent callers share one round. Rejects when no worker answers, which is then known of the whole. */
  text(): Promise<string> {
    this.gathering ??= this.gather().finally(() => {
      this.gathering = undefined;
    });
    return this.gathering;
  }

  /** Keeps what a worker that is gone has counted by the last time that it was asked. */
  keepOf(worker: Worker): void {
    this.gone.push((this.told.get(worker) ?? []).filter(outlivesWorker));
    this.told.delete(worker);
  }

  private async gather(): Promise<string> {
    const answers = await Promise.all(this.workers().map((worker) => this.ask(worker)));
    if (!answers.includes(true)) throw new Error('No worker tells its metrics');
    this.gone = [await AggregatorRegistry.aggregate(this.gone).getMetricsAsJSON()];
    const all = [...this.gone, ...this.told.values(), await this.own.getMetricsAsJSON()];
    return AggregatorRegistry.aggregate(all).metrics();
  }

  private async ask(worker: Worker): Promise<boolean> {
    const metrics = await metricsOf(worker);
    if (metrics && !worker.isDead()) this.told.set(worker, metrics);
    return metrics !== undefined;
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
    const timer = setTimeout(end, PATIENCE);
    worker.on('message', read);
    const message: FromPrimary = 'tell the metrics';
    worker.send(message, undefined, undefined, (error) => error && end());
  });

import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import type { MetricsOfOne } from '../telemetry/metrics.js';
import type { FromPrimary, FromWorker } from './worker-messages.js';

/** In milliseconds: a worker that takes longer is left out. */
const PATIENCE = 1_000;

/** The primary's answer for all workers: sums, or the largest where a sum makes no sense. */
export class MetricsOfWorkers {
  private readonly own = new Registry();
  readonly restarts = new Counter({
    name: 'steady_worker_restarts_total',
    help: 'Workers that were started because another one had ended by itself.',
    registers: [this.own],
  });
  private gathering: Promise<string> | undefined;

  constructor(private readonly workers: () => Worker[]) {}

  /** Concurrent callers share one round. */
  text(): Promise<string> {
    this.gathering ??= this.gather().finally(() => {
      this.gathering = undefined;
    });
    return this.gathering;
  }

  private async gather(): Promise<string> {
    const told = await Promise.all(this.workers().map(metricsOf));
    const known = told.filter((each) => each !== undefined);
    return AggregatorRegistry.aggregate([...known, await this.own.getMetricsAsJSON()]).metrics();
  }
}

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

import type { MetricsOfOne } from '../../telemetry/metrics.js';

/** What the primary tells a worker. */
export type FromPrimary = 'be the leader' | 'send the metrics' | 'drain';

/** What a worker tells the primary: that it listens, and where; its metrics; or that it was signalled to stop. */
export type FromWorker = { listens: string } | { metrics: MetricsOfOne } | 'signalled';

/** Starts alone: it brings the database and the streaks up to date for all. */
export const FIRST_WORKER = 1;

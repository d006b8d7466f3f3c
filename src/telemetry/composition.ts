import type { Config } from '../config.js';
import type { Metrics } from './metrics.js';
import { type RequestLogSettings, requestLog, type Seen } from './trail.js';

/** Loads nothing where no metrics are wanted. */
export async function metricsOf({ metricsPort, smtpUrl }: Config): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const { Metrics } = await import('./metrics.js');
  const metrics = new Metrics();
  if (smtpUrl !== undefined) metrics.followMails();
  return metrics;
}

interface Watching extends Pick<RequestLogSettings, 'addressOf' | 'log'> {
  config: Pick<Config, 'logRequests'>;
  metrics: Metrics | undefined;
}

/** What becomes of a request that is over. */
export function seenBy({ config, metrics, ...others }: Watching): (seen: Seen) => void {
  const write = requestLog({ logs: config.logRequests, ...others });
  if (!metrics) return write;
  return (seen) => {
    metrics.seen(seen);
    write(seen);
  };
}

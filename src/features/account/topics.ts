import type { Meter } from '../../telemetry/meter.js';
import { Topic } from '../../telemetry/topic.js';

export const topics = {
  /** A log-in was refused unread: by which limit. */
  logInsRefused: new Topic<'account' | 'address'>(),
};

export function accountMetrics(meter: Meter): void {
  const count = meter.counter(
    'steady_logins_refused_total',
    'Log-ins refused unread, by `limit`: that of an account, or of an address.',
    {
      limit: ['account', 'address'],
    },
  );
  topics.logInsRefused.follow((limit) => count({ limit }));
}

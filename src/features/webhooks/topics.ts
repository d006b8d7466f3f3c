import type { Meter } from '../../telemetry/meter.js';
import { Topic } from '../../telemetry/topic.js';

export const topics = {
  /** What became of a try to send an event. */
  webhooks: new Topic<'sent' | 'failed'>(),
};

export function webhookMetrics(meter: Meter): void {
  const count = meter.counter(
    'steady_webhooks_total',
    'Events sent to webhooks, by `outcome`: taken by the receiver (sent), or not (failed).',
    { outcome: ['sent', 'failed'] },
  );
  topics.webhooks.follow((outcome) => count({ outcome }));
}

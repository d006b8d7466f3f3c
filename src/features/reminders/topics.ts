import type { Meter } from '../../telemetry/meter.js';
import { Topic } from '../../telemetry/topic.js';
import { ChannelKind } from './channels/channel.entity.js';

export const topics = {
  /** What became of a message of a reminder. */
  reminders: new Topic<{ kind: string; outcome: 'sent' | 'failed' }>(),
};

export function reminderMetrics(meter: Meter): void {
  const count = meter.counter(
    'steady_reminders_total',
    'Messages of reminders, by `kind` of channel and `outcome`: taken by the receiver (sent), or not (failed).',
    { kind: Object.values(ChannelKind), outcome: ['sent', 'failed'] },
  );
  topics.reminders.follow((over) => count(over));
}

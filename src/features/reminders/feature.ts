import { feature } from '../../feature.js';
import { EachMinute, Recurring } from '../../jobs/cron.js';
import type { Account } from '../account/feature.js';
import type { CheckIn } from '../check-in/feature.js';
import type { History } from '../history/feature.js';
import { Channel } from './channels/channel.entity.js';
import { ChannelResolver, UserChannels } from './channels/channel.resolver.js';
import { ChannelService } from './channels/channel.service.js';
import { Senders } from './channels/senders.js';
import { StoredValue } from './channels/stored-value.entity.js';
import { receiverFindings, reminderFindings } from './checks.js';
import { Dismissals } from './dismissals.js';
import { MessageJob } from './message.job.js';
import { remindersReasons } from './reasons.js';
import { Reminder } from './reminder.entity.js';
import { ReminderJob } from './reminder.job.js';
import { TaskReminders, UserReminder } from './reminder.resolver.js';
import { ReminderService } from './reminder.service.js';
import { Renderer } from './renderer.js';
import { reminderSettings } from './settings.js';
import { ShownMessage } from './shown-message.entity.js';
import { reminderMetrics } from './topics.js';

export const reminders = feature({
  settings: reminderSettings,
  reasons: remindersReasons,
  entities: [Channel, StoredValue, Reminder, ShownMessage],
  commands: { reminders: () => import('./reminders.command.js') },
  checks: [{ about: 'reminders', look: reminderFindings }],
  asks: [{ about: 'reminders', look: receiverFindings }],
  metrics: reminderMetrics,
  build(base, { accounts, days, taskDays, signed }: Account & History & CheckIn) {
    const { config, database, clock, log } = base;
    const senders = new Senders(database, config);
    const channels = new ChannelService(database, clock, accounts, senders, log);
    const service = new ReminderService(database);
    const renderer = new Renderer({ database, accounts, days, taskDays, links: signed, config });
    const job = new ReminderJob(database, clock, senders.kinds, log);
    const { runner: sender } = new MessageJob(base, senders, renderer);
    const dismissals = new Dismissals(database, senders, renderer, log, clock);
    // The next minute does not wait for slow receivers, and each makes up for the last half hour.
    const ringing = new EachMinute(() => job.run(() => sender.look()), {
      log,
      failure: 'Reminders could not ring, and are tried again in a minute',
      end: () => job.stop(),
    });
    const tidying = new Recurring(
      {
        ...{
          kind: 'reminders-tidy',
          period: 'HOUR',
          failure: 'What reminders have left could not be tidied',
        },
        work: () => job.tidy(),
      },
      base,
    );
    return {
      services: { job, sender, dismissals },
      resolvers: [
        new ChannelResolver(channels, accounts),
        new UserChannels(channels),
        new TaskReminders(service),
        new UserReminder(service),
      ],
      jobs: { byLeader: [ringing, sender, tidying] },
      stop: async () => {
        await dismissals.stop();
        senders.close();
      },
    };
  },
});

import type { Place } from '../../feature.js';
import type { Meter } from '../../telemetry/meter.js';
import { Topic } from '../../telemetry/topic.js';

interface MailsOver {
  outcome: 'ACCEPTED' | 'REFUSED' | 'UNKNOWN' | 'GIVEN_UP';
  count: number;
}

export const topics = {
  /** What became of mails. A refused one is tried again, and so is one of which nobody knows. */
  mails: new Topic<MailsOver>(),
  /** Whether the mail server could be used when it was asked last. */
  mailServer: new Topic<'THERE' | 'AWAY'>(),
};

export function mailMetrics(meter: Meter, { config }: Pick<Place, 'config'>): void {
  if (config.smtpUrl === undefined) return;
  const mails = meter.counter(
    'steady_mails_total',
    'Mails, by `outcome`: accepted; refused, and tried again; unknown, and sent again; given_up. Absent without SMTP_URL.',
    {
      outcome: ['accepted', 'refused', 'unknown', 'given_up'],
    },
  );
  topics.mails.follow(({ outcome, count }) => mails({ outcome: outcome.toLowerCase() }, count));
  let away = 0;
  topics.mailServer.follow((state) => {
    away = state === 'AWAY' ? 1 : 0;
  });
  meter.gauge(
    'steady_mail_server_away',
    'Whether the mail server could not be used last. Absent without SMTP_URL.',
    () => away,
    {
      aggregator: 'max',
    },
  );
}

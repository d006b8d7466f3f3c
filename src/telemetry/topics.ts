import { type Channel, channel } from 'node:diagnostics_channel';

/** What happens in a feature and is counted elsewhere. Telling costs nothing while nobody counts. */
class Topic<T> {
  private readonly channel: Channel;

  constructor(name: string) {
    this.channel = channel(name);
  }

  tell(message: T): void {
    if (this.channel.hasSubscribers) this.channel.publish(message);
  }

  /** Returns a function that ends it. */
  follow(listen: (message: T) => void): () => void {
    const hear = (message: unknown) => listen(message as T);
    this.channel.subscribe(hear);
    return () => this.channel.unsubscribe(hear);
  }
}

export interface JobRun {
  outcome: 'done' | 'skipped' | 'failed';
  corrected: number;
  milliseconds: number;
}

export interface MailsOver {
  outcome: 'ACCEPTED' | 'REFUSED' | 'UNKNOWN' | 'GIVEN_UP';
  count: number;
}

export const topics = {
  /** How many completions were recorded. */
  completions: new Topic<number>('steady:completions'),
  /** A run of the streak job is over. */
  streakJob: new Topic<JobRun>('steady:streak-job'),
  /** The id of a user whose completions or skips have changed. */
  daysChanged: new Topic<string>('steady:days-changed'),
  /** What became of a message of a reminder. */
  reminders: new Topic<{ kind: string; outcome: 'sent' | 'failed' }>('steady:reminders'),
  /** A log-in was refused unread: by which limit. */
  logInsRefused: new Topic<'account' | 'address'>('steady:log-ins-refused'),
  /** What became of mails. A refused one is tried again. */
  mails: new Topic<MailsOver>('steady:mails'),
  /** How many mails wait. */
  mailsWaiting: new Topic<number>('steady:mails-waiting'),
  /** Whether the mail server could be used when it was asked last. */
  mailServer: new Topic<'THERE' | 'AWAY'>('steady:mail-server'),
};

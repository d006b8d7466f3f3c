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

  follow(listen: (message: T) => void): void {
    this.channel.subscribe((message) => listen(message as T));
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
  /** A log-in was refused unread: by which limit. */
  logInsRefused: new Topic<'account' | 'address'>('steady:log-ins-refused'),
  /** What became of mails. A refused one is tried again. */
  mails: new Topic<MailsOver>('steady:mails'),
  /** How many mails wait. */
  mailsWaiting: new Topic<number>('steady:mails-waiting'),
  /** Whether the mail server could be used when it was asked last. */
  mailServer: new Topic<'THERE' | 'AWAY'>('steady:mail-server'),
};

import schedule from 'node-schedule';
import type { Logger } from 'pino';
import type { MessageSender } from './message.sender.js';
import type { ReminderJob } from './reminder.job.js';

const EACH_MINUTE = { rule: '0 * * * * *', tz: 'Etc/UTC' };

/** When messages are tried again that were not taken: every ten seconds, as the sender counts. */
const TRIES = { rule: '10,20,30,40,50 * * * * *', tz: 'Etc/UTC' };

/** Rings until stopped. What fails is logged, and made up for by the next minute. */
export class ReminderSchedule {
  private readonly timers: schedule.Job[];
  private ringing: Promise<void> = Promise.resolve();

  constructor(
    private readonly job: ReminderJob,
    private readonly sender: MessageSender,
    private readonly log: Logger,
  ) {
    const timers = [
      schedule.scheduleJob(EACH_MINUTE, () => this.ring()),
      schedule.scheduleJob(TRIES, () => void (this.sender.hasFailed && this.send())),
    ];
    if (timers.some((timer) => !timer)) throw new Error('The schedule of reminders is not valid');
    this.timers = timers;
  }

  /** Never rejects: a failure must not stop the service. */
  ring(): Promise<void> {
    this.ringing = this.ringing.then(async () => {
      try {
        await this.job.run(() => void this.send()); // the next minute does not wait for slow receivers
      } catch (error) {
        this.log.error({ err: error }, 'Reminders could not ring, and are tried again in a minute');
      }
    });
    return this.ringing;
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    this.job.stop();
    await this.sender.stop();
    await this.ringing;
  }

  private async send(): Promise<void> {
    await this.sender
      .run()
      .catch((error: unknown) => this.log.error({ err: error }, 'Reminders could not be sent yet'));
  }
}

/** Begins once this process is the one that rings, and what it rings by is there. */
export class ReminderKeeper {
  private isKeeping = false;
  private parts: { job: ReminderJob; sender: MessageSender } | undefined;
  private schedule: ReminderSchedule | undefined;

  constructor(private readonly log: Logger) {}

  keep(): void {
    this.isKeeping = true;
    this.ring();
  }

  begin(parts: { job: ReminderJob; sender: MessageSender }): void {
    this.parts = parts;
    this.ring();
  }

  async stop(): Promise<void> {
    await this.schedule?.stop();
  }

  private ring(): void {
    if (!this.isKeeping || !this.parts || this.schedule) return;
    this.schedule = new ReminderSchedule(this.parts.job, this.parts.sender, this.log);
    void this.schedule.ring(); // of what was missed, the last half hour still rings
  }
}

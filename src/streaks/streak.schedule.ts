import schedule from 'node-schedule';
import type { Logger } from 'pino';
import type { StreakJob } from './streak.job.js';

/** Five seconds past every hour: soon after midnight UTC, and again should that run have failed. */
const HOURLY = { rule: '5 0 * * * *', tz: 'Etc/UTC' };

/** Runs the job until stopped. A run that fails is logged and made up for by the next. */
export class StreakSchedule {
  private running: Promise<void> = Promise.resolve();
  private readonly timer: schedule.Job;

  constructor(
    private readonly job: StreakJob,
    private readonly log: Logger,
  ) {
    const timer = schedule.scheduleJob(HOURLY, () => this.runOnce());
    if (!timer) throw new Error('The schedule of the streak job is not valid');
    this.timer = timer;
  }

  /** Never rejects: the service goes on without. */
  runOnce(): Promise<void> {
    this.running = this.running.then(async () => {
      try {
        const corrected = await this.job.run();
        this.log.info({ corrected }, 'Streaks are up to date');
      } catch (error) {
        this.log.error({ err: error }, 'The streak job failed and will be tried again');
      }
    });
    return this.running;
  }

  async stop(): Promise<void> {
    this.timer.cancel();
    await this.running;
  }
}

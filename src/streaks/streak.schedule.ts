import schedule from 'node-schedule';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { topics } from '../telemetry/topics.js';
import type { StreakJob } from './streak.job.js';

/** Five seconds past every hour: right after midnight UTC, and again in case that run failed. */
const HOURLY = { rule: '5 0 * * * *', tz: 'Etc/UTC' };

/** With a larger difference, processes could noticeably disagree about the day. */
const TOLERATED_DIFFERENCE_MS = 2_000;

/** Runs the job until stopped. A failed run is logged; the next one makes up for it. */
export class StreakSchedule {
  private running: Promise<void> = Promise.resolve();
  private readonly timer: schedule.Job;

  constructor(
    private readonly job: StreakJob,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    const timer = schedule.scheduleJob(HOURLY, () => this.runOnce());
    if (!timer) throw new Error('The schedule of the streak job is not valid');
    this.timer = timer;
  }

  /** Never rejects: a failure of the job must not stop the service. */
  runOnce(): Promise<void> {
    this.running = this.running.then(async () => {
      const startedAt = performance.now();
      try {
        await this.compareClocks();
        const { day, corrected, skipped } = await this.job.run();
        const milliseconds = Math.round(performance.now() - startedAt);
        topics.streakJob.tell({ outcome: skipped ? 'skipped' : 'done', corrected, milliseconds });
        const message = skipped ? 'Another instance is running the streak job' : 'Streaks are up to date';
        this.log.info({ day, corrected, milliseconds }, message);
      } catch (error) {
        const milliseconds = Math.round(performance.now() - startedAt);
        topics.streakJob.tell({ outcome: 'failed', corrected: 0, milliseconds });
        this.log.error({ err: error }, 'The streak job failed and will be tried again');
      }
    });
    return this.running;
  }

  async stop(): Promise<void> {
    this.timer.cancel();
    await this.running;
  }

  private async compareClocks(): Promise<void> {
    const before = this.clock.now().getTime();
    const theirs = (await this.database.now()).getTime();
    const ours = (before + this.clock.now().getTime()) / 2;
    const difference = Math.round(theirs - ours);
    if (Math.abs(difference) > TOLERATED_DIFFERENCE_MS) {
      this.log.warn({ milliseconds: difference }, 'The clocks of the database and of this process differ');
    }
  }
}

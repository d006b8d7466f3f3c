import { type Base, Recurring } from '../../../jobs/cron.js';
import { topics } from '../topics.js';
import type { StreakJob } from './streak.job.js';

/** With a larger difference, processes could noticeably disagree about the day. */
const TOLERATED_DIFFERENCE_MS = 2_000;

/** Right after midnight UTC, at each start, and each hour in case that run failed. */
export const streaksEachHour = (job: StreakJob, base: Base): Recurring =>
  new Recurring(
    {
      kind: 'streaks',
      period: 'HOUR',
      atStart: true,
      failure: 'The streak job failed and will be tried again',
      work: () => correctStreaks(job, base),
    },
    base,
  );

async function correctStreaks(job: StreakJob, base: Base): Promise<void> {
  const startedAt = performance.now();
  const taken = () => Math.round(performance.now() - startedAt);
  try {
    await compareClocks(base);
    const { day, corrected, skipped } = await job.run();
    const milliseconds = taken();
    topics.streakJob.publish({ outcome: skipped ? 'skipped' : 'done', corrected, milliseconds });
    const message = skipped ? 'Another instance is running the streak job' : 'Streaks are up to date';
    base.log.info({ day, corrected, milliseconds }, message);
  } catch (error) {
    topics.streakJob.publish({ outcome: 'failed', corrected: 0, milliseconds: taken() });
    throw error;
  }
}

async function compareClocks({ database, clock, log }: Base): Promise<void> {
  const before = clock.now().getTime();
  const theirs = (await database.now()).getTime();
  const ours = (before + clock.now().getTime()) / 2;
  const difference = Math.round(theirs - ours);
  if (Math.abs(difference) > TOLERATED_DIFFERENCE_MS) {
    log.warn({ milliseconds: difference }, 'The clocks of the database and of this process differ');
  }
}

import { systemTime } from '../../base/clock.js';
import type { Meter } from '../../telemetry/meter.js';
import { Topic } from '../../telemetry/topic.js';

interface JobRun {
  outcome: 'done' | 'skipped' | 'failed';
  corrected: number;
  milliseconds: number;
}

export const topics = {
  /** How many completions were recorded. */
  completions: new Topic<number>(),
  /** A run of the streak job is over. */
  streakJob: new Topic<JobRun>(),
  /** The id of a user whose completions or skips have changed. */
  daysChanged: new Topic<string>(),
};

export function historyMetrics(meter: Meter): void {
  const completions = meter.counter('steady_completions_total', 'Completions that were recorded.');
  topics.completions.follow((count) => completions({}, count));
  const runs = meter.counter(
    'steady_streak_job_runs_total',
    'Runs of the streak job, by `outcome`: at each start, and each hour by one of all processes.',
    {
      outcome: ['done', 'skipped', 'failed'],
    },
  );
  const corrections = meter.counter(
    'steady_streak_job_corrections_total',
    'Streaks that the streak job corrected.',
  );
  let lastSuccess = 0;
  meter.gauge(
    'steady_streak_job_last_success_timestamp_seconds',
    'When the streak job last ended well in this process; 0: not yet.',
    () => lastSuccess,
    { aggregator: 'max' },
  );
  topics.streakJob.follow(({ outcome, corrected }) => {
    runs({ outcome });
    corrections({}, corrected);
    if (outcome === 'done') lastSuccess = systemTime() / 1_000;
  });
}

import { systemClock } from '../clock.js';
import { StreakJob } from '../streaks/streak.job.js';
import { dayOf } from '../streaks/streak.js';
import { onDatabase, options, UsageError } from './command.js';

function readNow(): Date {
  const { now } = options(['now']);
  const instant = now === undefined ? systemClock.now() : new Date(now);
  if (Number.isNaN(instant.getTime())) {
    throw new UsageError('--now must be an instant, such as 2026-11-21T00:00:00Z');
  }
  return instant;
}

// `npm run streaks:reset -- [--now=ISO]`: the nightly job, once.
await onDatabase(readNow, async (database, now) => {
  const corrected = await new StreakJob(database, systemClock).run(now);
  console.log(`Streaks as of ${dayOf(now)}: ${corrected} corrected.`);
  return 0;
});

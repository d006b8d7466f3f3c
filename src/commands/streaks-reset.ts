import { instantIn, systemClock } from '../clock.js';
import { StreakJob } from '../streaks/streak.job.js';
import { onDatabase, options, UsageError } from './command.js';

function readNow(): Date {
  const { now } = options(['now']);
  const instant = now === undefined ? systemClock.now() : instantIn(now);
  if (!instant) throw new UsageError('--now must be an instant, such as 2026-11-21T00:00:00Z');
  return instant;
}

// `npm run streaks:reset -- [--now=ISO]`: the nightly job, once.
await onDatabase(readNow, async (database, now) => {
  const { day, corrected, skipped } = await new StreakJob(database, systemClock).run(now);
  const result = skipped ? 'another instance is at it, nothing done' : `${corrected} corrected`;
  console.log(`Streaks as of ${day}: ${result}.`);
  return 0;
});

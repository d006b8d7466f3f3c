import { instantIn, systemClock } from '../clock.js';
import { StreakJob } from '../streaks/streak.job.js';
import { UsageError } from './arguments.js';
import { onDatabase } from './command.js';
import type { Declaration, Given } from './usage/declaration.js';

const RESET = {
  script: 'streaks:reset',
  does: 'Runs the streak job once, as the service does every hour, and says how many users it corrected.',
  options: {
    now: { value: 'ISO', says: 'the instant to judge by, such as 2026-11-21T00:00:00Z; without it, now' },
    force: { says: 'also by an instant in the future, which ends streaks that are alive' },
  },
  examples: ['', '--now=2026-11-21T00:00:00Z'],
  exits: {
    0: 'every streak is right, or another instance is at it',
    1: 'the database or an argument is at fault, and a line says which',
  },
} as const satisfies Declaration;

/** In milliseconds: clocks may differ by this much. */
const TOLERANCE = 5_000;

function instantOf({ given: { now, force } }: Given<typeof RESET>): Date {
  const clock = systemClock.now();
  const instant = now === undefined ? clock : instantIn(now);
  if (!instant) throw new UsageError('--now must be an instant, such as 2026-11-21T00:00:00Z');
  if (!force && instant.getTime() > clock.getTime() + TOLERANCE) {
    throw new UsageError(
      '--now is in the future and would end streaks that are alive: add --force to mean it',
    );
  }
  return instant;
}

await onDatabase(RESET, instantOf, async (database, now) => {
  const { day, corrected, skipped } = await new StreakJob(database, systemClock).run(now);
  const result = skipped ? 'another instance is at it, nothing done' : `${corrected} corrected`;
  console.log(`Streaks as of ${day}: ${result}.`);
  return 0;
});

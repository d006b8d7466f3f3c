import { instantIn, systemClock } from '../../../base/clock.js';
import { argumentsOf, UsageError } from '../../../base/commands/arguments.js';
import { commandOf, type Tools } from '../../../feature.js';
import { StreakJob } from './streak.job.js';

const HELP = `steady streaks reset [--now ISO] [--force]

Runs the streak job once, as the service does every hour, and says how many users it corrected.

--now ISO  the instant to judge by, such as 2026-11-21T00:00:00Z; without it, now
--force    also by an instant in the future, which ends streaks that are alive

Examples:
  steady streaks reset
  steady streaks reset --now=2026-11-21T00:00:00Z

Exit codes:
  0  every streak is right, or another instance is at it
  1  the database or an argument is at fault, and a line says which`;

/** Clocks may differ by this much. */
const TOLERANCE_MS = 5_000;

function judgedBy(): Date {
  const { now, force } = argumentsOf({
    options: { now: { type: 'string' }, force: { type: 'boolean' } },
  }).values;
  const clock = systemClock.now();
  const instant = now === undefined ? clock : instantIn(now);
  if (!instant) throw new UsageError('--now must be an instant, such as 2026-11-21T00:00:00Z');
  if (!force && instant.getTime() > clock.getTime() + TOLERANCE_MS) {
    throw new UsageError(
      '--now is in the future and would end streaks that are alive: add --force to mean it',
    );
  }
  return instant;
}

async function reset({ database, clock }: Tools, now: Date): Promise<number> {
  const { day, corrected, skipped } = await new StreakJob(database, clock).run(now);
  const result = skipped ? 'another instance is at it, nothing done' : `${corrected} corrected`;
  console.log(`Streaks as of ${day}: ${result}.`);
  return 0;
}

export const command = commandOf(HELP, judgedBy, reset, { looks: true });

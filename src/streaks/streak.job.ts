import { sql } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { dayOf } from './streak.js';

/**
 * Brings stored streaks to what they truly are. A run of days is alive until a whole day is missed.
 * Only wrong rows are written, and what becomes of a row depends on the row and the day alone, so it
 * does not matter when, how often or on how many instances this runs.
 */
export class StreakJob {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Answers how many rows were wrong. */
  async run(now = this.clock.now()): Promise<number> {
    const today = sql`${dayOf(now)}::date`;
    const { numAffectedRows } = await sql`
      update user_progress set
        current_streak = case when last_active_on >= ${today} - 1 then last_active_on - run_started_on + 1 else 0 end,
        max_streak = longest_run
      where (current_streak > 0 and last_active_on < ${today} - 1)
        or (current_streak = 0 and last_active_on >= ${today} - 1)
        or max_streak <> longest_run
        or (current_streak > 0 and current_streak <> last_active_on - run_started_on + 1)
    `.execute(this.database.query<AccountTables>());
    return Number(numAffectedRows);
  }
}

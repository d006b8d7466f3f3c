import type { Kysely } from 'kysely';
import { lockAccount } from '../accounts/account.queries.js';
import type { Database } from '../database/database.js';
import { type Day, dayOf } from '../streaks/day.js';
import { type CompletedTask, insertLateCompletion, type NewCompletion } from './completion.queries.js';
import { dayOfCompletion } from './completion-day.js';
import { correctStreak, recountUserDays, recountUtcDays } from './recount-days.js';
import type { TaskTables } from './task.queries.js';

/**
 * Records completions of one user in one transaction that were done on a day that is over, or whose day lies before one
 * that was counted already, in UTC or of the user. Null for each whose task is not the user's.
 */
export const insertLate = (
  database: Database,
  userId: string,
  completions: readonly NewCompletion[],
): Promise<(CompletedTask | null)[]> =>
  database.transaction(async (tx) => {
    const query = tx.getKysely<TaskTables>();
    const counters = await lockAccount(query, userId);
    if (!counters) return completions.map(() => null);
    const recording = new Recording(query, database.isDistributed, counters.lastActiveOn);
    const counted: (CompletedTask | null)[] = [];
    for (const completion of completions) counted.push(await recording.add(completion));
    return counted;
  });

/** Of some late completions. */
class Recording {
  /** Only the first completion of a day changes the runs that the day is in. */
  private readonly recounted = new Set<string>();

  constructor(
    private readonly query: Kysely<TaskTables>,
    private readonly isDistributed: boolean,
    private lastActiveOn: Day | null,
  ) {}

  async add(completion: NewCompletion): Promise<CompletedTask | null> {
    const { userId, taskId, day: utcDay, recordedAt } = completion;
    const today = dayOf(recordedAt);
    const isLast = this.lastActiveOn === null || this.lastActiveOn <= utcDay;
    const advances = isLast && utcDay >= today;
    const { isDistributed } = this;
    const counted = await insertLateCompletion(this.query, completion, { advances, isDistributed });
    if (!counted) return null;
    if (isLast) this.lastActiveOn = utcDay;
    if (!advances && this.isFirst(utcDay)) {
      await recountUtcDays(this.query, counted.completion, utcDay);
      await correctStreak(this.query, userId, today);
    }
    const day = dayOfCompletion(counted.completion);
    if (this.isFirst(`${taskId} ${day}`)) await recountUserDays(this.query, counted.completion, day);
    return counted;
  }

  private isFirst(day: string): boolean {
    const isFirst = !this.recounted.has(day);
    this.recounted.add(day);
    return isFirst;
  }
}

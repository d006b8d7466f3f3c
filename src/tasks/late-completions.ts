import { type Kysely, sql } from 'kysely';
import { type Day, dayOf } from '../streaks/day.js';
import { correctedBy } from '../streaks/streak.js';
import { type CompletedTask, insertLateCompletion, type NewCompletion } from './completion.queries.js';
import { dayOfCompletion } from './completion-day.js';
import { recountUserDays, recountUtcDays } from './recount-days.js';
import type { TaskTables } from './task.queries.js';

/** Records completions of days before the last one. Lock the account first. */
export class LateCompletions {
  /** Only the first completion of a day changes the runs that the day is in. */
  private readonly recounted = new Set<string>();

  constructor(private readonly query: Kysely<TaskTables>) {}

  /** Null if the task is not the user's. */
  async record(completion: NewCompletion): Promise<CompletedTask | null> {
    const counted = await insertLateCompletion(this.query, completion);
    if (!counted) return null;
    const { userId, taskId, day: utcDay, recordedAt } = completion;
    const day = dayOfCompletion(counted.completion);
    if (this.isFirst(utcDay)) {
      await recountUtcDays(this.query, counted.completion, utcDay);
      await correctStreak(this.query, userId, dayOf(recordedAt));
    }
    if (this.isFirst(`${taskId} ${day}`)) await recountUserDays(this.query, counted.completion, day);
    return counted;
  }

  private isFirst(day: string): boolean {
    const isFirst = !this.recounted.has(day);
    this.recounted.add(day);
    return isFirst;
  }
}

export const correctStreak = (query: Kysely<TaskTables>, userId: string, today: Day) =>
  sql`update user_progress set ${correctedBy(today)} where user_id = ${userId}`.execute(query);

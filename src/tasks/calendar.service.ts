import { sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { invalid } from '../errors.js';
import { type Day, dayOf, daysAfter, daysBetween, effectOf, type StreakEffect } from '../streaks/streak.js';
import { limits } from '../validation.js';
import type { TaskTables } from './task.queries.js';

/** A UTC day as its user lived it. */
export interface LivedDay {
  date: Day;
  completions: number;
  points: number;
  firstCompletedAt: Date | null;
  streak: StreakEffect;
}

interface ActiveDay {
  /** Counted from the first day of the range. */
  index: number;
  completions: number;
  points: number;
  firstCompletedAt: Date;
}

export class CalendarService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Oldest first, one entry for every day of the range. */
  async between(userId: string, from: Day, to: Day): Promise<LivedDay[]> {
    const length = daysBetween(from, to) + 1;
    if (length < 1) throw invalid('From must not be after to', 'from');
    if (length > limits.calendarDays)
      throw invalid(`A calendar has at most ${limits.calendarDays} days`, 'to');

    const active = new Map((await this.activeDays(userId, from, to)).map((day) => [day.index, day]));
    const today = dayOf(this.clock.now());
    return Array.from({ length }, (_, index) => {
      const date = daysAfter(from, index);
      const { completions = 0, points = 0, firstCompletedAt = null } = active.get(index) ?? {};
      const isDayBeforeDone = active.has(index - 1);
      const streak = effectOf({ isDone: active.has(index), isDayBeforeDone, isOver: date < today });
      return { date, completions, points, firstCompletedAt, streak };
    });
  }

  /** With the day before the range, which decides what the first day did. */
  private async activeDays(userId: string, from: Day, to: Day): Promise<ActiveDay[]> {
    const { rows } = await sql<ActiveDay>`
      select (completed_at at time zone 'UTC')::date - ${from}::date as index,
        count(*)::int as completions, sum(points) as points, min(completed_at) as "firstCompletedAt"
      from task_completions
      where user_id = ${userId}
        and completed_at >= (${from}::date - 1)::timestamp at time zone 'UTC'
        and completed_at < (${to}::date + 1)::timestamp at time zone 'UTC'
      group by index
    `.execute(this.database.query<TaskTables>());
    return rows;
  }
}

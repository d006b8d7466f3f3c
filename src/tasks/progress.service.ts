import { sql } from 'kysely';
import type { Challenge } from '../challenges/challenge.entity.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { dayOf, daysBetween } from '../streaks/streak.js';
import type { TaskTables } from './task.queries.js';

/** How far a challenge has come: derived, advisory, and never in the way of ending it. */
export interface Progress {
  tracked: boolean;
  daysTotal: number;
  daysElapsed: number;
  daysDone: number;
  isDue: boolean;
}

interface Measured {
  id: number;
  isTracked: boolean;
  daysTotal: number;
  daysDone: number;
}

export class ProgressService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Of challenges of one user, in their order and in one statement. */
  async ofEach(userId: string, challenges: Challenge[]): Promise<Progress[]> {
    const measured = new Map((await this.measure(userId, challenges)).map((each) => [each.id, each]));
    const today = dayOf(this.clock.now());
    return challenges.map(({ id, startDate }) => {
      const { isTracked = false, daysTotal = 0, daysDone = 0 } = measured.get(id) ?? {};
      const day = daysBetween(dayOf(startDate), today) + 1;
      const daysElapsed = Math.min(Math.max(day, 1), daysTotal);
      return { tracked: isTracked, daysTotal, daysElapsed, daysDone, isDue: day > daysTotal };
    });
  }

  private async measure(userId: string, challenges: Challenge[]): Promise<Measured[]> {
    const { rows } = await sql<Measured>`
      select challenge.id, template.duration_days as "daysTotal",
        exists (
          select from tasks where user_id = ${userId} and challenge_template_id = challenge.template_id
        ) as "isTracked",
        (
          select count(distinct (completion.completed_at at time zone 'UTC')::date)::int
          from tasks join task_completions completion on completion.task_id = tasks.id
          where tasks.user_id = ${userId} and completion.user_id = ${userId}
            and tasks.challenge_template_id = challenge.template_id
            and completion.completed_at >= challenge.start_date
        ) as "daysDone"
      from user_challenges challenge join challenge_templates template on template.id = challenge.template_id
      where challenge.user_id = ${userId} and challenge.id = any(${challenges.map(({ id }) => id)}::bigint[])
    `.execute(this.database.query<TaskTables>());
    return rows;
  }
}

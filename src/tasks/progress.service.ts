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

  /**
   * Reads the history of each linked task once, however many challenges are asked about: of a day its last
   * completion says for which of them it counts.
   */
  private async measure(userId: string, challenges: Challenge[]): Promise<Measured[]> {
    const { rows } = await sql<Measured>`
      with wanted as (
        select challenge.id, template_id, start_date, duration_days
        from user_challenges challenge join challenge_templates template on template.id = challenge.template_id
        where challenge.user_id = ${userId} and challenge.id = any(${challenges.map(({ id }) => id)}::bigint[])
      ), linked as (
        select tasks.id as task_id, template_id, since
        from (select template_id, min(start_date) as since from wanted group by template_id) accepted
        join tasks on tasks.challenge_template_id = accepted.template_id
        where tasks.user_id = ${userId}
      ), days as materialized (
        select template_id, max(last_at) as last_at
        from linked cross join lateral (
          select max(completed_at) as last_at from task_completions
          where user_id = ${userId} and task_id = linked.task_id and completed_at >= since
          group by (completed_at at time zone 'UTC')::date
        ) done
        group by template_id, (last_at at time zone 'UTC')::date
      )
      select id, duration_days as "daysTotal",
        template_id in (select template_id from linked) as "isTracked",
        (
          select count(*)::int from days
          where days.template_id = wanted.template_id and last_at >= start_date
        ) as "daysDone"
      from wanted
    `.execute(this.database.query<TaskTables>());
    return rows;
  }
}

import { type RawBuilder, sql } from 'kysely';
import { dayNumber } from './day-numbers.queries.js';
import { NeutralDays, type Rest } from './neutral-days.js';

export interface RestRow {
  /** Null for all tasks, and the user. */
  taskId: number | null;
  first: number;
  last: number | null;
  kind: Rest['kind'];
}

/** The skips and pauses of a user: of each task they are bounded, and so they are read together. */
export class Rests {
  private readonly ofTasks = new Map<number | null, Rest[]>();
  private ofAll?: NeutralDays;

  constructor(rows: readonly RestRow[] = []) {
    for (const { taskId, first, last, kind } of rows) {
      const rest = { kind, first, last: last ?? Number.POSITIVE_INFINITY };
      const known = this.ofTasks.get(taskId);
      if (known) known.push(rest);
      else this.ofTasks.set(taskId, [rest]);
    }
  }

  of(taskId: number): NeutralDays {
    const own = this.ofTasks.get(taskId);
    return own ? new NeutralDays(own, this.ofUser()) : this.ofUser();
  }

  ofUser(): NeutralDays {
    this.ofAll ??= new NeutralDays(this.ofTasks.get(null));
    return this.ofAll;
  }
}

/** Rows of some tasks, and of all, as one value of another statement. */
export const restsAsJson = (userId: string, taskIds: RawBuilder<unknown>) => sql`(
  select coalesce(json_agg(rest), '[]') from (
    select skips.task_id as "taskId", ${dayNumber(sql.ref('skips.day'))} as first, ${dayNumber(sql.ref('skips.day'))} as last, 'SKIPPED' as kind
    from skips where skips.user_id = ${userId} and skips.task_id = any(${taskIds})
    union all
    select pauses.task_id, ${dayNumber(sql.ref('pauses.first_day'))}, ${dayNumber(sql.ref('pauses.last_day'))}, 'PAUSED'
    from pauses where pauses.user_id = ${userId} and (pauses.task_id is null or pauses.task_id = any(${taskIds}))
  ) rest)`;

import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { NeutralDays, type Rest } from './neutral-days.js';

interface RestRow {
  /** Null for all tasks, and the user. */
  taskId: number | null;
  first: number;
  last: number | null;
  kind: Rest['kind'];
}

/** The skips and pauses of a user: each is a few, and so they are read together. */
export class Rests {
  private readonly ofTasks = new Map<number | null, Rest[]>();

  constructor(rows: readonly RestRow[] = []) {
    for (const { taskId, first, last, kind } of rows) {
      const rest = { kind, first, last: last ?? Number.POSITIVE_INFINITY };
      this.ofTasks.set(taskId, [...(this.ofTasks.get(taskId) ?? []), rest]);
    }
  }

  of(taskId: number): NeutralDays {
    return new NeutralDays([...(this.ofTasks.get(taskId) ?? []), ...(this.ofTasks.get(null) ?? [])]);
  }

  ofUser(): NeutralDays {
    return new NeutralDays(this.ofTasks.get(null));
  }
}

/** `taskIds`: only those of these tasks, and of all. */
export async function restsOf(
  query: QueryExecutorProvider,
  userId: string,
  taskIds: readonly number[],
): Promise<Rests> {
  const number = (column: string) => sql`${sql.ref(column)} - date '1970-01-01'`;
  const { rows } = await sql<RestRow>`
    select task_id as "taskId", ${number('day')} as first, ${number('day')} as last, 'SKIPPED' as kind
    from skips where user_id = ${userId} and task_id = any(${taskIds}::bigint[])
    union all
    select task_id, ${number('first_day')}, ${number('last_day')}, 'PAUSED'
    from pauses where user_id = ${userId} and (task_id is null or task_id = any(${taskIds}::bigint[]))
  `.execute(query);
  return new Rests(rows);
}

/** Whether a row of `tasks` was ever rested from, alone or with all others. `user`: its user, by value where it is one. */
export const wasRested = (user: RawBuilder<unknown>) => sql`(
  exists (select from skips where skips.user_id = ${user} and skips.task_id = tasks.id)
  or exists (
    select from pauses where pauses.user_id = ${user} and (pauses.task_id is null or pauses.task_id = tasks.id)
  ))`;

/** Whether a user ever paused everything. */
export const userPaused = (user: RawBuilder<unknown>) => sql`
  exists (select from pauses where pauses.user_id = ${user} and pauses.task_id is null)`;

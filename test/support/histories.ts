import { type RawBuilder, sql } from 'kysely';

/** Completions written past the service; `made` selects a user, a task, points and an instant for each. */
export const completionsOf = (made: RawBuilder<unknown>) => sql`
  insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
  select made.*, (completed_at at time zone 'UTC')::date, completed_at
  from (${made}) made (user_id, task_id, points, completed_at)`;

/** So many of one task, the first one at `since` and each an hour after the one before. */
export const hourly = (user: { id: string }, task: { id: number }, count: number, since = '2020-01-01Z') =>
  completionsOf(sql`
    select ${user.id}::uuid, ${task.id}::bigint, 2.5, ${since}::timestamptz + number * interval '1 hour'
    from generate_series(1, ${count}::int) as number`);

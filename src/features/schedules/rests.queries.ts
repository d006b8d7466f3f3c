import { type RawBuilder, sql } from 'kysely';
import { dayNumber, fixedDays } from './days.queries.js';

type Part = RawBuilder<unknown>;

const listOf = (rows: Part) => sql`(select json_agg(rest) from (${rows}) rest)`;

const selectPauses = (where: Part) => sql`
  select ${dayNumber(sql.ref('pauses.first_day'))} as first, ${dayNumber(sql.ref('pauses.last_day'))} as last, 'PAUSED' as kind
  from pauses where ${where}`;

/** The pauses of everything, as one value of another statement. */
export const restsOfAll = (userId: string) =>
  listOf(selectPauses(sql`pauses.user_id = ${userId} and pauses.task_id is null`));

/** Skips and pauses of the row of `tasks` in scope, as far as they do not end before a day. */
export const restsOfTask = (userId: string, since: Part = sql`'-infinity'`) => {
  const isOwn = (table: string) =>
    sql`${sql.ref(`${table}.user_id`)} = ${userId} and ${sql.ref(`${table}.task_id`)} = tasks.id`;
  return listOf(sql`
    select ${dayNumber(sql.ref('skips.day'))} as first, ${dayNumber(sql.ref('skips.day'))} as last, 'SKIPPED' as kind
    from skips where ${isOwn('skips')} and skips.day >= ${since}
    union all
    ${selectPauses(sql`${isOwn('pauses')} and coalesce(pauses.last_day, 'infinity') >= ${since}`)}`);
};

/** Skips and pauses of some tasks, and the days on which they were made and archived. The user's row must be in scope. */
export const restsOfTasks = (userId: string, ids: readonly number[]) => sql`(
  select json_agg(json_build_object('id', tasks.id, 'madeOn', ${fixedDays.madeOn}, 'archivedOn', ${fixedDays.archivedOn},
    'rests', ${restsOfTask(userId)})) from tasks
  where tasks.user_id = ${userId} and tasks.id = any(${ids}::bigint[]))`;

import { type RawBuilder, sql } from 'kysely';
import { dayNumber } from './day-numbers.queries.js';
import { NeutralDays, type Rest } from './neutral-days.js';

type Part = RawBuilder<unknown>;

/** As it is read: without a note, which is long and concerns no run. */
export interface RestRow extends Pick<Rest, 'kind' | 'first'> {
  last: number | null;
}

/** The skips and pauses of a task alone. */
export interface RestsOfTask {
  id: number;
  rests: readonly RestRow[] | null;
}

/** The days on which some tasks rest, each by itself or with all others. */
export class Rests {
  private readonly ofAll: NeutralDays;
  private readonly ofTasks: ReadonlyMap<number, readonly RestRow[] | null>;

  constructor(ofAll?: readonly RestRow[] | null, ofTasks?: readonly RestsOfTask[] | null) {
    this.ofAll = new NeutralDays(restsIn(ofAll));
    this.ofTasks = new Map(ofTasks?.map(({ id, rests }) => [id, rests]));
  }

  of(taskId: number): NeutralDays {
    const own = this.ofTasks.get(taskId);
    return own ? new NeutralDays(restsIn(own), this.ofAll) : this.ofAll;
  }

  ofUser(): NeutralDays {
    return this.ofAll;
  }
}

const restsIn = (rows: readonly RestRow[] | null = []): Rest[] =>
  (rows ?? []).map(({ last, ...rest }) => ({ ...rest, last: last ?? Number.POSITIVE_INFINITY }));

const listOf = (rows: Part) => sql`(select json_agg(rest) from (${rows}) rest)`;

const selectPauses = (where: Part) => sql`
  select ${dayNumber(sql.ref('pauses.first_day'))} as first, ${dayNumber(sql.ref('pauses.last_day'))} as last, 'PAUSED' as kind
  from pauses where ${where}`;

/** The pauses of everything, as one value of another statement. */
export const restsOfAll = (userId: string) =>
  listOf(selectPauses(sql`pauses.user_id = ${userId} and pauses.task_id is null`));

/** The same of the row of `tasks` in scope, as far as they do not end before a day. */
export const restsOfTask = (userId: string, since: Part = sql`'-infinity'`) => {
  const isOwn = (table: string) =>
    sql`${sql.ref(`${table}.user_id`)} = ${userId} and ${sql.ref(`${table}.task_id`)} = tasks.id`;
  return listOf(sql`
    select ${dayNumber(sql.ref('skips.day'))} as first, ${dayNumber(sql.ref('skips.day'))} as last, 'SKIPPED' as kind
    from skips where ${isOwn('skips')} and skips.day >= ${since}
    union all
    ${selectPauses(sql`${isOwn('pauses')} and coalesce(pauses.last_day, 'infinity') >= ${since}`)}`);
};

/** The same of some tasks. */
export const restsOfTasks = (userId: string, ids: readonly number[]) => sql`(
  select json_agg(json_build_object('id', tasks.id, 'rests', ${restsOfTask(userId)})) from tasks
  where tasks.user_id = ${userId} and tasks.id = any(${ids}::bigint[]))`;

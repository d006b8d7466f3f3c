import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { UserProgress } from '../accounts/progress.entity.js';
import type { Day } from '../schedules/day.js';
import { dayNumber, dayNumbered } from '../schedules/day-numbers.queries.js';
import { Lens, type Run } from '../schedules/lens.js';
import { restsOf, userPaused, wasRested } from '../schedules/rests.queries.js';
import { EVERY_DAY, type StoredSchedule, scheduleOf } from '../schedules/schedule.js';
import { completionDay, completionTask, daysOf, latestUserDay } from './completion-day.js';

/**
 * Of a row of `tasks`: whether its run is counted here, and not by the statements that count days one after the other
 * (`recount-days`, `recount`). `user`: its user, by value where it is one, so that the statement goes to one node.
 */
export const isPlanned = (user: RawBuilder<unknown>) => sql`(
  tasks.run_count is not null or tasks.weekdays is not null or tasks.every_days is not null
  or tasks.times is not null or tasks.target_amount is not null or ${wasRested(user)})`;

/** The same of the run in a row of `user_progress`. */
export const isUserPlanned = (user: RawBuilder<unknown>) =>
  sql`(user_progress.user_run_count is not null or ${userPaused(user)})`;

/** The goal of a day: its amounts add up to the target. A completion without one counts as the whole. */
export const goalReached = (target: RawBuilder<unknown>) =>
  sql`(${target} is null or sum(coalesce(task_completions.amount, ${target})) >= ${target})`;

interface PlannedTask extends StoredSchedule, Pick<UserProgress, 'weekStartsOn'> {
  id: number;
  hasTarget: boolean;
  /** All of them, or those from the month before the last day of the run on. */
  keptDays: number[];
  isAdvance: boolean;
  stored: StoredRun;
}

/** A day on which a task was done. */
export interface AddedDay {
  taskId: number;
  userDay: Day;
}

/** A run as it is stored: `count` is null where the days say it. */
export interface StoredRun {
  startedOn: number | null;
  lastDay: number | null;
  longest: number;
  count: number | null;
}

/**
 * Those of the tasks of a user, all or some, that are counted here. Of one that was done after the last day of its run
 * only the days from there on are read; no period is longer than the days before it.
 */
const plannedTasks = async (
  query: QueryExecutorProvider,
  userId: string,
  ids: readonly number[] | null,
  added: readonly AddedDay[],
) => {
  const isAdvance = sql`coalesce(tasks.last_day <= added.day, false)`;
  const { rows } = await sql<PlannedTask>`
    select tasks.id, weekdays, every_days as "everyDays", times, period, week_starts_on as "weekStartsOn",
      target_amount is not null as "hasTarget",
      array(
        select ${dayNumber(sql`day`)} from (
          select ${completionDay} as day from task_completions
          where user_id = ${userId} and ${completionTask} = tasks.id
            and ${completionDay} >= case when ${isAdvance} then tasks.last_day - 30 else '-infinity' end
          group by ${completionDay} having ${goalReached(sql`tasks.target_amount`)}
        ) kept order by day
      ) as "keptDays", ${isAdvance} as "isAdvance",
      json_build_object('startedOn', ${dayNumber(sql`tasks.run_started_on`)}, 'lastDay', ${dayNumber(sql`tasks.last_day`)},
        'longest', tasks.longest_run, 'count', run_count) as stored
    from tasks join user_progress on user_progress.user_id = tasks.user_id
      left join (
        select id, min(day) as day
        from unnest(${added.map(({ taskId }) => taskId)}::bigint[], ${added.map(({ userDay }) => userDay)}::date[])
          as given (id, day)
        group by id
      ) added on added.id = tasks.id
    where tasks.user_id = ${userId} and user_progress.user_id = ${userId} and ${isPlanned(sql`${userId}`)}
      ${ids ? sql`and tasks.id = any(${ids}::bigint[])` : sql``}
    order by tasks.id`.execute(query);
  return rows;
};

/** What is stored of tasks that are counted here, and what should be. */
export async function plannedRuns(
  query: QueryExecutorProvider,
  userId: string,
  ids: readonly number[] | null = null,
  added: readonly AddedDay[] = [],
): Promise<{ id: number; stored: StoredRun; run: StoredRun }[]> {
  const tasks = await plannedTasks(query, userId, ids, added);
  if (tasks.length === 0) return [];
  const rests = await restsOf(
    query,
    userId,
    tasks.map(({ id }) => id),
  );
  return tasks.map(({ id, stored, weekStartsOn, ...task }) => {
    const lens = new Lens(scheduleOf(task), rests.of(id), weekStartsOn ?? 'MONDAY');
    return { id, stored, run: storedRun(lens, runFrom(lens, { ...task, stored }), task.hasTarget) };
  });
}

function runFrom(
  lens: Lens,
  { stored, keptDays, isAdvance }: Pick<PlannedTask, 'stored' | 'keptDays' | 'isAdvance'>,
) {
  const { lastDay, startedOn, longest, count } = stored;
  if (!isAdvance || lastDay === null || startedOn === null) return lens.runOf(keptDays);
  const { first } = lens.unitAround(lastDay);
  const before = { lastDay, startedOn, longest, count: count ?? lastDay - startedOn + 1 };
  return lens.runOf(
    keptDays.filter((day) => day >= first),
    before,
  );
}

/** A run of days one after the other, after which nothing rests, is counted by each completion itself. */
function storedRun(lens: Lens, { startedOn, lastDay, count, longest }: Run, hasTarget: boolean): StoredRun {
  const isGapless = lastDay === null || startedOn === null || count === lastDay - startedOn + 1;
  const isPlain =
    lens.isEveryDay && !hasTarget && isGapless && !lens.neutral.hasAfter(lastDay ?? Number.NEGATIVE_INFINITY);
  return { startedOn, lastDay, longest, count: isPlain ? null : count };
}

/** Completions that one statement counts, unless a single task has more: as many as are sorted in memory. */
const CHUNK = 20_000;

/** Tasks, together as long as they have few completions. */
export function chunksOf(tasks: readonly { id: number | string; count: number }[]): number[][] {
  const chunks: number[][] = [];
  let room = 0;
  for (const { id, count } of tasks) {
    const needed = 1 + count;
    if (needed > room) {
      chunks.push([]);
      room = CHUNK;
    }
    chunks.at(-1)?.push(Number(id));
    room -= needed;
  }
  return chunks;
}

/**
 * Counts the runs of tasks anew where days one after the other do not say them. If days were `added` and nothing else
 * has changed, the runs go on from where they are. Lock the account first. Of all tasks it takes a statement for each
 * chunk: the embedded database serves no one else during one.
 */
export async function recountPlans(
  query: QueryExecutorProvider,
  userId: string,
  ids: readonly number[] | null = null,
  added: readonly AddedDay[] = [],
): Promise<void> {
  await (ids ? recountSome(query, userId, ids, added) : recountWhere(query, userId, sql`true`, added));
}

/** As above, of the tasks whose weeks begin on another day now. */
export const recountWeeks = (query: QueryExecutorProvider, userId: string): Promise<void> =>
  recountWhere(query, userId, sql`period = 'WEEK'`, []);

async function recountWhere(
  query: QueryExecutorProvider,
  userId: string,
  condition: RawBuilder<unknown>,
  added: readonly AddedDay[],
): Promise<void> {
  const { rows } = await sql<{ id: string; count: number }>`
    select id, completion_count as count from tasks where user_id = ${userId} and ${condition} order by id`.execute(
    query,
  );
  for (const chunk of chunksOf(rows)) await recountSome(query, userId, chunk, added);
}

async function recountSome(
  query: QueryExecutorProvider,
  userId: string,
  ids: readonly number[],
  added: readonly AddedDay[],
): Promise<void> {
  const runs = (await plannedRuns(query, userId, ids, added)).filter(
    ({ run, stored }) => !isSame(run, stored),
  );
  if (runs.length === 0) return;
  const given = runs.map(({ id, run }) => ({ id, ...run }));
  const day = (name: string) => dayNumbered(sql.ref(`given.${name}`));
  await sql`
    update tasks set run_started_on = ${day('startedOn')}, last_day = ${day('lastDay')},
      longest_run = given.longest, run_count = given.count
    from json_to_recordset(${JSON.stringify(given)}::json)
      as given (id bigint, "startedOn" int, "lastDay" int, longest int, count int)
    where tasks.user_id = ${userId} and tasks.id = given.id`.execute(query);
}

export const isSame = (one: StoredRun, other: StoredRun) =>
  one.startedOn === other.startedOn &&
  one.lastDay === other.lastDay &&
  one.longest === other.longest &&
  one.count === other.count;

/** The run of the user's days, where there were pauses: what is stored, and what should be. Else undefined. */
export async function plannedUserRun(
  query: QueryExecutorProvider,
  userId: string,
): Promise<{ stored: StoredRun; run: StoredRun } | undefined> {
  const { rows } = await sql<{ keptDays: number[]; stored: StoredRun }>`
    with recursive ${daysOf((before) => latestUserDay(userId, before))}
    select array(select ${dayNumber(sql`day`)} from days order by day) as "keptDays",
      json_build_object('startedOn', ${dayNumber(sql`user_run_started_on`)}, 'lastDay', ${dayNumber(sql`last_user_day`)},
        'longest', longest_user_run, 'count', user_run_count) as stored
    from user_progress where user_id = ${userId} and time_zone is not null and ${isUserPlanned(sql`${userId}`)}`.execute(
    query,
  );
  const [row] = rows;
  if (!row) return undefined;
  const lens = new Lens(EVERY_DAY, (await restsOf(query, userId, [])).ofUser(), 'MONDAY');
  return { stored: row.stored, run: storedRun(lens, lens.runOf(row.keptDays), false) };
}

/** The same for the run of the user's days. */
export async function recountUserPlan(query: QueryExecutorProvider, userId: string): Promise<void> {
  const planned = await plannedUserRun(query, userId);
  if (!planned || isSame(planned.run, planned.stored)) return;
  const { startedOn, lastDay, longest, count } = planned.run;
  await sql`
    update user_progress set user_run_started_on = ${dayNumbered(sql`${startedOn}::int`)},
      last_user_day = ${dayNumbered(sql`${lastDay}::int`)}, longest_user_run = ${longest}, user_run_count = ${count}
    where user_id = ${userId}`.execute(query);
}

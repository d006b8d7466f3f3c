import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Day } from '../schedules/day.js';
import { correctedBy, type RunColumns, runColumns } from '../streaks/streak.js';
import { completionDay, completionTask, daysOf, latestUserDay } from './completion-day.js';
import type { CompletionTables } from './completion-list.queries.js';
import { isPlanned, isUserPlanned, recountPlans, recountUserPlan } from './recount-plans.js';

type Part = RawBuilder<unknown>;

/** A run that is kept in a row, and how its days are found in the history. */
interface KeptRun extends RunColumns {
  /** The column that tells whose run it is, and its type. */
  key: Part;
  type: Part;
  /** Which rows may be updated. */
  where: Part;
  /** The completions of a day, as a query that begins with `select from`. */
  on: (key: Part, day: Part) => Part;
  /** The last day with a completion, overall or before a given day. */
  latest: (key: Part, before?: Part) => Part;
}

const startOf = (day: Part) => sql`(${day})::timestamp at time zone 'UTC'`;

const ofUser = (userId: string) => ({
  key: sql`user_progress.user_id`,
  type: sql`uuid`,
  where: sql`user_progress.user_id = ${userId}`,
});

/** Of UTC days. */
const utcRun = (userId: string): KeptRun => ({
  ...ofUser(userId),
  ...runColumns.utc,
  on: (_user, day) => sql`
    select from task_completions
    where user_id = ${userId} and completed_at >= ${startOf(day)} and completed_at < ${startOf(sql`${day} + 1`)}`,
  latest: (_user, before) => sql`
    select (completed_at at time zone 'UTC')::date from task_completions
    where user_id = ${userId} ${before ? sql`and completed_at < ${startOf(before)}` : sql``}
    order by completed_at desc, id desc limit 1`,
});

/** Of the user's days. As long as the user has no time zone, they are UTC days, and no run of their own is kept. */
const userRun = (userId: string): KeptRun => ({
  ...ofUser(userId),
  ...runColumns.user,
  where: sql`user_progress.user_id = ${userId} and time_zone is not null and not ${isUserPlanned(sql`${userId}`)}`,
  on: (_user, day) => sql`
    select from task_completions where user_id = ${userId} and ${completionDay} = ${day}`,
  latest: (_user, before) => latestUserDay(userId, before),
});

/** Of the user's days on which a task was completed. For the row comparison see `lastCompletionOf`. */
const taskRun = (userId: string): KeptRun => ({
  key: sql`tasks.id`,
  type: sql`bigint`,
  ...runColumns.task,
  where: sql`tasks.user_id = ${userId} and not ${isPlanned(sql`${userId}`)}`,
  on: (task, day) => sql`
    select from task_completions where user_id = ${userId} and ${completionTask} = ${task} and ${completionDay} = ${day}`,
  latest: (task, before = sql`'infinity'::date`) => sql`
    select ${completionDay} from task_completions
    where user_id = ${userId} and (${completionTask}, ${completionDay}) < (${task}, ${before}) and ${completionTask} >= ${task}
    order by ${completionTask} desc, ${completionDay} desc, completed_at desc limit 1`,
});

/** The days on which completions were added or removed. */
interface Changed {
  taskId: number;
  utcDay: Day;
  userDay: Day;
}

/** Recounts the runs of days after completions were added: the user's and those of the tasks. Lock the account first. */
export async function recountAdded(
  query: Kysely<CompletionTables>,
  userId: string,
  added: readonly Changed[],
): Promise<void> {
  const user = (day: (each: Changed) => Day) => added.map((each) => ({ key: userId, day: day(each) }));
  await addDays(
    query,
    utcRun(userId),
    user(({ utcDay }) => utcDay),
  );
  await addDays(
    query,
    userRun(userId),
    user(({ userDay }) => userDay),
  );
  await addDays(
    query,
    taskRun(userId),
    added.map(({ taskId, userDay }) => ({ key: taskId, day: userDay })),
  );
  await recountUserPlan(query, userId);
  const ids = [...new Set(added.map(({ taskId }) => taskId))];
  await recountPlans(query, userId, ids, added);
}

/** The same after a completion was removed. */
export async function recountRemoved(
  query: Kysely<CompletionTables>,
  userId: string,
  { taskId, utcDay, userDay }: Changed,
): Promise<void> {
  await removeDay(query, utcRun(userId), { key: userId, day: utcDay });
  await removeDay(query, userRun(userId), { key: userId, day: userDay });
  await removeDay(query, taskRun(userId), { key: taskId, day: userDay });
  await recountUserPlan(query, userId);
  await recountPlans(query, userId, [taskId]);
}

export const correctStreak = (query: Kysely<CompletionTables>, userId: string, today: Day) =>
  sql`update user_progress set ${correctedBy(today)} where user_id = ${userId}`.execute(query);

/** The user's runs, after completions of many days were removed. Lock the account first. It reads a row for each day. */
export async function recountUser(query: Kysely<CompletionTables>, userId: string): Promise<void> {
  for (const run of [utcRun(userId), userRun(userId)]) {
    const { key, where } = run;
    const owner = sql`${userId}::uuid`;
    await sql`
      with recursive ${daysOf((before) => run.latest(owner, before))}, runs as (
        select min(day) as started, max(day) as ended, count(*)::int as length
        from (select day, day + row_number() over (order by day desc)::int as run from days) numbered group by run
      ), latest as (
        select started, ended, max(length) over () as longest from runs order by ended desc limit 1
      )
      update ${sql.table(run.table)} set
        ${sql.ref(run.lastDay)} = (select ended from latest),
        ${sql.ref(run.startedOn)} = (select started from latest),
        ${sql.ref(run.longest)} = coalesce((select longest from latest), 0)
      where ${where} and ${key} = ${owner}
    `.execute(query);
  }
  await recountUserPlan(query, userId);
}

interface DayOf {
  key: string | number;
  day: Day;
}

/**
 * The result equals a recount of the whole history. The run that is kept is known to have all of its days; from a day
 * outside of it, walks from day to day along the index, to both ends of the run that the day is in.
 */
async function addDays(query: Kysely<CompletionTables>, run: KeptRun, days: readonly DayOf[]): Promise<void> {
  const { key, type, where, on } = run;
  const table = sql.table(run.table);
  const [lastDay, startedOn, longest] = [run.lastDay, run.startedOn, run.longest].map((name) =>
    sql.ref(`${run.table}.${name}`),
  );
  const isKept = (day: Part) => sql`coalesce(${day} between kept.started and kept.ended, false)`;
  await sql`
    with recursive given as (
      select distinct key, day
      from unnest(${days.map((each) => each.key)}::${type}[], ${days.map(({ day }) => day)}::date[]) as given (key, day)
    ), kept as (
      select ${key} as key, ${startedOn} as started, ${lastDay} as ended
      from ${table} where ${where} and ${key} in (select key from given)
    ), walked (key, day) as (
      select given.key, given.day from given join kept using (key) where not ${isKept(sql`given.day`)}
      union
      select walked.key, next.day
      from walked join kept using (key)
        cross join lateral (values (walked.day - 1), (walked.day + 1)) as next (day)
      where not ${isKept(sql`next.day`)} and exists (${on(sql`walked.key`, sql`next.day`)})
    ), blocks as (
      select key, day as started, day as ended from walked
      union all
      select key, started, ended from kept where ended is not null and key in (select key from walked)
    ), numbered as (
      select *, started - coalesce(sum(ended - started + 1) over (
        partition by key order by started rows between unbounded preceding and 1 preceding), 0)::int as run
      from blocks
    ), runs as (
      select key, min(started) as started, max(ended) as ended from numbered group by key, run
    ), latest as (
      select distinct on (key) key, started, ended, max(ended - started + 1) over (partition by key) as longest
      from runs order by key, ended desc
    )
    update ${table} set
      ${sql.ref(run.lastDay)} = latest.ended,
      ${sql.ref(run.startedOn)} = latest.started,
      ${sql.ref(run.longest)} = greatest(${longest}, latest.longest)
    from latest where ${key} = latest.key and ${where}
  `.execute(query);
}

/**
 * The result equals a recount of the whole history. It walks from day to day along the index, over the run that was
 * cut and the latest run; it reads all days only if the longest run may have become shorter. Does nothing while the day
 * has other completions.
 */
async function removeDay(query: Kysely<CompletionTables>, run: KeptRun, changed: DayOf): Promise<void> {
  const { key, type, where, on, latest } = run;
  const [removed, owner] = [sql`${changed.day}::date`, sql`${changed.key}::${type}`];
  const longest = sql.ref(run.longest);
  const walk = (name: string, step: 1 | -1) => {
    const [walked, next] = [sql.raw(name), sql`${sql.raw(name)}.day + ${sql.lit(step)}`];
    const first = sql`${removed} + ${sql.lit(step)}`;
    return sql`
    ${walked} (day) as (
      select ${first} where exists (${on(owner, first)})
      union all
      select ${next} from ${walked} where exists (${on(owner, next)})
    )`;
  };
  await sql`
    with recursive ${walk('earlier', -1)}, ${walk('later', 1)},
    latest (day) as (
      select * from (${latest(owner)}) newest
      union all
      select latest.day - 1 from latest where exists (${on(owner, sql`latest.day - 1`)})
    ), ${daysOf((before) => run.latest(owner, before))}, cut as (
      select (select count(*) from earlier)::int + 1 + (select count(*) from later)::int as length
    ), longest as (
      select count(*)::int as length
      from (select day, day + row_number() over (order by day desc)::int as run from days) numbered
      group by run order by length desc limit 1
    )
    update ${sql.table(run.table)} set
      ${sql.ref(run.lastDay)} = (select max(day) from latest),
      ${sql.ref(run.startedOn)} = (select min(day) from latest),
      ${longest} = case
        when ${longest} > (select length from cut) then ${longest}
        else coalesce((select length from longest), 0)
      end
    where ${where} and ${key} = ${owner} and not exists (${on(owner, removed)})
  `.execute(query);
}

import { isDeepStrictEqual } from 'node:util';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { mapYielding } from '../../base/queues/event-loop.js';
import { readingForItself } from '../../base/request.js';
import { type Day, dayOf } from './day.js';
import { dayNumber, dayNumbered, fixedDays } from './days.queries.js';
import { Judge, type NeutralDays, type RestRow, Rests, type Run } from './judge.js';
import { Limit, readingOf } from './limit.js';
import { restsOfAll, restsOfTask } from './rests.queries.js';
import { EVERY_DAY, type StoredSchedule, type Weekday } from './schedule.js';
import { type RunColumns, runColumns } from './stored-runs.js';
import type { JudgedTarget } from './target.js';
import { doesAddUp, earnsPoints, goalOfTaskReached, thousandths } from './target.queries.js';

type Query = QueryExecutorProvider;
type Part = RawBuilder<unknown>;

/** Tells of a row of `tasks` whether only the judge can tell its run, or whether it ever rested. */
export const mayBeJudged = sql`(
  tasks.run_needs_lens or tasks.weekdays is not null or tasks.every_days is not null
  or tasks.times is not null or tasks.target_amount is not null
  or exists (select from skips where skips.user_id = tasks.user_id and skips.task_id = tasks.id)
  or exists (
    select from pauses
    where pauses.user_id = tasks.user_id and (pauses.task_id is null or pauses.task_id = tasks.id)
  ))`;

/** Whether a pause may lie in the run of a row of `user_progress`. */
export const mayBePaused = sql`(
  user_progress.user_run_needs_lens
  or exists (select from pauses where pauses.user_id = user_progress.user_id and pauses.task_id is null))`;

/** A run as it is stored. */
export interface StoredRun extends Run {
  needsJudge: boolean;
}

/** What is stored, and what should be. */
export interface Recounted<Id = unknown> {
  id: Id;
  stored: StoredRun;
  run: StoredRun;
}

interface KeptTask extends StoredSchedule, JudgedTarget {
  weekStartsOn: Weekday | null;
  id: number;
  /** The user's day on which it was made. */
  madeOn: number;
  /** All days with completions that count, or those that `isAdvance` needs. */
  days: number[];
  /** For each of them, where amounts add up by themselves. */
  amounts: number[];
  isAdvance: boolean;
  stored: StoredRun;
  rests: RestRow[] | null;
  /** In the first row. */
  restsOfAll: RestRow[] | null;
}

/** A day on which a task was done. */
interface AddedDay {
  taskId: number;
  userDay: Day;
}

const storedIn = ({ table, lastDay, startedOn, longest, count, needsJudge }: RunColumns) => {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const length = count ? column(count) : sql`coalesce(${column(lastDay)} - ${column(startedOn)} + 1, 0)`;
  return sql`json_build_object('startedOn', ${dayNumber(column(startedOn))}, 'lastDay', ${dayNumber(column(lastDay))},
    'longest', ${column(longest)}, 'count', ${length},
    'needsJudge', ${needsJudge ? column(needsJudge) : sql`false`})`;
};

/**
 * The runs of some tasks of a user. Of one that was done on the last day of its run or later, and in nothing else has
 * changed, only the days from there on are read, and those of its period: a month has at most 30 days before it. Of a
 * limit, the same from the day that was added.
 */
export async function taskRuns(
  query: Query,
  userId: string,
  ids: readonly number[],
  added: readonly AddedDay[] = [],
): Promise<Recounted<number>[]> {
  const isOfLimit = sql`(tasks.target_kind is not null and tasks.run_started_on <= added.day)`;
  const isAdvance = sql`coalesce(tasks.last_day <= added.day or ${isOfLimit}, false)`;
  const before = (limit: Part) => sql`case
    when ${isOfLimit} then ${limit} - 30
    when ${isAdvance} then tasks.last_day - 30
    else '-infinity' end`;
  const { rows } = await sql<KeptTask>`
    select tasks.id, weekdays, every_days as "everyDays", times, period, has_grace_day as "hasGraceDay",
      week_starts_on as "weekStartsOn",
      target_amount as "targetAmount", target_kind as "targetKind", target_period as "targetPeriod",
      ${dayNumber(fixedDays.madeOn)} as "madeOn",
      history.days, history.amounts, ${isAdvance} as "isAdvance", ${storedIn(runColumns.task)} as stored,
      ${restsOfTask(userId, before(sql`tasks.run_started_on`))} as rests,
      case when tasks.id = min(tasks.id) over () then ${restsOfAll(userId)} end as "restsOfAll"
    from tasks join user_progress on user_progress.user_id = tasks.user_id
      left join (
        select id, min(day) as day
        from unnest(${added.map(({ taskId }) => taskId)}::bigint[], ${added.map(({ userDay }) => userDay)}::date[])
          as given (id, day)
        group by id
      ) added on added.id = tasks.id
      cross join lateral (
        select coalesce(array_agg(day order by day), '{}') as days,
          coalesce(array_agg(amount order by day) filter (where amount is not null), '{}') as amounts
        from (
          select ${dayNumber(sql`task_completions.day`)} as day,
            case when ${doesAddUp} then ${thousandths(sql`1`)} end as amount
          from task_completions
          where user_id = ${userId} and task_completions.task_id = tasks.id
            and task_completions.day >= ${before(sql`added.day`)}
          group by task_completions.day having ${goalOfTaskReached}
        ) kept
      ) history
    where tasks.user_id = ${userId} and user_progress.user_id = ${userId} and tasks.id = any(${ids}::bigint[])
    order by tasks.id`.execute(query);
  const rests = new Rests(rows[0]?.restsOfAll, rows);
  return mapYielding(rows, (task) => {
    const { id, stored } = task;
    return { id, stored, run: runFrom(task, rests.of(id)) };
  });
}

function runFrom({ stored, ...task }: KeptTask, neutral: NeutralDays): StoredRun {
  const { needsJudge: _, ...before } = stored;
  const days = task.days.map((day, index) => ({ day, amount: task.amounts[index] ?? 0 }));
  const reading = readingOf(task, neutral, task.weekStartsOn);
  if (reading instanceof Limit) {
    const began = Math.min(task.madeOn, task.days[0] ?? task.madeOn);
    const run = reading.runOf(reading.exceededUnits(days), began, task.isAdvance ? before : undefined);
    return { ...run, needsJudge: true };
  }
  const { lastDay } = before;
  const hasTarget = task.targetAmount !== null;
  if (!task.isAdvance || lastDay === null) return storedRun(reading, reading.runOf(days), hasTarget);
  const { first } = reading.unitAround(lastDay);
  const run = reading.runOf(
    days.filter(({ day }) => day >= first),
    before,
  );
  return storedRun(reading, run, hasTarget);
}

/** A run of days, each of which is due and kept by one completion, is counted by the completion itself. */
const storedRun = (judge: Judge, run: Run, hasTarget: boolean): StoredRun => ({
  ...run,
  needsJudge:
    !judge.isEveryDay || hasTarget || judge.neutral.hasAfter(run.lastDay ?? Number.NEGATIVE_INFINITY),
});

const startOfUtc = (day: Part) => sql`(${day})::timestamp at time zone 'UTC'`;

/**
 * The user's run of UTC days, which no pause changes, or of the user's own: none without a time zone. The days are found
 * by a look into the index for each: there may be many completions on one. A UTC day is the user's own day, or one of
 * the two beside it.
 */
export async function userRun(
  query: Query,
  userId: string,
  days: 'utc' | 'user',
): Promise<Recounted | undefined> {
  const isUtc = days === 'utc';
  const latest = (where: Part) => sql`
    select task_completions.day from task_completions
    where user_id = ${userId} and ${where} and ${earnsPoints} order by task_completions.day desc limit 1`;
  const utcDays = sql`
    select distinct utc.day from own cross join lateral unnest(array[own.day - 1, own.day, own.day + 1]) as utc (day)
    where exists (
      select from task_completions
      where user_id = ${userId} and task_completions.day = own.day and ${earnsPoints}
        and completed_at >= ${startOfUtc(sql`utc.day`)} and completed_at < ${startOfUtc(sql`utc.day + 1`)}
    )`;
  const { rows } = await sql<Pick<KeptTask, 'days' | 'stored' | 'restsOfAll'>>`
    with recursive own (day) as (
      select * from (${latest(sql`true`)}) newest
      union all
      select before.day from own cross join lateral (${latest(sql`task_completions.day < own.day`)}) before (day)
    ), days (day) as (${isUtc ? utcDays : sql`select day from own`})
    select
      case when ${isUtc} or time_zone is not null then array(select ${dayNumber(sql`day`)} from days order by day) else '{}' end
        as days,
      ${storedIn(runColumns[days])} as stored, ${restsOfAll(userId)} as "restsOfAll"
    from user_progress where user_id = ${userId}`.execute(query);
  const [row] = rows;
  if (!row) return undefined;
  const rests = new Rests(isUtc ? [] : row.restsOfAll);
  const judge = new Judge(EVERY_DAY, rests.ofUser(), 'MONDAY');
  return {
    id: userId,
    stored: row.stored,
    run: storedRun(judge, judge.runOf(row.days.map((day) => ({ day, amount: 0 }))), false),
  };
}

async function store(
  query: Query,
  userId: string,
  { table, startedOn, lastDay, longest, count, needsJudge }: RunColumns,
  recounted: readonly Recounted[],
): Promise<void> {
  const wrong = recounted.filter(({ run, stored }) => !isDeepStrictEqual(run, stored));
  if (wrong.length === 0) return;
  await sql`
    update ${sql.table(table)} set
      ${sql.ref(startedOn)} = ${dayNumbered(sql`given."startedOn"`)},
      ${sql.ref(lastDay)} = ${dayNumbered(sql`given."lastDay"`)},
      ${sql.ref(longest)} = given.longest
      ${count ? sql`, ${sql.ref(count)} = given.count` : sql``}
      ${needsJudge ? sql`, ${sql.ref(needsJudge)} = given."needsJudge"` : sql``}
    from json_to_recordset(${JSON.stringify(wrong.map(({ id, run }) => ({ id, ...run })))}::json)
      as given (id text, "startedOn" int, "lastDay" int, longest int, count int,
        "needsJudge" boolean)
    where ${sql.table(table)}.user_id = ${userId}
      ${table === 'tasks' ? sql`and tasks.id = given.id::bigint` : sql``}`.execute(query);
}

/** Counts the runs of some tasks anew: if days were `added` and nothing else has changed, from where they are. Lock the account first. */
export const recountTasks = async (
  query: Query,
  userId: string,
  ids: readonly number[],
  added?: readonly AddedDay[],
): Promise<void> => store(query, userId, runColumns.task, await taskRuns(query, userId, ids, added));

/** Completions, skips and pauses that one statement counts, unless a single task has more. */
const CHUNK = 20_000;

/** What a task weighs beside its rows. */
const EACH = 20;

/** All tasks of a user, or those for which `condition` holds, in a statement for each chunk. */
export async function recountAllTasks(
  query: Query,
  userId: string,
  condition: Part = sql`true`,
): Promise<void> {
  const { rows } = await sql<{ id: string; count: number }>`
    select id, completion_count + (
        select count(*) from skips where skips.user_id = ${userId} and skips.task_id = tasks.id
      )::int + (
        select count(*) from pauses where pauses.user_id = ${userId} and pauses.task_id = tasks.id
      )::int as count
    from tasks where user_id = ${userId} and (${condition}) order by id`.execute(query);
  const chunks: number[][] = [];
  let room = 0;
  for (const { id, count } of rows) {
    const needed = EACH + count;
    if (needed > room) {
      chunks.push([]);
      room = CHUNK;
    }
    chunks.at(-1)?.push(Number(id));
    room -= needed;
  }
  await readingForItself(async () => {
    for (const ids of chunks) await recountTasks(query, userId, ids);
  });
}

const ofWeeks = sql`(period = 'WEEK' or target_period = 'WEEK')`;

/** Counts anew what other weeks of the user concern. */
export const recountAfterWeeks = (query: Query, userId: string): Promise<void> =>
  recountAllTasks(query, userId, ofWeeks);

/**
 * Call it before days are cut otherwise: a habit and a challenge are as old as they were, or who travels has missed the
 * day before. The zone before may be one that a server with older names does not know: no day is known by it.
 */
export async function fixDays(
  query: Query,
  userId: string,
  hasZone: (name: string) => Promise<boolean>,
): Promise<void> {
  const { rows } = await sql<{ zone: string | null }>`
    select time_zone as zone from user_progress where user_id = ${userId}`.execute(query);
  if (!(await hasZone(rows[0]?.zone ?? 'UTC'))) return;
  const { madeOn, archivedOn, startedOn } = fixedDays;
  await sql`
    update tasks set made_on = ${madeOn}, archived_on = ${archivedOn} from user_progress
    where tasks.user_id = ${userId} and user_progress.user_id = ${userId}
      and (made_on is null or archived_at is not null and archived_on is null)`.execute(query);
  await sql`
    update user_challenges set started_on = ${startedOn} from user_progress
    where user_challenges.user_id = ${userId} and user_progress.user_id = ${userId}
      and started_on is null`.execute(query);
}

/** Counts the user's runs anew, of UTC days and of the user's own. */
export async function recountUser(query: Query, userId: string): Promise<void> {
  for (const days of ['utc', 'user'] as const) {
    const recounted = await userRun(query, userId, days);
    if (recounted) await store(query, userId, runColumns[days], [recounted]);
  }
}

interface Changed {
  day: Day;
  completedAt: Date;
}

/** Whether each of these days has a completion besides those with `ids`: then the user's runs stay as they are. */
async function areDaysKept(
  query: Query,
  userId: string,
  changed: readonly Changed[],
  ids: readonly number[],
): Promise<boolean> {
  const own = changed.map(({ day }) => day);
  const utc = changed.map(({ completedAt }) => dayOf(completedAt)).toSorted();
  const daysOf = (day: Part, where: Part) => sql`array(
    select distinct ${day}::text from task_completions
    where user_id = ${userId} and ${where} and ${earnsPoints} and id <> all(${ids}::bigint[])
  )`;
  const utcDay = sql`(completed_at at time zone 'UTC')::date`;
  const { rows } = await sql<{ own: Day[]; utc: Day[] }>`
    select ${daysOf(sql`task_completions.day`, sql`task_completions.day = any(${own}::date[])`)} as own,
      ${daysOf(
        utcDay,
        sql`task_completions.day between ${utc[0]}::date - 1 and ${utc.at(-1)}::date + 1
          and completed_at >= ${startOfUtc(sql`${utc[0]}::date`)} and completed_at < ${startOfUtc(sql`${utc.at(-1)}::date + 1`)}`,
      )} as utc`.execute(query);
  const [kept] = rows;
  return own.every((day) => kept?.own.includes(day)) && utc.every((day) => kept?.utc.includes(day));
}

/** As `recountUser`, after completions were removed, or added with `ids`. Most are of days that have others. */
export async function recountUserAfter(
  query: Query,
  userId: string,
  changed: readonly Changed[],
  ids: readonly number[] = [],
): Promise<void> {
  if (!(await areDaysKept(query, userId, changed, ids))) await recountUser(query, userId);
}

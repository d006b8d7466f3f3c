import { type Kysely, sql } from 'kysely';
import { BASELINE, BEFORE_BASELINE } from '../database/migrations.js';
import type { Header } from './format.js';

// The one bridge from releases before 1.0.0. The tables of their last migration are those of the baseline, except that
// a completion could lack `day` and `recorded_at`, that the days of a run told its count where it had none, and that
// `revocations` had two columns more, with rows for generations.

const isBeforeBaseline = ({ migration }: Header) => migration === BEFORE_BASELINE.last;

/** The migration that makes the tables of a backup. */
export const migrationOf = (header: Header): string =>
  isBeforeBaseline(header) ? BASELINE : header.migration;

const DIFFERENT = {
  task_completions: { mayLack: ['day', 'recorded_at'], lacks: [] },
  tasks: { mayLack: ['run_count'], lacks: ['run_needs_lens'] },
  user_progress: { mayLack: ['user_run_count'], lacks: ['user_run_needs_lens'] },
};

async function alter(query: Kysely<unknown>, kind: 'mayLack' | 'lacks', change: (column: string) => string) {
  for (const [table, columns] of Object.entries(DIFFERENT)) {
    for (const column of columns[kind])
      await sql`alter table ${sql.table(table)} ${sql.raw(change(column))}`.execute(query);
  }
}

/** Makes the tables as they were when the backup was made. */
export async function takeBack(query: Kysely<unknown>, header: Header): Promise<void> {
  if (!isBeforeBaseline(header)) return;
  await alter(query, 'mayLack', (column) => `alter column ${column} drop not null`);
  await alter(query, 'lacks', (column) => `drop column ${column}`);
  await sql`alter table revocations add column generation int, add column change bigint`.execute(query);
}

/** Makes them as the baseline has them, and fills in what was meant. */
export async function bringForward(query: Kysely<unknown>, header: Header): Promise<void> {
  if (!isBeforeBaseline(header)) return;
  await alter(query, 'lacks', (column) => `add column ${column} boolean not null default false`);
  await sql`
    update task_completions set
      day = coalesce(day, (completed_at at time zone 'UTC')::date),
      recorded_at = coalesce(recorded_at, completed_at)
    where day is null or recorded_at is null`.execute(query);
  const restsUntil = sql`
    ends as (
      select user_id, task_id, max(until) as until from (
        select user_id, task_id, day as until from skips
        union all
        select user_id, task_id, coalesce(last_day, 'infinity') from pauses
      ) rests group by user_id, task_id
    )`;
  await sql`
    with ${restsUntil}, found as (
      select tasks.id, tasks.user_id,
        weekdays is not null or every_days is not null or times is not null or target_amount is not null
          or coalesce(greatest(own.until, of_all.until) > coalesce(last_day, '-infinity'), false) as needs_lens
      from tasks left join ends own on own.user_id = tasks.user_id and own.task_id = tasks.id
        left join ends of_all on of_all.user_id = tasks.user_id and of_all.task_id is null
    )
    update tasks set run_count = coalesce(run_count, last_day - run_started_on + 1, 0), run_needs_lens = needs_lens
    from found where tasks.id = found.id and tasks.user_id = found.user_id`.execute(query);
  await sql`
    with ${restsUntil}, found as (
      select user_progress.user_id, coalesce(until > coalesce(last_user_day, '-infinity'), false) as needs_lens
      from user_progress left join ends on ends.user_id = user_progress.user_id and ends.task_id is null
    )
    update user_progress set
      user_run_count = coalesce(user_run_count, last_user_day - user_run_started_on + 1, 0),
      user_run_needs_lens = needs_lens
    from found where user_progress.user_id = found.user_id`.execute(query);
  await alter(query, 'mayLack', (column) => `alter column ${column} set not null`);
}

/** Takes the former columns away, once the rows are counted: the generation of a user is in `users`. */
export async function withoutFormerColumns(query: Kysely<unknown>, header: Header): Promise<void> {
  if (!isBeforeBaseline(header)) return;
  await sql`delete from revocations where generation is not null`.execute(query);
  await sql`alter table revocations drop column generation, drop column change`.execute(query);
}

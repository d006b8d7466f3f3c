import { Migration } from '@mikro-orm/migrations';

/**
 * Days as users live them. The release before this one goes on working on these tables: what it leaves out has a
 * meaning. A completion without `day` counts for its UTC day; a user without `time_zone` has UTC days, and so the run
 * of UTC days. Thus no row of a completion or a user is written here.
 */
export class UserDays extends Migration {
  override up(): void {
    this.addSql(`
      alter table user_progress
        add column time_zone text null,
        add column day_starts_at int not null default 0,
        add column last_user_day date null,
        add column user_run_started_on date null,
        add column longest_user_run int not null default 0,
        add constraint user_progress_day_starts_at_check check (day_starts_at >= 0 and day_starts_at <= 6),
        add constraint user_progress_user_run_check check (
          (last_user_day is null) = (user_run_started_on is null) and user_run_started_on <= last_user_day)`);
    this.addSql(`
      alter table tasks
        add column last_day date null,
        add column run_started_on date null,
        add column longest_run int not null default 0,
        add constraint tasks_run_check check (
          (last_day is null) = (run_started_on is null) and run_started_on <= last_day)`);
    this.addSql(`
      alter table task_completions add column day date null, add column recorded_at timestamptz(3) null`);

    const day = `(coalesce(day, (completed_at at time zone 'UTC')::date))`;
    this.addSql(`
      create index task_completions_user_id_day_completed_at_index
      on task_completions (user_id, ${day}, completed_at)`);
    this.addSql(`
      create index task_completions_user_id_task_id_day_completed_at_index
      on task_completions (user_id, (task_id + 0), ${day}, completed_at)`);

    this.addSql(`
      with days as (
        select distinct user_id, task_id, (completed_at at time zone 'UTC')::date as day from task_completions
      ), numbered as (
        select *, day - row_number() over (partition by user_id, task_id order by day)::int as run from days
      ), runs as (
        select user_id, task_id, min(day) as started_on, max(day) as ended_on, count(*)::int as length
        from numbered group by user_id, task_id, run
      ), latest as (
        select distinct on (user_id, task_id) user_id, task_id, started_on, ended_on,
          max(length) over (partition by user_id, task_id) as longest
        from runs order by user_id, task_id, ended_on desc
      )
      update tasks set last_day = ended_on, run_started_on = started_on, longest_run = longest
      from latest where tasks.id = latest.task_id and tasks.user_id = latest.user_id`);
    // The indexes are by expressions: without statistics of these the planner prefers others. Of an empty table it would
    // learn that there is nothing to look up.
    this.addSql(`
      do $$ begin
        if exists (select from task_completions) then
          analyze task_completions;
          analyze tasks;
        end if;
      end $$`);
  }
}

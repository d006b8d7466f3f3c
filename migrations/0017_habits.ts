import { Migration } from '@mikro-orm/migrations';

/**
 * Schedules, targets, rests, amounts and notes. No row is written: what an earlier release leaves out means a task that
 * is due every day, without a target, and a week that begins on Monday.
 */
export class Habits extends Migration {
  override up(): void {
    this.addSql(`
      alter table user_progress add column user_run_count int null, add column week_starts_on text null`);
    this.addSql(`
      alter table tasks
        add column weekdays int null,
        add column every_days int null,
        add column times int null,
        add column period text null,
        add column target_amount numeric null,
        add column target_unit text null,
        add column colour text null,
        add column icon text null,
        add column tags text[] null,
        add column run_count int null`);
    this.addSql('alter table task_completions add column amount numeric null, add column note text null');
    this.addSql(`
      create table skips (
        user_id uuid not null,
        task_id bigint not null,
        day date not null,
        note text null,
        constraint skips_pkey primary key (user_id, task_id, day)
      )`);
    this.addSql(`
      create table pauses (
        id uuid not null,
        user_id uuid not null,
        task_id bigint null,
        first_day date not null,
        last_day date null,
        note text null,
        constraint pauses_pkey primary key (id, user_id)
      )`);
    this.addSql('create index pauses_user_id_task_id_index on pauses (user_id, task_id)');
    // Where the other tables are distributed, only one that is may refer to them.
    this.addSql(`
      do $$ declare name text; begin
        if to_regclass('pg_dist_partition') is null then return; end if;
        if not exists (select from pg_dist_partition where logicalrelid = 'tasks'::regclass) then return; end if;
        foreach name in array array['skips', 'pauses'] loop
          perform create_distributed_table(name, 'user_id', colocate_with => 'user_progress');
        end loop;
      end $$`);
    const ofTask = 'foreign key (task_id, user_id) references tasks (id, user_id) on delete cascade';
    this.addSql(`alter table skips add constraint skips_task_id_user_id_foreign ${ofTask}`);
    this.addSql(`alter table pauses add constraint pauses_task_id_user_id_foreign ${ofTask}`);
    this.addSql(`
      alter table pauses add constraint pauses_user_id_foreign foreign key (user_id)
        references user_progress (user_id) on delete cascade`);
  }

  override down(): void {
    this.addSql('drop table pauses');
    this.addSql('drop table skips');
    this.addSql('alter table task_completions drop column amount, drop column note');
    this.addSql(`
      alter table tasks
        drop column weekdays, drop column every_days, drop column times, drop column period,
        drop column target_amount, drop column target_unit, drop column colour, drop column icon,
        drop column tags, drop column run_count`);
    this.addSql('alter table user_progress drop column user_run_count, drop column week_starts_on');
  }
}

import { Migration } from '@mikro-orm/migrations';

/**
 * An import is one transaction, so none is left in the middle. One that was, because its process was killed, is taken
 * back: its account had no tasks before, and so no completions and nothing counted.
 */
export class NoUnfinishedImports extends Migration {
  override up(): void {
    this.addSql(`
      do $$ declare import record; begin
        for import in select * from unfinished_imports loop
          delete from tasks where user_id = import.user_id and id between import.first_task_id and import.last_task_id;
          update user_progress set
            time_zone = import.time_zone, day_starts_at = import.day_starts_at,
            points = 0, current_streak = 0, max_streak = 0,
            last_active_on = null, run_started_on = null, longest_run = 0,
            last_user_day = null, user_run_started_on = null, longest_user_run = 0
          where user_id = import.user_id
            and not exists (select from task_completions where user_id = import.user_id);
        end loop;
      end $$`);
    this.addSql('drop table unfinished_imports');
  }

  override down(): void {
    this.addSql(`
      create table unfinished_imports (
        user_id uuid not null,
        first_task_id bigint not null,
        last_task_id bigint not null,
        time_zone text null,
        day_starts_at int not null,
        constraint unfinished_imports_pkey primary key (user_id)
      )`);
  }
}

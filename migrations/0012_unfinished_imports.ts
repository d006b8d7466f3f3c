import { Migration } from '@mikro-orm/migrations';

/** Which imports are under way in several transactions, so that the rows of one that breaks off are taken back. */
export class UnfinishedImports extends Migration {
  override up(): void {
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

  override down(): void {
    this.addSql('drop table unfinished_imports');
  }
}

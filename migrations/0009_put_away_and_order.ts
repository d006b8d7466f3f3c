import { Migration } from '@mikro-orm/migrations';

/**
 * Tasks are put away, and moved. No row is written: without `archived_at` a task is in use, and without a place of its
 * own it is where it was made. The release before this one goes on working on this table.
 */
export class PutAwayAndOrder extends Migration {
  override up(): void {
    this.addSql(`
      alter table tasks
        add column archived_at timestamptz(3) null,
        add column listed_at timestamptz(3) null,
        add column rank numeric null,
        add constraint tasks_place_check check ((listed_at is null) = (rank is null))`);
    const place = '(coalesce(listed_at, created_at)), (coalesce(rank, id))';
    this.addSql(`
      create index tasks_user_id_place_index on tasks (user_id, ${place}) where archived_at is null`);
    this.addSql(`
      create index tasks_user_id_archived_place_index on tasks (user_id, ${place}) where archived_at is not null`);
  }

  override down(): void {
    this.addSql('drop index tasks_user_id_archived_place_index');
    this.addSql('drop index tasks_user_id_place_index');
    this.addSql(`
      alter table tasks
        drop constraint tasks_place_check, drop column rank, drop column listed_at, drop column archived_at`);
  }
}

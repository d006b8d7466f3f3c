import { Migration } from '@mikro-orm/migrations';

/** A client's name for a new task, so that asking for it again makes no second one. */
export class CreationKeys extends Migration {
  override up(): void {
    this.addSql(`set local citus.multi_shard_modify_mode to 'sequential'`);
    this.addSql('alter table tasks add column creation_key text null');
    this.addSql(`
      create unique index tasks_user_id_creation_key_unique on tasks (user_id, creation_key)
        where creation_key is not null`);
  }

  override down(): void {
    this.addSql('alter table tasks drop column creation_key');
  }
}

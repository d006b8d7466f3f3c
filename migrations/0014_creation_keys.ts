import { Migration } from '@mikro-orm/migrations';

/** A client's name for a new task, so that asking for it again makes no second one. */
export class CreationKeys extends Migration {
  override up(): void {
    this.addSql('alter table tasks add column idempotency_key text null');
    this.addSql(`
      create unique index tasks_user_id_idempotency_key_unique on tasks (user_id, idempotency_key)
        where idempotency_key is not null`);
  }

  override down(): void {
    this.addSql('alter table tasks drop column idempotency_key');
  }
}

import { Migration } from '@mikro-orm/migrations';

/** With what a task was created under an idempotency key, so that the key is refused for another one. */
export class CreationDigest extends Migration {
  override up(): void {
    this.addSql('alter table tasks add column creation_digest text null');
  }

  override down(): void {
    this.addSql('alter table tasks drop column creation_digest');
  }
}

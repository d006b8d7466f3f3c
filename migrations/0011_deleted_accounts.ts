import { Migration } from '@mikro-orm/migrations';

/** What is left of an account that was deleted, so that restoring an older backup deletes it again. */
export class DeletedAccounts extends Migration {
  override up(): void {
    this.addSql(`
      create table deleted_accounts (
        id uuid not null,
        deleted_at timestamptz(3) not null,
        constraint deleted_accounts_pkey primary key (id)
      )`);
    this.addSql(`create index deleted_accounts_deleted_at_index on deleted_accounts (deleted_at)`);
  }

  override down(): void {
    this.addSql('drop table deleted_accounts');
  }
}

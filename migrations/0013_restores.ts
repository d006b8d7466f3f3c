import { Migration } from '@mikro-orm/migrations';

/** When the database was restored: tokens that were issued after the backup may be of later generations than it knows. */
export class Restores extends Migration {
  override up(): void {
    this.addSql(`
      create table restores (
        restored_at timestamptz(3) not null,
        constraint restores_pkey primary key (restored_at)
      )`);
  }

  override down(): void {
    this.addSql('drop table restores');
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Languages extends Migration {
  override up(): void {
    this.addSql('alter table users add column language text null');
  }

  override down(): void {
    this.addSql('alter table users drop column language');
  }
}

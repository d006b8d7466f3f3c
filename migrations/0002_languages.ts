import { Migration } from '@mikro-orm/migrations';

export class Languages extends Migration {
  override up(): void {
    this.addSql('alter table users add column language text null');
    this.addSql('alter table tasks add column section text null');
  }

  override down(): void {
    this.addSql('alter table tasks drop column section');
    this.addSql('alter table users drop column language');
  }
}

import { Migration } from '@mikro-orm/migrations';

export class LimitsAndLanguages extends Migration {
  override up(): void {
    this.addSql('alter table users add column language text null');
    this.addSql(
      'alter table tasks add column section text null, add column target_kind text null, add column target_period text null',
    );
  }

  override down(): void {
    this.addSql('alter table tasks drop column section, drop column target_kind, drop column target_period');
    this.addSql('alter table users drop column language');
  }
}

import { Migration } from '@mikro-orm/migrations';

export class MailLanguage extends Migration {
  override up(): void {
    this.addSql('alter table mails add column language text null');
  }

  override down(): void {
    this.addSql('alter table mails drop column language');
  }
}

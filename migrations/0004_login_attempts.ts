import { Migration } from '@mikro-orm/migrations';

/** Counts failed log-ins in the database, where every process sees them. */
export class LoginAttempts extends Migration {
  override up(): void {
    this.addSql(`
      create table login_attempts (
        key text not null,
        count int not null,
        started_at timestamptz(3) not null,
        constraint login_attempts_pkey primary key (key)
      )`);
    this.addSql(`create index login_attempts_started_at_index on login_attempts (started_at)`);
  }
}

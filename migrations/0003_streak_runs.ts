import { Migration } from '@mikro-orm/migrations';

/** An audit of the streak job: what each run changed, and when. */
export class StreakRuns extends Migration {
  override up(): void {
    this.addSql(`
      create table streak_runs (
        id uuid not null,
        day date not null,
        corrected int not null,
        started_at timestamptz(3) not null,
        ended_at timestamptz(3) null,
        constraint streak_runs_pkey primary key (id)
      )`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Records which processes want to hear of which users' changes. */
export class Listeners extends Migration {
  override up(): void {
    this.addSql(`
      create table listeners (
        user_id uuid not null,
        process_id uuid not null,
        until timestamptz(3) not null,
        constraint listeners_pkey primary key (user_id, process_id)
      )`);
    this.addSql(`create index listeners_process_id_index on listeners (process_id)`);
  }
}

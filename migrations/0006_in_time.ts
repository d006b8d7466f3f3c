import { Migration } from '@mikro-orm/migrations';

/** Refuses a statement that reaches the server after its sender has given up on it. */
export class InTime extends Migration {
  override up(): void {
    this.addSql(`
      create or replace function assert_in_time(latest_start timestamptz) returns boolean language plpgsql stable as $$
      begin
        if now() > latest_start then
          raise exception 'The statement came too late' using errcode = 'ST001';
        end if;
        return true;
      end
      $$`);
  }
}

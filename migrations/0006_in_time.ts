import { Migration } from '@mikro-orm/migrations';

/** A statement that arrives when its sender has given it up is refused. */
export class InTime extends Migration {
  override up(): void {
    this.addSql(`set local citus.multi_shard_modify_mode to 'sequential'`);
    this.addSql(`
      create function assert_in_time(latest_start timestamptz) returns boolean language plpgsql stable as $$
      begin
        if now() > latest_start then
          raise exception 'The statement came too late' using errcode = 'ST001';
        end if;
        return true;
      end
      $$`);
  }
}

import type { Client } from 'pg';

/** Gives a database a clock that can be stepped: what its own functions tell comes first in its sessions to come. */
export async function shiftedClock(direct: Client): Promise<(ahead: string) => Promise<void>> {
  const { database } = (await direct.query('select current_database() as database')).rows[0];
  await direct.query(`
    create schema shifted;
    create table shifted.clock (ahead interval not null);
    insert into shifted.clock values ('0');
    create function shifted.now() returns timestamptz language sql stable
      as 'select pg_catalog.now() + ahead from shifted.clock';
    create function shifted.clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + ahead from shifted.clock';
    alter database ${database} set search_path = shifted, pg_catalog, public`);
  return async (ahead) => {
    await direct.query('update shifted.clock set ahead = $1::interval', [ahead]);
  };
}

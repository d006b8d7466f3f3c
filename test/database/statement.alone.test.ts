import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { asRequest } from '../../src/base/request.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { statement } from '../../src/database/statement.js';
import { withServer } from '../support/with-server.js';

interface Tables {
  notes: { id: number; text: string };
}

const texted = (text: string) =>
  statement(
    (_: Kysely<Tables>, { id, limit }: { id: number; limit: number }) =>
      sql<{ id: number }>`${sql.raw(text)} ${id}::int as id where ${id} > 0 limit ${limit}`,
  );

describe('The statement of a hot path', () => {
  it('sends a value once, however often it occurs', () => {
    const { text, parameters } = texted('select').with({ id: 7, limit: 1 });
    expect(text).toBe('select $1::int as id where $1 > 0 limit $2');
    expect(parameters).toEqual([7, 1]);
  });

  it('is written once, whatever its values', () => {
    let times = 0;
    const counted = statement((query: Kysely<Tables>, { id }: { id: number }) => {
      times += 1;
      return query.selectFrom('notes').select('text').where('id', '=', id);
    });
    expect(counted.with({ id: 1 }).parameters).toEqual([1]);
    expect(counted.with({ id: 2 }).parameters).toEqual([2]);
    expect(times).toBe(1);
  });

  it('has a name of its own, which is the same in every process', () => {
    const values = { id: 1, limit: 1 };
    const names = ['select', 'select', 'select all'].map((text) => texted(text).with(values).name);
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
    expect(names[0]).toMatch(/^steady_[\da-f]{20}$/);
  });
});

describe('PostgreSQL', () => {
  const server = withServer();

  it('keeps the statements of hot paths', async () => {
    const url = await server.newDatabase();
    const database = await openServer(model, { url, poolSize: 1, patience: unhurried });
    onTestFinished(() => database.close());
    const asked = texted('select');
    for (const id of [1, 2]) expect(await database.run(asked, { id, limit: 1 })).toEqual([{ id }]);
    const { rows } = await sql`select from pg_prepared_statements where name like 'steady%'`.execute(
      database.query(),
    );
    expect(rows).toHaveLength(1);
  });

  it('plans a transaction anew whose statements a migration has changed', async () => {
    const url = await server.newDatabase();
    const database = await openServer(model, { url, poolSize: 1, patience: unhurried });
    onTestFinished(() => database.close());
    await sql`create table changing as select 1 as id`.execute(database.query());
    const ask = () =>
      asRequest(60_000, () =>
        database.transaction((tx) => tx.execute('select * from changing where id = ?', [1])),
      );
    for (let times = 0; times < 5; times += 1) expect(await ask()).toEqual([{ id: 1 }]);
    await sql`alter table changing add column name text`.execute(database.query());
    expect(await ask()).toEqual([{ id: 1, name: null }]);
  });
});

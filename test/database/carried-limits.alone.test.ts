import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { guard } from '../../src/database/pool/guard.js';
import { carriedLimits } from '../../src/database/server/connect.js';
import { withServer } from '../support/with-server.js';

const server = withServer();
beforeAll(async () => {
  await server.execute('create table things (id int); insert into things values (1), (2)');
});

const PATIENCE = { connection: 60_000, statement: 300, lock: 100, idleTransaction: 200 };

/** A connection as behind a pooler: whatever its session is set to is somebody else's. */
async function connected() {
  const pool = new pg.Pool({ max: 1, connectionString: server.url('postgres'), pipeline: true });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  guard(pool, { startLimit: 500, carried: carriedLimits(PATIENCE) });
  const client = await pool.connect();
  onTestFinished(() => {
    client.release();
    return pool.end();
  });
  return { pool, client };
}

const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;

describe.each([true, false])('A statement by itself, with a name: %s,', (hasName) => {
  const ask = (client: pg.PoolClient, text: string, values: unknown[] = []) =>
    hasName ? client.query({ name: `n ${text.length}`, text, values }) : client.query(text, values);

  it('runs under the limits that it brings along, and leaves none behind', async () => {
    const { client } = await connected();
    for (let time = 1; time <= 3; time += 1) {
      const { rows } = await ask(client, settings);
      expect(rows).toEqual([{ statement: '300ms', lock: '100ms' }]);
    }
    await expect(ask(client, 'select pg_sleep($1)', [60])).rejects.toMatchObject({ code: '57014' });
    const holder = new pg.Client(server.url('postgres'));
    await holder.connect();
    await holder.query('begin; select from things for update');
    const locked = ask(client, 'update things set id = $1', [3]);
    await expect(locked).rejects.toMatchObject({ code: '55P03', outcome: 'NOT_APPLIED' });
    await holder.end();
    await client.query('begin');
    await client.query('set local statement_timeout to default'); // as it is outside
    await client.query('set local lock_timeout to default');
    expect((await client.query(settings)).rows).toEqual([{ statement: '0', lock: '0' }]);
    await client.query('commit');
  });

  it('is answered as any other, and fails alone', async () => {
    const { client } = await connected();
    const update = 'update things set id = id + $1 where id > $2 returning id';
    expect(await ask(client, update, [0, 0])).toMatchObject({ command: 'UPDATE', rowCount: 2 });
    expect((await client.query('select 1 as one, null as none')).rows).toEqual([{ one: 1, none: null }]);
    await expect(ask(client, 'select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(ask(client, 'selec', [])).rejects.toMatchObject({ code: '42601' });
    await expect(ask(client, 'selec', [])).rejects.toMatchObject({ code: '42601' }); // was not prepared
    expect((await ask(client, 'select $1::text as text', ['ä'])).rows).toEqual([{ text: 'ä' }]);
  });
});

describe('A transaction', () => {
  it('has the limits from its beginning to its end', async () => {
    const { client } = await connected();
    await client.query('start transaction isolation level repeatable read');
    expect((await client.query(settings)).rows).toEqual([{ statement: '300ms', lock: '100ms' }]);
    await expect(client.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' });
    await client.query('rollback');
    await client.query('begin');
    await client.query('set local statement_timeout to default');
    expect((await client.query(settings)).rows).toMatchObject([{ statement: '0' }]);
    await client.query('rollback');
  });

  it('is ended by the server when it waits too long for its next statement', async () => {
    const { client } = await connected();
    const ended = new Promise((resolve) => client.once('error', resolve));
    await client.query('begin');
    expect(await ended).toMatchObject({ code: '25P03' });
  });
});

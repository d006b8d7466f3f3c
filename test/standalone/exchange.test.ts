import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parsers } from '../../src/database/model.js';
import { refusalOf } from '../../src/database/outcome.js';
import { guard } from '../../src/database/server/pool-guard.js';
import { streamOf } from '../../src/database/server/wire.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { type PostgresServer, startPostgres } from '../support/server.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  return server.stop;
});

const types = new pg.TypeOverrides();
for (const [type, parse] of Object.entries(parsers))
  types.setTypeParser(Number(type), parse as (text: string) => unknown);

async function connected(settings: pg.PoolConfig = {}) {
  const pool = new pg.Pool({ max: 1, types, connectionString: server.url('postgres'), ...settings });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  guard(pool, { startLimit: 500 });
  const client = await pool.connect();
  onTestFinished(() => {
    client.release(); // a test that failed has not
    return pool.end();
  });
  return { pool, client };
}

/** What the client receives goes through `cut`, which says in which pieces it arrives. */
function receiving(client: pg.PoolClient, cut: (piece: Buffer) => Buffer[]): void {
  const stream = streamOf(client);
  const emit = stream.emit.bind(stream);
  stream.emit = ((event: string, ...given: unknown[]) => {
    if (event !== 'data') return emit(event, ...given);
    for (const piece of cut(given[0] as Buffer)) emit('data', piece);
    return true;
  }) as typeof stream.emit;
}

const byteByByte = (piece: Buffer) => Array.from(piece, (_, at) => piece.subarray(at, at + 1));

const named = (text: string, values: unknown[] = [], name = text) => ({ name, text, values });

const TYPES = `
  select number, $1::bigint as whole, $2::numeric as fraction, $3::text as text, $4::timestamptz as instant,
    $5::boolean as flag, not $5 as other, $12::timestamptz as old, $13::timestamptz as never, -$1 as negative,
    2::int2 as small, $6::uuid as id, $7::bigint[] as numbers, $8::text[] as texts, $9::date as day,
    $10::jsonb as json, $11::text as nothing, ''::text as empty
  from generate_series(1, 3) as number`;

const VALUES = [
  9_007_199_254_740_991,
  '0.10',
  'Zoë 🏊 "swims"\\\n',
  new Date('2026-02-28T23:59:59.123Z'),
  true,
  'a3bb189e-8bf9-3888-9912-ace4e6543002',
  [1, 2],
  ['a', 'b,"c"\\', '', '{}', 'NULL'],
  '2024-02-29',
  '{"a":[1,null]}',
  null,
  '1815-12-10 00:00:00.000999+00',
  'infinity',
];

describe('A statement of a hot path', () => {
  it.each([
    ['whole', (piece: Buffer) => [piece]],
    ['byte by byte', byteByByte],
  ])('is answered as pg would answer it, when the answer arrives %s', async (_how, cut) => {
    const { client } = await connected();
    const { rows } = await client.query(TYPES, VALUES);
    receiving(client, cut);
    for (let time = 0; time < 3; time += 1)
      expect((await client.query(named(TYPES, VALUES))).rows).toEqual(rows);
    expect((await client.query(TYPES, VALUES)).rows).toEqual(rows);
    client.release();
  });

  it('may return nothing', async () => {
    const { client } = await connected();
    for (const text of ['select 1 where false', 'create temporary table notes (id int)'])
      expect((await client.query(named(text))).rows).toEqual([]);
    client.release();
  });

  it('is prepared once for each connection', async () => {
    const { client } = await connected();
    for (const by of [1, 2]) {
      const { rows } = await client.query(named('select 4 / $1::int as result', [by], 'division'));
      expect(rows).toEqual([{ result: 4 / by }]);
    }
    const { rows } = await client.query(
      'select name, generic_plans + custom_plans as plans from pg_prepared_statements',
    );
    expect(rows).toEqual([{ name: 'division_1', plans: 2 }]);
    client.release();
  });

  it.each([
    ['when it is carried out', 'select 1 / $1::int as result', [0], '22012'],
    ['when it is prepared', 'select nothing', [], '42703'],
    ['for its constraint', 'insert into numbers values ($1)', [1], '23505'],
  ])('that fails %s says why, and the connection goes on', async (_when, text, values, code) => {
    const { client, pool } = await connected();
    await client.query('create temporary table numbers (id int constraint one_of_each unique)');
    await client.query('insert into numbers values (1)');
    for (let time = 0; time < 2; time += 1) {
      const failed = client.query(named(text, values));
      await expect(failed).rejects.toMatchObject({ severity: 'ERROR', code, outcome: 'NOT_APPLIED' });
    }
    expect((await client.query(named('select 1 as one'))).rows).toEqual([{ one: 1 }]);
    expect((await client.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
    const { rows } = await client.query('select statement from pg_prepared_statements order by prepare_time');
    const kept = code === '42703' ? [] : [text];
    expect(rows.map(({ statement }) => statement)).toEqual([...kept, 'select 1 as one']);
    client.release();
    expect(pool.idleCount).toBe(1);
  });

  it('names the constraint that it violates', async () => {
    const { client } = await connected();
    await client.query('create temporary table numbers (id int constraint positive check (id > 0))');
    const failed = client.query(named('insert into numbers values ($1)', [-1]));
    await expect(failed).rejects.toMatchObject({ code: '23514', constraint: 'positive', table: 'numbers' });
    client.release();
  });

  it.each([
    ['a narrower type', '$1::int4 as id', 'A value has 4 bytes instead of 8'],
    ['a wider type', '$1::numeric as id', 'A value has 10 bytes instead of 8'],
    ['more columns', '$1::int8 as id, 2 as two', 'A row has 2 columns instead of 1'],
  ])(
    'whose name was given to one of %s fails, and its connection is dropped',
    async (_of, other, message) => {
      const { client, pool } = await connected();
      const ask = () => client.query(named('select $1::int8 as id', ['7'], 'ids'));
      expect((await ask()).rows).toEqual([{ id: 7 }]);
      const { rows } = await client.query('select name from pg_prepared_statements');
      await client.query(`deallocate "${rows[0].name}"`);
      await client.query(`prepare "${rows[0].name}" as select ${other}`);
      await expect(ask()).rejects.toThrow(message);
      expect(pool.totalCount).toBe(0);
    },
  );

  it('hears why the server ended its connection, which is replaced', async () => {
    const { client, pool } = await connected();
    const failed = client.query(named('select pg_terminate_backend(pg_backend_pid())'));
    await expect(failed).rejects.toMatchObject({ code: '57P01' });
    expect(pool.totalCount).toBe(0);
  });

  it('that is not answered in time is given up, with its connection', async () => {
    const { client, pool } = await connected({ query_timeout: 200 });
    const failed = client.query(named('select pg_sleep(60)'));
    await expect(failed).rejects.toThrow('Query read timeout');
    expect(pool.totalCount).toBe(0);
  });

  it.each([
    ['reads', 'select', 'NOT_APPLIED'],
    ['writes', 'insert into pg_temp.numbers select', 'UNKNOWN'],
  ])('that %s and whose connection is cut within the answer ends at once', async (_what, verb, outcome) => {
    const proxy = await startProxy(Number(new URL(server.url('postgres')).port));
    onTestFinished(() => proxy.stop());
    const { client, pool } = await connected({ connectionString: proxy.through(server.url('postgres')) });
    await client.query('create temporary table numbers (id int)');
    proxy.cutAfter(2_000, 'toClient');
    const text = `${verb} number from generate_series(1, 100000) as number`;
    const asked = client.query(named(verb === 'select' ? text : `${text} returning id`));
    const error = await asked.catch((error: unknown) => error);
    expect(refusalOf(error)?.details).toMatchObject({ outcome });
    expect(pool.totalCount).toBe(0);
  });
});

it('A message that arrives in two parts, with a statement in between, reaches whom it is for', async () => {
  const { client } = await connected();
  await client.query('listen news');
  const heard: unknown[] = [];
  client.on('notification', ({ payload }) => heard.push(payload));
  let held: Buffer | undefined = Buffer.alloc(0);
  let arrived = 0;
  receiving(client, (piece) => {
    arrived += 1;
    if (held === undefined) return [piece];
    const bytes = Buffer.concat([held, piece]);
    held = arrived === 1 ? bytes.subarray(7) : undefined;
    return [held ? bytes.subarray(0, 7) : bytes];
  });
  const { client: other } = await connected();
  await other.query("notify news, 'Rain'");
  await eventually(() => arrived === 1);
  expect((await client.query(named('select 1 as one'))).rows).toEqual([{ one: 1 }]);
  expect(heard).toEqual(['Rain']);
  expect((await client.query(named('select 1 as one'))).rows).toEqual([{ one: 1 }]);
  client.release();
  other.release();
});

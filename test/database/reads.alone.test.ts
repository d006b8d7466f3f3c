import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { asRequest, currentRequest, READ_LIMIT_BYTES } from '../../src/base/request.js';
import type { Database } from '../../src/database/database.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { statement } from '../../src/database/statement.js';
import { eventually } from '../support/eventually.js';
import { withServer } from '../support/with-server.js';

const server = withServer();
let url: string;
let direct: pg.Client;
let database: Database;

beforeAll(async () => {
  url = await server.newDatabase();
  database = await openServer(model, { url, poolSize: 10, patience: unhurried });
  direct = new pg.Client(url);
  await direct.connect();
  await direct.query('create table things (id int); insert into things values (1)');
  await connections(2);
  return async () => {
    await direct.end();
    await database.close();
  };
});

const raw = (text: string) =>
  statement((_: Kysely<unknown>, _values: object) => sql<Record<string, unknown>>`${sql.raw(text)}`);

const echo = statement(
  (_: Kysely<unknown>, { text }: { text: string }) => sql<{ text: string }>`select ${text}::text as text`,
);

const run = (text: string) => database.run(raw(text), {});
const things = () => run('select id from things');

/** Asks until there are so many. Returns the numbers of their processes on the server, which may still end others. */
async function connections(count: number, others = new Set<number>()): Promise<number[]> {
  let pids: number[] = [];
  await eventually(async () => {
    await things();
    const { rows } = await direct.query(
      "select pid from pg_stat_activity where datname = current_database() and application_name = 'steady reads'",
    );
    pids = rows.map(({ pid }) => pid).filter((pid) => !others.has(pid));
    return pids.length === count;
  });
  return pids;
}

const asAna = <T>(work: () => Promise<T>) => asRequest(60_000, work, 'ana');

describe('Reads of hot paths', () => {
  it('share few connections, each answered for itself', async () => {
    await eventually(async () => {
      const rows = await Promise.all(Array.from({ length: 50 }, () => run('select pg_backend_pid() as pid')));
      const used = new Set(rows.flat().map(({ pid }) => pid));
      const own = new Set<unknown>(await connections(2));
      return [...used].every((pid) => own.has(pid)); // on a busy machine some are asked again over the pool
    });
    const texts = Array.from({ length: 200 }, (_, index) => `${index}`);
    const answers = await Promise.all(texts.map((text) => database.run(echo, { text })));
    expect(answers).toEqual(texts.map((text) => [{ text }]));
  });

  it('fail alone, and say why as over the pool', async () => {
    const divide = statement(
      (_: Kysely<unknown>, { by }: { by: number }) => sql<{ one: number }>`select 1 / ${by}::int as one`,
    );
    const asked: Promise<object[]>[] = [1, 0, 1].map((by) => database.run(divide, { by }));
    const answers = await Promise.allSettled([...asked, run('select nothing')]);
    expect(answers).toMatchObject([
      { value: [{ one: 1 }] },
      { reason: { code: '22012', severity: 'ERROR', outcome: 'NOT_APPLIED' } },
      { value: [{ one: 1 }] },
      { reason: { code: '42703' } },
    ]);
    await connections(2);
  });

  it('are all answered though the server ends their connections again and again', async () => {
    let [asked, isOver] = [0, false];
    const busy = Array.from({ length: 20 }, async (_, index) => {
      for (let time = 0; !isOver; time += 1, asked += 1) {
        const text = `${index} ${time}`;
        expect(await database.run(echo, { text })).toEqual([{ text }]);
      }
    });
    const ended = new Set<number>();
    for (let round = 0; round < 4; round += 1) {
      const before = asked;
      const pids = await connections(2, ended);
      for (const pid of pids) ended.add(pid);
      await direct.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);
      await eventually(() => asked > before + 100);
    }
    isOver = true;
    await Promise.all(busy);
    expect(ended.size).toBe(8);
  });

  it('count towards what their request may read, and too much is refused', async () => {
    const tooMuch = { kind: 'tooMuch', details: { size: { maximum: READ_LIMIT_BYTES } } };
    const megabytes = (count: number) =>
      run(`select repeat('x', 1000000) as text from generate_series(1, ${count})`);
    await asAna(async () => {
      expect(await megabytes(5)).toHaveLength(5);
      expect(currentRequest()?.read).toBeGreaterThan(5_000_000);
      await expect(megabytes(20)).rejects.toMatchObject(tooMuch);
      await expect(things()).rejects.toMatchObject(tooMuch);
    });
    expect(await asAna(things)).toEqual([{ id: 1 }]);
  });

  it('that are large come one after the other for each user, so that others are answered first', async () => {
    await connections(2);
    const texts = "repeat('x', 1000000) as text from generate_series(1, 4)";
    const large = () => asAna(() => run(`select pg_advisory_xact_lock_shared(4711)::text, ${texts}`));
    /** Those that are asked again over the pool wait there. */
    const waiting = async () => {
      const { rows } = await direct.query(
        "select from pg_stat_activity where datname = current_database() and application_name = 'steady' and wait_event = 'advisory'",
      );
      return rows.length;
    };
    await large();
    await direct.query('select pg_advisory_lock(4711)');
    const lists = Array.from({ length: 8 }, large);
    await eventually(async () => (await waiting()) > 0);
    for (let time = 0; time < 3; time += 1)
      expect(await asRequest(60_000, things, 'ben')).toEqual([{ id: 1 }]);
    expect(await waiting()).toBe(1);
    await direct.query('select pg_advisory_unlock(4711)');
    for (const rows of await Promise.all(lists)) expect(rows).toHaveLength(4);
  });

  it('are planned anew after a migration has changed what they answer', async () => {
    const all = () => run('select * from changing');
    await direct.query('create table changing as select 1 as id');
    for (let time = 0; time < 4; time += 1) expect(await all()).toEqual([{ id: 1 }]);
    await direct.query('alter table changing add column name text');
    for (let time = 0; time < 4; time += 1) expect(await all()).toEqual([{ id: 1, name: null }]);
  });
});

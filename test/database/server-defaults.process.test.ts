import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { statement } from '../../src/database/statement.js';
import { readConfig } from '../../src/features/settings.js';
import { examine } from '../../src/operation/doctor/examination.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { type PostgresServer, startAsItComes } from '../support/server.js';
import { TestClock } from '../support/world.js';

// The server has PostgreSQL's own settings: jit, work_mem, parallel workers, shared_buffers, all of them.

let server: PostgresServer;

beforeAll(async () => {
  server = await startAsItComes();
  return server.stop;
});

let count = 0;

async function newDatabase() {
  count += 1;
  const name = `own_${count}`;
  await server.execute(`create database ${name}`);
  return {
    url: server.url(name),
    set: (what: string) => server.execute(`alter database ${name} set ${what}`),
  };
}

it('On a server as it comes no session of ours compiles statements, or writes days in another way', async () => {
  const { url, set } = await newDatabase();
  await set("datestyle = 'German'");
  const other = new pg.Client(url);
  await other.connect();
  onTestFinished(() => other.end());
  expect((await other.query('show jit')).rows).toEqual([{ jit: 'on' }]);
  const database = await openDatabase(readConfig({ DATABASE_URL: url }));
  onTestFinished(() => database.close());
  const asked = sql<{ jit: string; day: string }>`
    select current_setting('jit') as jit, date '2026-11-22' as day`;
  const ours = [{ jit: 'off', day: '2026-11-22' }];
  expect((await asked.execute(database.query())).rows).toEqual(ours);
  expect(await database.snapshot(async (query) => (await asked.execute(query)).rows)).toEqual(ours);
  const read = statement((_query, _: object) => asked);
  for (let turn = 0; turn < 3; turn += 1) expect(await database.run(read, {})).toEqual(ours);
});

it('On a server as it comes the doctor finds all in order, and names what a database changes', async () => {
  const { url, set } = await newDatabase();
  const found = async () =>
    (await examine(new TestClock(), { DATABASE_URL: url }))
      .filter(({ about }) => about === 'settings')
      .map(({ state, message }) => [state, message]);
  expect(await found()).toEqual([['ok', expect.any(String)]]);
  for (const what of ['synchronous_commit = off', 'array_nulls = off']) await set(what);
  expect(await found()).toEqual([
    ['warning', expect.stringMatching(/^array_nulls is off: /)],
    ['warning', expect.stringMatching(/^synchronous_commit is off: /)],
  ]);
});

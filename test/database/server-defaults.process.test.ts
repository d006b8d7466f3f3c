import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.js';
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

async function newDatabase(): Promise<string> {
  count += 1;
  await server.execute(`create database own_${count}`);
  return server.url(`own_${count}`);
}

const open = async (url: string, config = readConfig({ DATABASE_URL: url })): Promise<Database> => {
  const database = await openDatabase({ ...config, databaseUrl: url });
  onTestFinished(() => database.close());
  return database;
};

describe('On a server as it comes', () => {
  it('no session of ours compiles statements, or writes days in another way', async () => {
    const url = await newDatabase();
    await server.execute(`alter database own_${count} set datestyle = 'German'`);
    const other = new pg.Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    expect((await other.query('show jit')).rows).toEqual([{ jit: 'on' }]);
    const database = await open(url);
    const asked = sql<{ jit: string; day: string }>`
      select current_setting('jit') as jit, date '2026-11-22' as day`;
    const ours = [{ jit: 'off', day: '2026-11-22' }];
    expect((await asked.execute(database.query())).rows).toEqual(ours);
    expect(await database.snapshot(async (query) => (await asked.execute(query)).rows)).toEqual(ours);
    const read = statement((_query, _: object) => asked);
    for (let turn = 0; turn < 3; turn += 1) expect(await database.run(read, {})).toEqual(ours);
  });

  it('the doctor finds all in order, and names what a database changes', async () => {
    const DATABASE_URL = await newDatabase();
    const found = async () =>
      (await examine(new TestClock(), { DATABASE_URL }))
        .filter(({ about }) => about === 'settings')
        .map(({ state, message }) => [state, message]);
    expect(await found()).toEqual([['ok', expect.any(String)]]);
    await server.execute(`alter database own_${count} set synchronous_commit = off`);
    await server.execute(`alter database own_${count} set array_nulls = off`);
    expect(await found()).toEqual([
      ['warning', expect.stringMatching(/^array_nulls is off: /)],
      ['warning', expect.stringMatching(/^synchronous_commit is off: /)],
    ]);
  });
});

import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { openServer } from '../../src/database/server/open.js';
import { configOf } from '../support/database.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { world } from '../support/world.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

it.each([
  [true, "/*request='my-list.1'*/"],
  [false, undefined],
])('With SQL_COMMENTS=%s, the comment at the end of a statement is %s', async (comments, comment) => {
  const name = `comments_${comments}`;
  await server.execute(`create database ${name}`);
  const { patience } = configOf().timeouts;
  const database = await openServer(model, { url: server.url(name), poolSize: 1, patience, comments });
  onTestFinished(() => database.close());
  const { newUser } = await world({ database });
  const ana = await newUser();
  await ana.hasTask();
  for (let time = 0; time < 2; time += 1)
    expect((await ana.rest.get('/api/tasks/me', { 'x-request-id': 'my-list.1' })).status).toBe(200);
  const client = new pg.Client(server.url('postgres'));
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    'select query from pg_stat_activity where datname = $1 and query like $2',
    [name, '%from "tasks"%'],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { query } of rows) expect(/\/\*.*\*\/$/.exec(query)?.[0]).toBe(comment);
});

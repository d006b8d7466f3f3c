import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';
import { SECRET, signUp } from '../support/world.js';
import { agentWith, habitOf, tokenOf } from './agent.js';

const server = withServer();

it('Two processes of the built service that are asked at once count a completion once', async () => {
  const DATABASE_URL = await server.newDatabase();
  const start = () =>
    startService({ DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET }).listening();
  const here = await start();
  const there = await start();
  const ana = await signUp(here);
  const habit = await habitOf(ana);
  const token = await tokenOf(ana, ['READ', 'COMPLETIONS']);
  const agents = [await agentWith(here.base, token), await agentWith(there.base, token)];

  const direct = new pg.Client(DATABASE_URL);
  await direct.connect();
  onTestFinished(() => direct.end());
  await direct.query('begin');
  await direct.query('select from user_progress where user_id = $1 for no key update', [ana.id]);
  const calls = [...agents, ...agents, ...agents].map((agent) => agent.does('complete', { habit: 'swim' }));
  // All have looked back, and found nothing, before one of them is recorded.
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await direct.query(waiting)).rowCount === calls.length;
  });
  await direct.query('commit');
  const repeated = (await Promise.all(calls)).map(({ isRepeated }) => isRepeated).sort();
  expect(repeated).toEqual([false, true, true, true, true, true]);
  const { task } = await ana.query(`{ task(id: "${habit}") { completionCount } }`);
  expect(task.completionCount).toBe(1);
});

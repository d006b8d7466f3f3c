import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';
import { SECRET, signUp, TestUser } from '../support/world.js';

const server = withServer();

const ONCE = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key, once: true) { isReplayed task { completionCount } user { points } }
}`;

it('Two processes of the built service count a habit once that is tapped on two devices at once', async () => {
  const DATABASE_URL = await server.newDatabase();
  const start = () =>
    startService({ DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET }).listening();
  const here = await start();
  const there = await start();
  const ana = await signUp(here);
  const devices = [ana, new TestUser(there.base, ana.token, ana.account)];
  const { id } = await ana.hasTask();

  const direct = new pg.Client(DATABASE_URL);
  await direct.connect();
  onTestFinished(() => direct.end());
  await direct.query('begin');
  await direct.query('select from user_progress where user_id = $1 for no key update', [ana.id]);
  const taps = Array.from({ length: 6 }, (_, number) =>
    devices[number % 2]?.query(ONCE, { id, key: number < 2 ? undefined : `tap-${number}` }),
  );
  // All have begun before one of them is recorded.
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await direct.query(waiting)).rowCount === taps.length;
  });
  await direct.query('commit');
  const done = (await Promise.all(taps)).map(({ completeTask }) => completeTask);
  expect(done.map(({ isReplayed }) => isReplayed).sort()).toEqual([false, true, true, true, true, true]);
  for (const { task, user } of done) expect([task.completionCount, user.points]).toEqual([1, 10]);
});

import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { freePort } from '../support/port.js';
import { startService } from '../support/process.js';
import { startProxy } from '../support/proxy.js';
import { withServer } from '../support/with-server.js';
import { SECRET, signUp } from '../support/world.js';

const server = withServer();

it('A service whose DATABASE_DIRECT_URL leads nowhere for a while serves requests, says that it hears nothing, refuses who signed out, and hears again by itself', async () => {
  const url = await server.newDatabase();
  const direct = await startProxy(Number(new URL(url).port));
  onTestFinished(() => direct.stop());
  const metricsPort = await freePort();
  const settings = { DATABASE_URL: url, JWT_SECRET: SECRET, WORKERS: '1' };
  const here = await startService(settings).listening();
  const deaf = startService({
    ...settings,
    DATABASE_DIRECT_URL: direct.through(url),
    METRICS_PORT: `${metricsPort}`,
  });
  const there = await deaf.listening();
  const heard = async () =>
    /^steady_announcements_heard (\d)$/m.exec(
      await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    )?.[1];
  const ana = await signUp(here);
  const { token } = (await here.post('/api/auth/login', ana.account)).body;
  const task = await ana.hasTask();
  const statusOf = async () => (await there.as(token).get('/api/tasks/me')).status;
  expect([await statusOf(), await heard()]).toEqual([200, '1']);
  const opened = await streamOf({ base: there.base, token: (await signUp(here)).token }, PROGRESS);
  let isOver = false;
  const over = () => (isOver = true);
  opened.next().then(over, over);

  direct.refuse();
  direct.reset();
  await eventually(async () => (await heard()) === '0');
  await eventually(() => /Changes that other processes announce are not heard/.test(deaf.output));
  expect((await there.get('/health/ready')).status).toBe(200);
  const completed = await there.as(token).post('/api/task-completions', { task_id: task.id });
  expect(completed.status).toBe(201);
  await ana.query('mutation { signOutEverywhere { token } }');
  await eventually(async () => (await statusOf()) === 401);
  expect(isOver).toBe(false);

  await direct.accept();
  await eventually(async () => (await heard()) === '1');
  await eventually(() => isOver); // its client subscribes again, and looks
});

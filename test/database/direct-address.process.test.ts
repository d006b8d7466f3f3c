import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { freePort } from '../support/port.js';
import { launch, type ServiceProcess } from '../support/process.js';
import { startProxy, type TcpProxy } from '../support/proxy.js';
import { withServer } from '../support/with-server.js';
import { type RestClient, SECRET, TestUser } from '../support/world.js';

describe('A service whose DATABASE_DIRECT_URL leads nowhere for a while', () => {
  const server = withServer();
  let direct: TcpProxy;
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  const processes: ServiceProcess[] = [];
  let here: RestClient;
  let there: RestClient;
  let metricsPort = 0;

  beforeAll(async () => {
    const url = await server.newDatabase();
    direct = await startProxy(Number(new URL(url).port));
    const start = (name: string, environment: Record<string, string> = {}) => {
      const settings = { DATABASE_URL: url, DATA_DIR: path.join(folder, name), JWT_SECRET: SECRET };
      const process = launch('dist/src/main.js', { ...settings, WORKERS: '1', ...environment });
      processes.push(process);
      return process.listening();
    };
    here = await start('here');
    metricsPort = await freePort();
    there = await start('there', {
      DATABASE_DIRECT_URL: direct.through(url),
      METRICS_PORT: String(metricsPort),
    });
  });
  afterAll(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await direct?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const heard = async () =>
    /^steady_announcements_heard (\d)$/m.exec(
      await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    )?.[1];

  it('serves requests, says that it hears nothing, refuses who signed out, and hears again by itself', async () => {
    const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
    const signedUp = (await here.post('/api/auth/signup', account)).body;
    const ana = new TestUser(here.base, signedUp.token, { ...signedUp.user, ...account });
    const { token } = (await here.post('/api/auth/login', account)).body;
    const task = await ana.hasTask();
    expect([(await there.as(token).get('/api/tasks/me')).status, await heard()]).toEqual([200, '1']);

    const ben = (await here.post('/api/auth/signup', { ...account, email: 'ben@example.com' })).body;
    const opened = await streamOf({ base: there.base, token: ben.token }, PROGRESS);
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    opened.next().then(over, over);

    direct.refuse();
    direct.reset();
    await eventually(async () => (await heard()) === '0');
    const [, process] = processes;
    await eventually(() => /Changes that other processes announce are not heard/.test(process?.output ?? ''));
    expect((await there.get('/health/ready')).status).toBe(200);
    const completed = await there.as(token).post('/api/task-completions', { task_id: task.id });
    expect(completed.status).toBe(201);
    await ana.query('mutation { signOutEverywhere { token } }');
    await eventually(async () => (await there.as(token).get('/api/tasks/me')).status === 401);
    expect(isOver).toBe(false);

    await direct.accept();
    await eventually(async () => (await heard()) === '1');
    await eventually(() => isOver); // its client subscribes again, and looks
  });
});

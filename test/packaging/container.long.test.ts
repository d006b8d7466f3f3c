import { readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { childrenOf } from '../support/children.js';
import { HEALTH, Image, START } from '../support/image.js';
import type { ServiceProcess } from '../support/process.js';
import { needs } from '../support/tools.js';
import { RestClient } from '../support/world.js';

let image: Image;
beforeAll(() => {
  image = new Image();
});
afterAll(() => image?.remove());

function start(): ServiceProcess {
  const service = image.run(START, { PORT: '0' });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  return service;
}

const apiOf = async (service: ServiceProcess) =>
  new RestClient((await service.listening()).base.replace('localhost', '127.0.0.1'));

/** The engine signals the first process of the container, which `unshare` itself is not. */
function stop(service: ServiceProcess): Promise<number | null> {
  const [node] = childrenOf(service.child);
  process.kill(node as number, 'SIGTERM');
  return service.exited;
}

describe('What the image holds', needs('leave to mount a disk'), () => {
  it('starts without a setting, keeps all at SIGTERM, and goes on with it', async () => {
    const first = start();
    const api = await apiOf(first);
    const account = { name: 'Ana', email: 'ana@example.com', password: 'one step a day' };
    const { status, body } = await api.post('/api/auth/signup', account);
    expect(status, first.output).toBe(201);
    const ana = api.as(body.token);
    const task = await ana.post('/api/tasks', { title: 'Swim 1 km' });
    expect((await api.get('/api/docs/')).status).toBe(200);

    const health = image.run(HEALTH, { PORT: new URL(api.base).port });
    expect(await health.exited, health.output).toBe(0);

    // Under way when the signal comes.
    const writes = Array.from({ length: 20 }, () =>
      ana.post('/api/task-completions', { task_id: task.body.id }),
    );
    await Promise.race(writes);
    const ended = stop(first);
    const answers = await Promise.allSettled(writes);
    const told = answers.filter((each) => each.status === 'fulfilled' && each.value.status === 201).length;
    expect(await ended, first.output).toBe(0);
    expect(told).toBeGreaterThan(0);

    const secret = image.dataFile('jwt-secret');
    expect(readFileSync(secret, 'utf8')).toMatch(/^[\w-]{64}$/);
    expect(statSync(secret).mode & 0o777).toBe(0o600);

    const second = start();
    const again = (await apiOf(second)).as(body.token); // signed with the same secret
    const { data } = (await again.post('/graphql', { query: '{ completions { totalCount } }' })).body;
    expect(data.completions.totalCount).toBeGreaterThanOrEqual(told);
    expect(await stop(second)).toBe(0);
    const checked = image.run(HEALTH, { PORT: new URL(api.base).port });
    expect(await checked.exited, checked.output).toBe(1);
  });

  it('can write nothing but /data and /tmp', async () => {
    const script = `for (const folder of ['/', '/usr/local/lib/node_modules/steady', '/usr/bin', '/data', '/tmp'])
      try { require('node:fs').writeFileSync(folder + '/x', ''); console.log(folder); } catch {}`;
    const tried = image.run(['node', '--eval', script], {});
    await tried.exited;
    expect(tried.output).toBe('/data\n/tmp\n');
  });

  it('runs commands by their name, as nobody', async () => {
    const said = image.run([...START, 'doctor'], { JWT_SECRET_FILE: '/data/other-secret' });
    expect(await said.exited, said.output).toBe(0);
    expect(said.output).toMatch(/ok +versions +Steady \d/);
    const account = image.run(['node', '--print', 'process.getuid() + process.execPath'], {});
    await account.exited;
    expect(account.output).toBe('65532/usr/local/bin/node\n');
  });

  it('has at most 250 MB, a shell, and no compiler, package manager or other program', () => {
    expect(image.files('{bin,sbin,usr/bin,usr/sbin,usr/local/bin}/*').sort()).toEqual([
      ...['bin/sh', 'usr/bin/env', 'usr/local/bin/node', 'usr/local/bin/steady'],
    ]);
    expect(image.files('usr/local/lib/node_modules/*')).toEqual(['usr/local/lib/node_modules/steady']);
    const ofBase = 40_000_000; // glibc, libstdc++, certificates, time zones: more than they are
    expect(image.size() + ofBase).toBeLessThan(250_000_000);
  });
});

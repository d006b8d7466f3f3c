import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { previousRelease } from '../support/previous-release.js';
import { launch, run, startService, temporaryFolder } from '../support/process.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { needs, released } from '../support/tools.js';
import { RestClient, SECRET } from '../support/world.js';

/** Of its tests, those that say most about the tables in little time. `npm run test:all -- previous` runs all. */
const ENOUGH = ['tasks-rest', 'completions-rest', 'tasks-graphql', 'accounts-rest', 'streaks/fields'];

describe(`Beside the last release, ${released.version}`, needs('the history of the repository'), () => {
  let server: PostgresServer;
  let before: ReturnType<typeof previousRelease>;
  beforeAll(async () => {
    before = previousRelease();
    const built = spawnSync(process.execPath, ['scripts/build.js'], { cwd: before.folder, encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.stop();
    before.remove();
  });

  it('this one migrates, both count every completion, and what the last one does not know is mended', async () => {
    await server.execute('create database rolling template template0');
    const environment = {
      DATABASE_URL: server.url('rolling'),
      DATA_DIR: temporaryFolder(),
      JWT_SECRET: SECRET,
      REQUEST_TIMEOUT: '60000', // the last release does not let a sign-up wait on a busy machine
    };
    const old = launch(path.join(before.folder, 'dist/src/main.js'), environment);
    onTestFinished(() => void old.child.kill('SIGKILL'));
    const { base } = await old.listening();
    const ana = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
    const { token } = (await new RestClient(base).post('/api/auth/signup', ana)).body;
    const onOld = new RestClient(base, token);
    const { id: swim } = (await onOld.post('/api/tasks', { title: 'Swim', points: 3 })).body;
    const onNew = (await startService(environment).listening()).as(token);
    const { id: run_ } = (await onOld.post('/api/tasks', { title: 'Run', points: 4 })).body;
    for (const [service, task_id] of [
      [onOld, swim],
      [onNew, swim],
      [onNew, run_],
      [onOld, run_],
      [onOld, swim],
    ] as const)
      expect(await service.post('/api/task-completions', { task_id })).toMatchObject({ status: 201 });
    const { id: read } = (await onNew.post('/api/tasks', { title: 'Read', points: 5 })).body;
    expect(await onOld.post('/api/task-completions', { task_id: read })).toMatchObject({ status: 201 });
    const profiles = await Promise.all([onOld, onNew].map((service) => service.get('/api/user/profile')));
    expect(profiles.map(({ body }) => body.points)).toEqual([22, 22]);
    expect(await old.stop()).toBe(0);

    const verify = run('commands/streaks-verify.js', environment);
    expect(await verify.exited).toBe(1);
    expect(verify.output).toMatch(/^longest task run: 1 wrong\n.*\ntask run: 1 wrong\n.*\n$/);
    expect(await run('commands/streaks-verify.js', environment, ['--fix']).exited).toBe(0);
    const again = run('commands/streaks-verify.js', environment);
    expect([await again.exited, again.output]).toEqual([0, 'Every counter agrees with its history.\n']);
  });

  it('its tests pass on the tables of this one', () => {
    const { PATH, HOME } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/test-all.ts', 'previous', ...ENOUGH],
      { encoding: 'utf8', env: { PATH, HOME } }, // those of this test would be taken for its own
    );
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/Tests .*\d{2,} passed/);
  });
});

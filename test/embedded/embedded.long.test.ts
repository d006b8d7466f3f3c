import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import type { RestClient } from '../support/world.js';

const ana = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };

async function signUp(rest: RestClient): Promise<RestClient> {
  const { body } = await rest.post('/api/auth/signup', ana);
  return rest.as(body.token);
}

const COMPLETIONS = `query ($after: String) {
  completions(first: 100, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
}`;

/** The ids of all completions. */
async function completionsOf(user: RestClient): Promise<number[]> {
  const ids: number[] = [];
  for (let after: string | null = null; ; ) {
    const { body } = await user.post('/graphql', { query: COMPLETIONS, variables: { after } });
    const { nodes, pageInfo } = body.data.completions;
    ids.push(...nodes.map(({ id }: { id: string }) => Number(id)));
    if (!pageInfo.hasNextPage) return ids;
    after = pageInfo.endCursor;
  }
}

/** In a full run of the tests. KILLS=20 takes some two minutes. */
const KILLS = Number(process.env.KILLS ?? 8);

describe('The embedded database', () => {
  it('keeps data and tokens across restarts', async () => {
    const DATA_DIR = temporaryFolder();
    const first = startService({ DATA_DIR });
    const user = await signUp(await first.listening());
    await user.post('/api/tasks', { title: 'Swim' });
    expect(await first.stop()).toBe(0);

    const second = startService({ DATA_DIR });
    const again = (await second.listening()).as(user.token ?? '');
    expect((await again.get('/api/tasks/me')).body).toMatchObject([{ task: { title: 'Swim' } }]);
  });

  it('loses no acknowledged write, and is ready soon, when it is killed again and again while writing', async () => {
    const DATA_DIR = dataDirectory();
    let service = startService({ DATA_DIR });
    let user = await signUp(await service.listening());
    const token = user.token ?? '';
    const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
    const acknowledged = new Set<number>();

    for (let round = 1; round <= KILLS; round += 1) {
      const enough = acknowledged.size + 10 + round; // so that the kill does not come at the same point each time
      const write = async () => {
        for (;;) {
          const { status, body } = await user.post('/api/task-completions', { task_id: task.id });
          if (status === 201) acknowledged.add(body.id);
          if (acknowledged.size >= enough) service.child.kill('SIGKILL');
        }
      };
      await Promise.allSettled([write(), write(), write(), write()]);
      await service.exited;
      service = startService({ DATA_DIR });
      user = (await service.listening()).as(token);
      expect((await user.get('/health/ready')).status).toBe(200);
    }

    const recorded = await completionsOf(user);
    expect(recorded).toEqual(expect.arrayContaining([...acknowledged]));
    expect((await user.get('/api/tasks/me')).body[0].completion_count).toBe(recorded.length);
    expect((await user.get('/api/user/profile')).body.points).toBe(10 * recorded.length);
  });

  it('refuses a second process on the same directory, and the first loses nothing', async () => {
    const DATA_DIR = dataDirectory();
    const first = startService({ DATA_DIR });
    const user = await signUp(await first.listening());
    const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
    let isOver = false;
    let done = 0;
    const writing = (async () => {
      for (; !isOver; done += 1)
        expect((await user.post('/api/task-completions', { task_id: task.id })).status).toBe(201);
    })();

    const second = startService({ DATA_DIR });
    expect(await second.exited).toBe(1);
    expect(second.output).toBe(
      `DATA_DIR ${DATA_DIR} is open in another process (${first.child.pid}), such as the service itself: the embedded database takes one at a time. Stop that process, or choose another directory.\n`,
    );
    isOver = true;
    await writing;
    expect(await completionsOf(user)).toHaveLength(done);
  });

  it("refuses a directory that is not Steady's and leaves it as it is", async () => {
    const DATA_DIR = temporaryFolder();
    mkdirSync(DATA_DIR);
    writeFileSync(path.join(DATA_DIR, 'thesis.txt'), 'precious');
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^DATA_DIR \S+ holds something that is not Steady's\. .+\n$/);
    expect(readdirSync(DATA_DIR)).toEqual(['thesis.txt']);
    expect(readFileSync(path.join(DATA_DIR, 'thesis.txt'), 'utf8')).toBe('precious');
  });

  it('is made anew when the process was killed while making it', async () => {
    const DATA_DIR = temporaryFolder();
    const killed = run('commands/migrate.js', { DATA_DIR });
    const isBegun = () =>
      existsSync(DATA_DIR) && globSync('postgres.new-*/base', { cwd: DATA_DIR }).length > 0;
    await eventually(isBegun);
    await killed.stop('SIGKILL');
    expect(readdirSync(DATA_DIR)).not.toContain('postgres');
    expect(await run('commands/migrate.js', { DATA_DIR }).exited).toBe(0);
    expect(readdirSync(DATA_DIR)).toContain('postgres');
  });
});

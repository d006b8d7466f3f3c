import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import type { Database } from '../../src/database/database.js';
import { openEmbedded } from '../../src/database/embedded/open.js';
import { DataDirectory } from '../../src/files/data-directory.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, launch, startService } from '../support/process.js';
import { needs } from '../support/tools.js';

async function open(DATA_DIR = dataDirectory()): Promise<Database> {
  const database = await openEmbedded(model, new DataDirectory(DATA_DIR));
  onTestFinished(() => database.close());
  return database;
}

const ana = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };

const prlimit = (...given: string[]) => spawnSync('prlimit', given).status === 0;

/** From now on nothing can be written beyond the beginning of a file, so not to the log either. */
const spoilLog = (pid: number | undefined) => prlimit('--pid', `${pid}`, '--fsize=4096');

describe('PostgreSQL inside the process', () => {
  it('survives any number of failed statements', async () => {
    const database = await open();
    const query = database.query();
    for (let time = 0; time < 2_500; time += 1)
      await expect(sql`select 1 / 0`.execute(query)).rejects.toMatchObject({ code: '22012' });
    const failing = database.transaction((tx) => tx.execute('select 1 / 0'));
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const [row] = await database.transaction((tx) => tx.execute('select 1 as one'));
    expect(row).toEqual({ one: 1 });
  });

  it('leaves turns of the event loop to everything else between the statements that wait for it', async () => {
    const database = await open();
    let done = 0;
    const count = () => {
      done += 1;
    };
    const statements = Array.from({ length: 50 }, () => sql`select 1`.execute(database.query()).then(count));
    const transactions = Array.from({ length: 50 }, () =>
      database.transaction((tx) => tx.execute('select 1')).then(count),
    );
    const turns: number[] = [];
    while (done < 100) {
      const before = done;
      await new Promise(setImmediate);
      turns.push(done - before);
    }
    await Promise.all([...statements, ...transactions]);
    expect(Math.max(...turns)).toBeLessThanOrEqual(2);
  });

  it('keeps its log short, however much is written', async () => {
    const DATA_DIR = dataDirectory();
    const database = await open(DATA_DIR);
    const toReplay = sql<{ bytes: number }>`
      select (pg_current_wal_insert_lsn() - redo_lsn)::int8 as bytes from pg_control_checkpoint()`;
    const message = sql`pg_logical_emit_message(false, '', repeat('x', 1000000))`;
    for (let time = 0; time < 4; time += 1) {
      await sql`select count(${message}) from generate_series(1, 20)`.execute(database.query());
      await eventually(
        async () => ((await toReplay.execute(database.query())).rows[0]?.bytes ?? 0) <= 2 ** 25,
      );
    }
    const log = readdirSync(path.join(DATA_DIR, 'postgres/pg_wal')).filter((name) => /^\w{24}$/.test(name));
    expect(log.length).toBeLessThanOrEqual(5);
  });

  it.each([
    ['the query builder', 'sql.raw(text).execute(database.query())'],
    ['statements of hot paths', 'database.run(statement(() => sql.raw(text)), {})'],
  ])('carries out no more statements once it has given up, over %s', async (_way, ask) => {
    const DATA_DIR = dataDirectory();
    const script = `
      import { rmSync } from 'node:fs';
      import { sql } from 'kysely';
      import { model } from './dist/modules/mikro-orm.config.js';
      import { DataDirectory } from './dist/modules/src/files/data-directory.js';
      import { openEmbedded } from './dist/modules/src/database/embedded/open.js';
      import { statement } from './dist/modules/src/database/statement.js';
      const onEnd = ({ message }) => console.log('Told:', message);
      const database = await openEmbedded(model, new DataDirectory(process.env.DATA_DIR), { onEnd });
      rmSync(process.env.DATA_DIR + '/postgres/global/pg_control');
      for (const text of ['checkpoint', 'select 1']) await ${ask}.catch(({ code }) => console.log(code));
      process.exit();`;
    const child = launch('--input-type=module', { DATA_DIR }, ['--eval', script]);
    onTestFinished(() => void child.child.kill('SIGKILL'));
    await child.exited;
    expect(child.output).toMatch(
      /^Told: The embedded database has stopped: could not open file .+\n57P02\n57P02\n$/,
    );
  });

  it('ends the service when it gives up, and what was acknowledged is kept', needs('prlimit'), async () => {
    const DATA_DIR = dataDirectory();
    const first = startService({ DATA_DIR });
    const rest = await first.listening();
    const user = rest.as((await rest.post('/api/auth/signup', ana)).body.token);
    const task = (await user.post('/api/tasks', { title: 'Swim' })).body;
    const complete = () => user.post('/api/task-completions', { task_id: task.id });
    expect((await complete()).status).toBe(201);
    spoilLog(first.child.pid);
    await expect(complete()).rejects.toThrow();
    expect(await first.exited).toBe(1);
    expect(first.output).toMatch(/\nThe embedded database has stopped: .+; start it again\.\n$/);

    const again = (await startService({ DATA_DIR }).listening()).as(user.token ?? '');
    const [{ completion_count: count }] = (await again.get('/api/tasks/me')).body;
    expect(count).toBeGreaterThanOrEqual(1);
  });
});

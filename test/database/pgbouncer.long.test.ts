import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { asRequest } from '../../src/base/request.js';
import { tasks } from '../../src/features/habits/task.queries.js';
import { readConfig } from '../../src/features/settings.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { eventually } from '../support/eventually.js';
import { firstOf, PROGRESS, type Result, socketOf } from '../support/live.js';
import { connect, type Pooled, startPooled } from '../support/pooled.js';
import { startService, temporaryFolder } from '../support/process.js';
import { needs } from '../support/tools.js';
import { RestClient, refusal, SECRET, world } from '../support/world.js';

describe('Through PgBouncer in transaction mode', needs('PgBouncer'), () => {
  let pooled: Pooled;
  beforeAll(async () => {
    pooled = await startPooled();
  });
  afterAll(() => pooled?.stop());

  it('two processes serve, count once, tell each other, and outlive the pooler', async () => {
    const addresses = await pooled.newDatabase();
    const start = () => startService({ ...addresses, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET });
    const processes = [start(), start()] as const;
    const [here, there] = await Promise.all([processes[0].listening(), processes[1].listening()]);
    expect(processes[0].output).toContain('a pooler in front of');
    const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
    const { token } = (await here.post('/api/auth/signup', account)).body;
    const [ana, asAna] = [here.as(token), there.as(token)];
    const { id } = (await ana.post('/api/tasks', { title: 'Swim', points: 2 })).body;
    const complete = (rest: RestClient, key: string) =>
      rest.post('/api/task-completions', { task_id: id }, { 'Idempotency-Key': key });
    expect((await complete(asAna, 'a')).status).toBe(201);
    expect((await complete(ana, 'a')).headers.get('Idempotent-Replayed')).toBe('true');

    const events: Result[] = [];
    firstOf(socketOf({ base: there.base, token }), PROGRESS).then((event) => events.push(event));
    await eventually(async () => (await complete(ana, randomUUID())) && events.length > 0);
    expect(events[0].data.progressChanged.task.id).toBe(String(id));

    await pooled.pooler.kill();
    await eventually(async () => (await complete(ana, 'b')).status === 503);
    await pooled.pooler.start();
    for (const rest of [ana, asAna]) await eventually(async () => (await complete(rest, 'b')).status === 201);
    const direct = await connect(addresses.DATABASE_DIRECT_URL);
    const { rows } = await direct.query(
      `select completion_count::int as count, user_progress.points::int, (select count(*)::int from task_completions) as there
       from tasks join user_progress using (user_id)`,
    );
    expect(rows).toEqual([{ count: rows[0].there, points: 2 * rows[0].there, there: rows[0].there }]);
    for (const process of processes) expect(await process.stop()).toBe(0);
  });

  it('statements have no names, which others would find or miss', async () => {
    const { DATABASE_URL, DATABASE_DIRECT_URL } = await pooled.newDatabase();
    const database = await openDatabase(readConfig({ DATABASE_URL, DATABASE_DIRECT_URL }));
    onTestFinished(() => database.close());
    for (let time = 0; time < 10; time += 1)
      await asRequest(60_000, () => database.run(tasks.byId, { userId: personId(1), id: 1 }));
    const other = await connect(DATABASE_URL);
    expect((await other.query('select name from pg_prepared_statements')).rows).toEqual([]);
  });

  it('what the pooler keeps to itself, because its server is away, was not done', async () => {
    const addresses = await pooled.newDatabase();
    const database = await openDatabase(readConfig({ ...addresses, REQUEST_TIMEOUT: '60000' }));
    onTestFinished(() => database.close());
    const ana = await (await world({ database })).newUser();
    const task = await ana.hasTask();
    await pooled.server.halt('immediate');
    expect(await ana.completes(task)).toEqual(refusal(503, 'Service unavailable, nothing was changed'));
    await pooled.server.start();
    await eventually(async () => (await ana.completes(task)).status === 201);
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });
});

const personId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
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

  describe('two processes', () => {
    it('serve, count once, tell each other, and outlive the pooler', async () => {
      const addresses = await pooled.newDatabase();
      const direct = await connect(addresses.DATABASE_DIRECT_URL);
      await direct.query(BROKEN_RUN);
      const start = () => startService({ ...addresses, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET });
      const processes = [start(), start()] as const;
      const [here, there] = await Promise.all([processes[0].listening(), processes[1].listening()]);
      expect(processes[0].output).toContain('a pooler in front of');
      // The job has run before they listened.
      expect((await direct.query('select current_streak from user_progress')).rows).toEqual([
        { current_streak: 0 },
      ]);

      const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
      const { token } = (await here.post('/api/auth/signup', account)).body;
      const [ana, asAna] = [here.as(token), there.as(token)];
      const { id } = (await ana.post('/api/tasks', { title: 'Swim', points: 2 })).body;
      const query = `mutation { completeTask(taskId: ${id}, idempotencyKey: "a") { user { points } isReplayed } }`;
      const { body } = await asAna.post('/graphql', { query });
      expect(body.data.completeTask).toEqual({ user: { points: 2 }, isReplayed: false });
      const complete = (rest: RestClient, key: string) =>
        rest.post('/api/task-completions', { task_id: id }, { 'Idempotency-Key': key });
      const replay = await complete(ana, 'a');
      expect([replay.status, replay.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);

      const events: Result[] = [];
      firstOf(socketOf({ base: there.base, token }), PROGRESS).then((event) => events.push(event));
      await eventually(async () => (await complete(ana, randomUUID())) && events.length > 0);
      expect(events[0].data.progressChanged.task.id).toBe(String(id));

      const acknowledged = await underKills(async (key) => {
        const { status } = await complete(key.length % 2 ? ana : asAna, key);
        expect([201, 503]).toContain(status);
        return status === 201;
      });
      const { rows } = await direct.query(
        "select idempotency_key as key from task_completions where idempotency_key like 'k%'",
      );
      const kept = rows.map(({ key }) => key);
      expect(acknowledged.filter((key) => !kept.includes(key))).toEqual([]);
      const [sums] = (
        await direct.query(
          'select completion_count::int as count, (select points from user_progress order by points desc limit 1)::int as points, (select count(*)::int from task_completions where points = 2) as there from tasks where title = $1',
          ['Swim'],
        )
      ).rows;
      expect([sums.count, sums.points]).toEqual([sums.there, 2 * sums.there]);
      for (const process of processes) expect(await process.stop()).toBe(0);
    });

    /** Clients go on all the while. Answers what was acknowledged. */
    async function underKills(attempt: (key: string) => Promise<boolean>): Promise<string[]> {
      const acknowledged: string[] = [];
      let refused = 0;
      let isOver = false;
      const client = async (_: unknown, number: number) => {
        for (let count = 0; !isOver; count += 1) {
          const key = `k${number}-${count}`;
          if (await attempt(key)) acknowledged.push(key);
          else refused += 1;
        }
      };
      const clients = Promise.all(Array.from({ length: 8 }, client));
      for (let time = 0; time < 2; time += 1) {
        await untilMore(acknowledged);
        const before = refused;
        await pooled.pooler.kill();
        await eventually(() => refused > before);
        await pooled.pooler.start();
      }
      await untilMore(acknowledged);
      isOver = true;
      await clients;
      return acknowledged;
    }
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

  it('the limits of time that the pooler gives its connections hold', async () => {
    const addresses = await pooled.newDatabase();
    const database = await openDatabase(readConfig(addresses));
    onTestFinished(() => database.close());
    await expect(sql`select pg_sleep(60)`.execute(database.query())).rejects.toMatchObject({ code: '57014' });
    const direct = await connect(addresses.DATABASE_DIRECT_URL);
    const idle = database.transaction(async (tx) => {
      const [{ pid }] = await tx.execute<[{ pid: number }]>('select pg_backend_pid() as pid');
      const ofIt = `select 1 from pg_stat_activity where pid = ${pid}`;
      await eventually(async () => (await direct.query(ofIt)).rows.length === 0);
      await tx.execute('select 1');
    });
    await expect(idle).rejects.toMatchObject({ outcome: 'NOT_APPLIED' });
  });

  async function service(settings: Record<string, string> = {}) {
    const addresses = await pooled.newDatabase();
    const database = await openDatabase(readConfig({ ...addresses, ...settings }));
    onTestFinished(() => database.close());
    const there = await world({ database });
    const ana = await there.newUser();
    const name = new URL(addresses.DATABASE_URL).pathname.slice(1);
    return { ...there, ana, task: await ana.hasTask(), name };
  }

  const NOT_APPLIED = refusal(503, 'Service unavailable, nothing was changed');

  it('what the pooler keeps to itself, because its server is away, was not done', async () => {
    const { ana, task } = await service({ REQUEST_TIMEOUT: '60000' });
    await pooled.server.halt('immediate');
    expect(await ana.completes(task)).toEqual(NOT_APPLIED);
    await pooled.server.start();
    await eventually(async () => (await ana.completes(task)).status === 201);
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });
});

const personId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A streak that has ended, and that nobody has corrected yet. */
const BROKEN_RUN = `
  with person as (
    insert into users (id, name, email, password_hash, created_at, updated_at)
    values (gen_random_uuid(), 'Bo', 'bo@example.com', '', now(), now()) returning id
  )
  insert into user_progress (user_id, current_streak, max_streak, last_active_on, run_started_on, longest_run)
  select id, 3, 3, '2026-01-03', '2026-01-01', 3 from person`;

const untilMore = async (list: unknown[], before = list.length) =>
  eventually(() => list.length > before + 20);

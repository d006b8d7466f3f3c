import { CompiledQuery, sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Sender } from '../../src/database/backend.js';
import type { Sendable } from '../../src/database/statement.js';
import { configOf, isOnManyNodes, ownDatabase } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { completionsOf } from '../support/histories.js';
import { streamOf } from '../support/live.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { allQueriesOf } from '../support/statements.js';
import { RestClient, type TestUser, world, worldOf } from '../support/world.js';

const DELETE = 'mutation ($id: ID!) { deleteTask(id: $id) { deletedId user { points streak { count } } } }';
const DONE = `mutation ($id: ID!, $key: String, $at: DateTime) {
  completeTask(taskId: $id, idempotencyKey: $key, at: $at) { isReplayed completion { id } }
}`;
const asks = async ({ rest }: TestUser, query: string, variables: object = {}) =>
  await rest.ask(query, variables);

describe('deleteTask', () => {
  it('leaves nothing to be found, frees the keys, and is told live', async () => {
    const { ana } = await worldOf('ana');
    const create =
      'mutation { createTask(input: { title: "Swim" }, idempotencyKey: "a") { isReplayed task { id } } }';
    const { id } = (await ana.query(create)).createTask.task;
    const { completion } = (await ana.query(DONE, { id, key: 'tap' })).completeTask;
    const heard = await streamOf(
      ana,
      'subscription { progressChanged { kind taskIds completionId user { points } task { id } completion { id } } }',
    );
    await ana.query(DELETE, { id });
    expect((await heard.next()).data.progressChanged).toEqual({
      kind: 'TASK_DELETED',
      ...{ taskIds: [id], completionId: null },
      user: { points: 0 },
      task: null,
      completion: null,
    });
    const find =
      'query ($id: ID!, $done: ID!) { task(id: $id) { id } completion(id: $done) { id } tasks { totalCount } }';
    expect(await ana.query(find, { id, done: completion.id })).toEqual({
      task: null,
      completion: null,
      tasks: { totalCount: 0 },
    });
    const gone = { errors: [{ message: 'Task not found', extensions: { reason: 'NOT_FOUND' } }] };
    for (const document of [DELETE, DONE]) expect(await asks(ana, document, { id })).toMatchObject(gone);
    const again = (await ana.query(create)).createTask;
    expect(again.isReplayed).toBe(false);
    expect((await ana.query(DONE, { id: again.task.id, key: 'tap' })).completeTask.isReplayed).toBe(false);
  });

  it.each([
    ['a list', '{ tasks { nodes { id today { isDue } } } }'],
    ['a streak', '{ tasks { nodes { id streak { count } } } }'],
    ['a pause', '{ tasks(first: 1) { nodes { pauses { task { title } } } } }'],
  ])('beside the read of %s is not found, and no fault', async (_, query) => {
    const { ana, ...here } = await worldOf('ana');
    const { id } = await ana.hasTask();
    await ana.query(
      `mutation { createPause(input: { taskId: ${id}, from: "${(await ana.query('{ me { today } }')).me.today}" }) { pause { id } } }`,
    );
    const { backend } = here.database as unknown as { backend: { reads: Sender } };
    const { reads } = backend;
    let seen = 0;
    // The last statement of the query comes after the deletion: it reads what belongs to the task.
    const send = async (sendable: Sendable) => {
      if (
        /counted\."completionCount"|tasks\.longest_run as longest|id" in|any\(/.test(sendable.text) &&
        seen++ === 0
      )
        await sql`delete from tasks where id = ${id}`.execute(here.database.query());
      return reads.send(sendable);
    };
    backend.reads = { send };
    onTestFinished(() => void Object.assign(backend, { reads }));
    const body = await ana.rest.ask(query);
    if (body.errors)
      expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', reason: 'NOT_FOUND' } }]);
    else expect(body.data.tasks.nodes).toEqual([{ pauses: [] }]);
    expect(seen).toBeGreaterThan(0);
  });

  it('is exact among all that may happen at the same time', async () => {
    const { ana, ...here } = await worldOf('ana');
    for (let round = 0; round < 2; round += 1) {
      const [swim, run] = [await ana.hasTask({ points: 0.1 }), await ana.hasTask({ points: 3 })];
      const undoable = [];
      for (const _ of [1, 2, 3, 4]) undoable.push((await ana.completes(swim)).body.id);
      const archive = 'mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }';
      const undo = 'mutation ($id: ID!) { undoCompletion(id: $id) { task { id } } }';
      const at = new Date(here.clock.now().getTime() - 30 * 3_600_000).toISOString();
      const answers = await Promise.all([
        ...Array.from({ length: 8 }, () => asks(ana, DONE, swim)),
        ...Array.from({ length: 4 }, () => asks(ana, DONE, { ...swim, at })),
        ...undoable.map((id) => asks(ana, undo, { id })),
        asks(ana, archive, swim),
        ...[1, 2, 3].map(() => asks(ana, DELETE, swim)),
        ...Array.from({ length: 8 }, () => asks(ana, DONE, run)),
        ...Array.from({ length: 4 }, () => asks(ana, DONE, { ...run, at })),
        here.job.run().then(() => ({})),
      ]);
      const deleted = answers.filter(({ data }) => data?.deleteTask);
      expect(deleted).toHaveLength(1);
      const reasons = answers
        .flatMap(({ errors }) => errors ?? [])
        .map(({ extensions }) => extensions.reason);
      expect(reasons.filter((reason) => !['NOT_FOUND', 'TASK_ARCHIVED'].includes(reason))).toEqual([]);
      expect((await ana.profile()).points).toBe((round + 1) * 36);
      expect(await driftsOf(here, ana)).toEqual([]);
    }
  });

  it('of a task whose completions are being read is no fault of the service', async () => {
    const database = await ownDatabase();
    const { newUser } = await world({ database });
    const ana = await newUser();
    const swim = await ana.hasTask();
    await ana.completes(swim);
    const release = await holding(database, sql`lock table tasks in access exclusive mode`);
    const reading = asks(ana, '{ completions { nodes { task { id } } } }');
    await untilSomeoneWaits(database);
    await release(sql`delete from tasks where id = ${swim.id} and user_id = ${ana.id}`);
    expect((await reading).errors).toMatchObject([{ extensions: { reason: 'NOT_FOUND' } }]);
  });

  it.runIf(!isOnManyNodes(inject('template')))(
    'takes a long history along in pieces, all of it or nothing',
    async () => {
      const database = await ownDatabase();
      const here = await world({ database });
      const hurried = await world({ database, config: configOf({ REQUEST_TIMEOUT: '2000' }) });
      const ana = await here.newUser();
      const deletes = (task: object) => new RestClient(hurried.base, ana.token).ask(DELETE, task);
      const [swim, run] = [await ana.hasTask(), await ana.hasTask()];
      await ana.completes(run);
      const query = database.query();
      await completionsOf(sql`
        select ${ana.id}::uuid, ${swim.id}::bigint, 0.1, now() - i / 7 * interval '1 minute'
        from generate_series(1, 50001) i`).execute(query);
      await sql`update user_progress set points = 5010.1 where user_id = ${ana.id}`.execute(query);
      await sql`create function slowly() returns trigger language plpgsql as $$ begin
        if (select count(*) from gone) > 20000 then raise 'A statement that would be given up'; end if;
        perform pg_sleep(0.4);
        return null;
      end $$`.execute(query);
      await sql`create trigger slowly after delete on task_completions referencing old table as gone
        for each statement execute function slowly()`.execute(query);
      await sql`create function fail() returns trigger language plpgsql as $$ begin raise 'A fault at the end'; end $$`.execute(
        query,
      );
      await sql`create trigger fail after delete on tasks for each statement execute function fail()`.execute(
        query,
      );
      expect((await deletes(swim)).errors).toMatchObject([{ extensions: { reason: 'INTERNAL' } }]);
      const count = async () =>
        (await sql`select from task_completions where user_id = ${ana.id}`.execute(query)).rows.length;
      expect([await count(), (await ana.profile()).points]).toEqual([50_002, 5010.1]);
      await sql`drop trigger fail on tasks`.execute(query);
      expect((await deletes(swim)).data.deleteTask.user).toEqual({
        points: 10,
        streak: { count: 1 },
      });
      expect(await count()).toBe(1);
      expect(await driftsOf(here, ana)).toEqual([]);
    },
    60_000,
  );

  it.runIf(!isOnManyNodes(inject('template'))).each([
    ['of a task', (ana: TestUser, { id }: { id: number }) => ana.query(DELETE, { id })],
    [
      'of an account',
      (ana: TestUser) =>
        ana.query('mutation ($password: String!) { deleteMyAccount(password: $password) { deletedId } }', {
          password: ana.account.password,
        }),
    ],
  ])(
    'finds the pieces of a long history by the days of an index: %s',
    async (_, remove) => {
      const database = await ownDatabase();
      const here = await world({ database });
      const ana = await here.newUser();
      const swim = await ana.hasTask();
      await completionsOf(sql`
      select ${ana.id}::uuid, ${swim.id}::bigint, 0.1, now() - i * interval '1 minute'
      from generate_series(1, 20001) i`).execute(database.query());
      const asked = await allQueriesOf(here, () => remove(ana, swim));
      const inPieces = asked.filter(({ sql: text }) => /day >= /.test(text));
      expect(inPieces).toHaveLength(1);
      for (const { sql: text, parameters } of inPieces) {
        const plan = await database.transaction(async (tx) => {
          const query = tx.getKysely();
          for (const other of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'])
            await sql`set local ${sql.ref(other)} = off`.execute(query);
          const explained = CompiledQuery.raw(`explain ${text}`, [...parameters]);
          const { rows } = await query.executeQuery<{ 'QUERY PLAN': string }>(explained);
          return rows.map((row) => row['QUERY PLAN']).join('\n');
        });
        expect(plan).toMatch(/Index Cond: .*\(day >/);
      }
    },
    60_000,
  );

  it.runIf(!isOnManyNodes(inject('template')))(
    'reads a history of one day a few times, however many pieces it takes',
    async () => {
      const database = await ownDatabase();
      const here = await world({ database });
      const ana = await here.newUser();
      const swim = await ana.hasTask();
      const many = 200_001;
      const query = database.query();
      await completionsOf(sql`
        select ${ana.id}::uuid, ${swim.id}::bigint, 0.1, date_trunc('day', now()) from generate_series(1, ${many}) i
      `).execute(query);
      await sql`analyze task_completions`.execute(query);
      await sql`create table reads (rows bigint)`.execute(query);
      await sql`create function note() returns trigger language plpgsql as $$ begin
        insert into reads select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables
        where relname = 'task_completions';
        return null;
      end $$`.execute(query);
      await sql`create trigger note after delete on tasks for each statement execute function note()`.execute(
        query,
      );
      await ana.query(DELETE, { id: swim.id });
      const { rows: reads } = await sql<{ rows: number }>`select rows from reads`.execute(query);
      expect(reads).toEqual([{ rows: expect.any(Number) }]);
      expect(reads[0]?.rows).toBeLessThan(6 * many);
    },
    120_000,
  );
});

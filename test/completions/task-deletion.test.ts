import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Sender } from '../../src/database/backend.js';
import type { Sendable } from '../../src/database/statement.js';
import { configOf, isOnManyNodes, ownDatabase } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { completionsOf } from '../support/histories.js';
import { streamOf } from '../support/live.js';
import { SLOW_DELETION } from '../support/slow-deletion.js';
import { RestClient, world, worldOf } from '../support/world.js';

const DELETE = 'mutation ($id: ID!) { deleteTask(id: $id) { deletedId user { points streak { count } } } }';
const DONE = `mutation ($id: ID!, $key: String, $at: DateTime) {
  completeTask(taskId: $id, idempotencyKey: $key, at: $at) { isReplayed completion { id } }
}`;

describe('deleteTask', () => {
  it('leaves nothing to be found, frees the keys, and is told live', async () => {
    const { ana } = await worldOf('ana');
    const create =
      'mutation { createTask(input: { title: "Swim" }, idempotencyKey: "a") { isReplayed task { id } } }';
    const { id } = (await ana.query(create)).createTask.task;
    const { completion } = (await ana.query(DONE, { id, key: 'tap' })).completeTask;
    const heard = await streamOf(
      ana,
      'subscription { progressChanged { kind taskIds completionId user { points } task { id } } }',
    );
    await ana.query(DELETE, { id });
    expect((await heard.next()).data.progressChanged).toEqual({
      ...{ kind: 'TASK_DELETED', taskIds: [id], completionId: null, user: { points: 0 }, task: null },
    });
    const find =
      'query ($id: ID!, $done: ID!) { task(id: $id) { id } completion(id: $done) { id } tasks { totalCount } }';
    const nothing = { task: null, completion: null, tasks: { totalCount: 0 } };
    expect(await ana.query(find, { id, done: completion.id })).toEqual(nothing);
    const gone = { errors: [{ message: 'Task not found', extensions: { reason: 'NOT_FOUND' } }] };
    for (const document of [DELETE, DONE]) expect(await ana.rest.ask(document, { id })).toMatchObject(gone);
    const again = (await ana.query(create)).createTask;
    expect(again.isReplayed).toBe(false);
    expect((await ana.query(DONE, { id: again.task.id, key: 'tap' })).completeTask.isReplayed).toBe(false);
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
        ...Array.from({ length: 8 }, () => ana.rest.ask(DONE, swim)),
        ...Array.from({ length: 4 }, () => ana.rest.ask(DONE, { ...swim, at })),
        ...undoable.map((id) => ana.rest.ask(undo, { id })),
        ana.rest.ask(archive, swim),
        ...[1, 2, 3].map(() => ana.rest.ask(DELETE, swim)),
        ...Array.from({ length: 8 }, () => ana.rest.ask(DONE, run)),
        ...Array.from({ length: 4 }, () => ana.rest.ask(DONE, { ...run, at })),
        here.job.run().then(() => ({})),
      ]);
      expect(answers.filter(({ data }) => data?.deleteTask)).toHaveLength(1);
      const reasons = answers
        .flatMap(({ errors }) => errors ?? [])
        .map(({ extensions }) => extensions.reason);
      expect(reasons.filter((reason) => !['NOT_FOUND', 'TASK_ARCHIVED'].includes(reason))).toEqual([]);
      expect((await ana.profile()).points).toBe((round + 1) * 36);
      expect(await driftsOf(here, ana)).toEqual([]);
    }
  });

  it.each([
    ['tasks { nodes { today { isDue } } }', 'counted."completionCount"'],
    ['tasks { nodes { streak { count } } }', 'tasks.longest_run as longest'],
    ['completions { nodes { task { id } } }', 'any('],
  ])('beside the read of %s is not found, and no fault', async (query, last) => {
    const { ana, database } = await worldOf('ana');
    const { id } = await ana.hasTask();
    await ana.completes({ id });
    const { backend } = database as unknown as { backend: { reads: Sender } };
    const { reads } = backend;
    onTestFinished(() => void Object.assign(backend, { reads }));
    let isGone = false;
    const send = async (sendable: Sendable) => {
      if (!isGone && sendable.text.includes(last)) {
        await sql`delete from tasks where id = ${id}`.execute(database.query());
        isGone = true;
      }
      return reads.send(sendable);
    };
    backend.reads = { send };
    expect((await ana.rest.ask(`{ ${query} }`)).errors).toMatchObject([
      { extensions: { reason: 'NOT_FOUND' } },
    ]);
    expect(isGone).toBe(true);
  });

  it.runIf(!isOnManyNodes(inject('template')))('takes a long history along in pieces', async () => {
    const database = await ownDatabase();
    const here = await world({ database });
    const hurried = await world({ database, config: configOf({ REQUEST_TIMEOUT: '2000' }) });
    const ana = await here.newUser();
    const [swim, run] = [await ana.hasTask(), await ana.hasTask()];
    await ana.completes(run);
    const query = database.query();
    // One day has more than a statement may delete.
    await completionsOf(sql`
        select ${ana.id}::uuid, ${swim.id}::bigint, 0.1, now() - greatest(i - 20500, 0) * interval '1 day'
        from generate_series(1, 20601) i`).execute(query);
    await sql`update user_progress set points = 2070.1 where user_id = ${ana.id}`.execute(query);
    for (const statement of SLOW_DELETION) await sql.raw(statement).execute(query);
    const { data } = await new RestClient(hurried.base, ana.token).ask(DELETE, swim);
    expect(data.deleteTask.user).toEqual({ points: 10, streak: { count: 1 } });
    const left = sql`select from task_completions where user_id = ${ana.id}`.execute(query);
    expect((await left).rows).toHaveLength(1);
    expect(await driftsOf(here, ana)).toEqual([]);
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { driftsOf } from '../support/drifts.js';
import { world } from '../support/world.js';

const COMPLETE = 'mutation ($id: ID!) { completeTask(taskId: $id) { completion { id } } }';

const LATE =
  'mutation ($id: ID!, $at: DateTime) { completeTask(taskId: $id, at: $at) { task { completionCount } user { points currentStreak } } }';

/** A database whose users are on many nodes, as far as the service knows. */
async function distributed() {
  const database = await freshDatabase();
  onTestFinished(() => database.close());
  Object.defineProperty(database, 'isDistributed', { value: true });
  const executor = database.orm.em.getConnection().getClient().getExecutor();
  const { executeQuery } = executor;
  const lookups = { atOnce: 0, most: 0, all: 0 };
  executor.executeQuery = (query, options) => {
    const asked = executeQuery.call(executor, query, options) as Promise<never>;
    if (!/from "tasks" where "id" = any\(\$1::bigint\[\]\)$/.test(query.sql)) return asked;
    lookups.atOnce += 1;
    lookups.all += 1;
    lookups.most = Math.max(lookups.most, lookups.atOnce);
    return asked.finally(() => {
      lookups.atOnce -= 1;
    });
  };
  return { here: await world({ database }), lookups };
}

it('On many nodes, a task is looked for at all of them only after a miss, and twice at a time at most', async () => {
  const { here, lookups } = await distributed();
  const [ana, ben] = [await here.newUser(), await here.newUser()];
  const [hers, his] = [await ana.hasTask(), await ben.hasTask()];
  const reasonFor = async (id: unknown) => {
    const { body } = await ana.rest.post('/graphql', { query: COMPLETE, variables: { id } });
    return body.errors?.[0].extensions.reason ?? 'none';
  };

  await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', hers);
  expect(await reasonFor(hers.id)).toBe('TASK_ARCHIVED');
  expect(lookups).toEqual({ atOnce: 0, most: 0, all: 0 });

  const ids = Array.from({ length: 20 }, (_, at) => (at % 2 ? his.id : `${999_000 + at}`));
  expect(await Promise.all(ids.map(reasonFor))).toEqual(
    ids.map((id) => (id === his.id ? 'TASK_OF_ANOTHER' : 'NOT_FOUND')),
  );
  expect(lookups).toEqual({ atOnce: 0, most: 2, all: 20 });
});

it('On many nodes, a completion in steps counts as it does in one statement', async () => {
  const query =
    'mutation ($id: ID!, $key: String) { completeTask(taskId: $id, idempotencyKey: $key) { replayed completion { points day } task { completionCount } user { points currentStreak } } }';
  const counted = { points: 2.5, currentStreak: 1 };
  const { here } = await distributed();
  const ana = await here.newUser();
  await ana.query('mutation { updateProfile(input: { timeZone: "Asia/Kolkata" }) { user { id } } }');
  const task = await ana.hasTask({ points: 2.5 });
  for (const replayed of [false, true])
    expect((await ana.query(query, { ...task, key: 'tap' })).completeTask).toEqual({
      ...{ replayed, completion: { points: 2.5, day: expect.any(String) } },
      ...{ task: { completionCount: 1 }, user: counted },
    });
  const { status } = await ana.completes(task);
  expect(status).toBe(201);
  const at = new Date(here.clock.now().getTime() - 24 * 60 * 60 * 1_000);
  const late = (await ana.query(LATE, { ...task, at })).completeTask;
  expect(late).toMatchObject({ task: { completionCount: 3 }, user: { points: 7.5, currentStreak: 2 } });
  expect(await ana.profile()).toMatchObject({ points: 7.5, current_streak: 2, max_streak: 2 });
  expect(await driftsOf(here)).toEqual([]);
});

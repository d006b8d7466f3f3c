import { expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { world } from '../support/world.js';

const COMPLETE = 'mutation ($id: ID!) { completeTask(taskId: $id) { completion { id } } }';

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
    if (!/from "tasks" where "id" = \$1$/.test(query.sql)) return asked;
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

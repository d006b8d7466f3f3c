import { expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { world } from '../support/world.js';

const COMPLETE = 'mutation ($id: ID!) { completeTask(taskId: $id) { completion { id } } }';

/** Counts the statements that look for tasks of any user. */
async function counted() {
  const database = await ownDatabase();
  const executor = database.orm.em.getConnection().getClient().getExecutor();
  const { executeQuery } = executor;
  const lookups = { all: 0 };
  executor.executeQuery = (query, options) => {
    if (/from "tasks" where "id" = any\(\$1::bigint\[\]\)$/.test(query.sql)) lookups.all += 1;
    return executeQuery.call(executor, query, options) as Promise<never>;
  };
  return { here: await world({ database }), lookups };
}

it('A task is looked for among those of all users only after a miss', async () => {
  const { here, lookups } = await counted();
  const [ana, ben] = [await here.newUser(), await here.newUser()];
  const [hers, his] = [await ana.hasTask(), await ben.hasTask()];
  const reasonFor = async (id: unknown) => {
    const body = await ana.rest.ask(COMPLETE, { id });
    return body.errors?.[0].extensions.reason ?? 'none';
  };

  await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', hers);
  expect(await reasonFor(hers.id)).toBe('TASK_ARCHIVED');
  expect(lookups.all).toBe(0);

  const ids = Array.from({ length: 20 }, (_, at) => (at % 2 ? his.id : `${999_000 + at}`));
  expect(await Promise.all(ids.map(reasonFor))).toEqual(ids.map(() => 'NOT_FOUND'));
  expect(lookups.all).toBe(20);
});

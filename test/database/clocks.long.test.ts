import { describe, expect, it } from 'vitest';
import { withLimits } from '../support/commands.js';
import { isStatement } from '../support/proxy.js';
import { numberOf, serviceOn } from '../support/service.js';
import { shiftedClock } from '../support/shifted-clock.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

const ALL = Array(12).fill(201);

/** The built service with connections that have all compared the clocks. */
async function steppable(databasePoolSize: number) {
  const limits = withLimits({ databasePoolSize });
  const there = await serviceOn(server, { ...limits, REQUEST_TIMEOUT: '30000' });
  const step = await shiftedClock(there.direct);
  there.proxy.reset(); // the connections to come go by that clock
  const complete = async () => {
    const answers = await Promise.all(ALL.map(() => there.ana.completes(there.task)));
    return answers.map(({ status }) => status);
  };
  await expect.poll(complete).toEqual(ALL);
  return { ...there, step, complete };
}

describe('When the clock of the database steps', () => {
  it('every write is carried out all the same, whether it goes ahead or back, far or a little', async () => {
    const { direct, step, complete } = await steppable(4);
    const before = await numberOf(direct, 'task_completions');
    for (const by of ['1 hour', '0', '2 seconds', '3 hours', '2 hours']) {
      await step(by);
      expect(await complete()).toEqual(ALL);
    }
    expect(await numberOf(direct, 'task_completions')).toBe(before + 60);
  });

  it('before a transaction begins, that transaction is carried out all the same', async () => {
    const { proxy, ana, task, direct, step } = await steppable(1);
    // As if a completion of a later day had come first: then it takes a transaction.
    await direct.query('update user_progress set last_active_on = last_active_on + 2');
    // The statement that finds this out waits for the step, which only the transaction meets.
    await direct.query('begin; select from user_progress for update');
    const asked = ana.completes(task);
    await proxy.when(isStatement('insert into task_completions'), () => {});
    await step('1 hour');
    await direct.query('commit');
    expect((await asked).status).toBe(201);
  });
});

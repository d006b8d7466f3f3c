import { describe, expect, it } from 'vitest';
import { withLimits } from '../support/commands.js';
import { isStatement } from '../support/proxy.js';
import { numberOf, type Service, serviceOn } from '../support/service.js';
import { shiftedClock } from '../support/shifted-clock.js';
import { withServer } from '../support/with-server.js';
import type { Answer } from '../support/world.js';

const server = withServer();

/** The built service with connections that have all compared the clocks. */
async function steppable(databasePoolSize: number) {
  const there = await serviceOn(server, {
    ...withLimits({ databasePoolSize }),
    REQUEST_TIMEOUT: '30000',
  });
  const step = await shiftedClock(there.direct);
  there.proxy.reset(); // the connections to come go by that clock
  await expect.poll(async () => (await complete(there)).map(statusOf)).toEqual(ALL);
  return { ...there, step };
}

const ALL = Array(12).fill(201);
const statusOf = ({ status }: Answer) => status;
const complete = ({ ana, task }: Service) => Promise.all(ALL.map(() => ana.completes(task)));

describe('When the clock of the database steps', () => {
  it.each(['1 hour', '-1 hour', '2 seconds'])(
    'by %s, every write is carried out all the same',
    async (by) => {
      const there = await steppable(4);
      const before = await numberOf(there.direct, 'task_completions');
      await there.step(by);
      expect((await complete(there)).map(statusOf)).toEqual(ALL);
      await there.step('3 hours');
      expect((await complete(there)).map(statusOf)).toEqual(ALL);
      expect(await numberOf(there.direct, 'task_completions')).toBe(before + 24);
    },
  );

  it('before a transaction begins, that transaction is carried out all the same', async () => {
    const there = await steppable(1);
    const { proxy, ana, task, direct, step } = there;
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

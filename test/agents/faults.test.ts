import { expect, it } from 'vitest';
import { configOf, proxiedDatabase } from '../support/database.js';
import { isStatement } from '../support/proxy.js';
import { world } from '../support/world.js';
import { agentWith, habitOf, tokenOf } from './agent.js';

async function behindProxy(environment = {}) {
  const { database, proxy } = await proxiedDatabase();
  const here = await world({ database, config: configOf(environment) });
  const ana = await here.newUser();
  const habit = await habitOf(ana);
  return { proxy, ana, habit, agent: await agentWith(here.base, await tokenOf(ana)) };
}

it('A completion whose answer is lost on the way counts once, also without a key', async () => {
  const { proxy, ana, habit, agent } = await behindProxy();
  const lost = proxy.swallow(isStatement('insert into task_completions'), 'reset');
  const { completion } = await agent.does('complete', { habit });
  await lost;
  expect(await agent.does('complete', { habit })).toMatchObject({ isRepeated: true, completion });
  const { task } = await ana.query(`{ task(id: "${habit}") { completionCount } }`);
  expect(task.completionCount).toBe(1);
});

it('A database that is away is a refusal in words, with when to try again', async () => {
  const { proxy, habit, agent } = await behindProxy({ REQUEST_TIMEOUT: '2000' });
  proxy.refuse();
  proxy.reset();
  for (const tool of ['explain_streak', 'complete'])
    expect(await agent.isRefused(tool, { habit }), tool).toMatchObject({
      reason: expect.stringMatching(/^(DATABASE_AWAY|OVERLOADED)$/),
      retryAfter: 1,
      outcome: 'NOT_APPLIED',
    });
  await proxy.heal();
});

import { expect, it } from 'vitest';
import { answersAtOnce, twoProcesses } from '../support/at-once.js';
import { withServer } from '../support/with-server.js';
import { signUp } from '../support/world.js';
import { agentWith, habitOf, tokenOf } from './agent.js';

const server = withServer();

it('Two processes of the built service that are asked at once count a completion once', async () => {
  const databaseUrl = await server.newDatabase();
  const { here, there } = await twoProcesses(databaseUrl);
  const ana = await signUp(here);
  const habit = await habitOf(ana);
  const token = await tokenOf(ana, ['READ', 'COMPLETIONS']);
  const agents = [await agentWith(here.base, token), await agentWith(there.base, token)];
  // All have looked back, and found nothing, before one of them is recorded.
  const calls = () =>
    [...agents, ...agents, ...agents].map((agent) => agent.does('complete', { habit: 'swim' }));
  const repeated = (await answersAtOnce(databaseUrl, ana.id, calls)).map(({ isRepeated }) => isRepeated);
  expect(repeated.sort()).toEqual([false, true, true, true, true, true]);
  const { task } = await ana.query(`{ task(id: "${habit}") { completionCount } }`);
  expect(task.completionCount).toBe(1);
});

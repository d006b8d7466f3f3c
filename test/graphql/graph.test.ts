import { expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

it('Each challenge of a template counts a day once, whichever of its tasks were done, from that on which it began', async () => {
  const { ana, clock } = await worldOf('ana');
  const daysDone = async () => {
    const { challenges } = await ana.query('{ challenges { nodes { progress { daysDone } } } }');
    return challenges.nodes.map(({ progress }: { progress: { daysDone: number } }) => progress.daysDone);
  };
  const { id } = await ana.hasAccepted(4);
  const linked = { challenge_template_id: 4 };
  const tasks = [await ana.hasTask(linked), await ana.hasTask(linked)] as const;
  for (const task of tasks) await ana.completes(task);
  await ana.rest.put(`/api/user-challenges/${id}/abandon`);
  await ana.hasAccepted(4);
  await ana.completes(tasks[0]);
  expect(await daysDone()).toEqual([1, 1]);
  clock.advance({ days: 1 });
  await ana.completes(tasks[1]);
  expect(await daysDone()).toEqual([2, 2]);
});

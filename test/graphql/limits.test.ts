import { describe, expect, it } from 'vitest';
import { transports } from '../support/transports.js';
import { world } from '../support/world.js';

describe('An operation', () => {
  it.each(transports)('tells its cost to whoever asks for it, over %s', async (_way, askOver) => {
    const { base, token } = await (await world()).newUser();
    const asked = {
      query: 'query ($n: Int) { tasks(first: $n) { nodes { id title } totalCount } me { id } }',
      variables: { n: 10 },
      authorization: `Bearer ${token}`,
    };
    // tasks 1 + 10 × (nodes 1 + id 1 + title 1 + totalCount 1), me 1 + id 1
    const extensions = { cost: { requested: 43, maximum: 25_000 } };
    const headers = { 'graphql-cost': '1' };
    for (const time of ['first', 'second', 'third'])
      expect(await askOver(base, { ...asked, headers }), time).toMatchObject({ extensions });
    expect(await askOver(base, asked)).not.toHaveProperty('extensions');
    const missing = { ...asked, query: 'mutation { completeTask(taskId: "0") { isReplayed } }' };
    expect(await askOver(base, { ...missing, headers })).toMatchObject({
      errors: [{ message: 'Task not found' }],
      extensions: { cost: { requested: 2, maximum: 25_000 } },
    });
  });
});

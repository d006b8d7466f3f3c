import { describe, expect, it } from 'vitest';
import { transports } from '../support/transports.js';
import { world, worldOf } from '../support/world.js';

const months = Array.from({ length: 12 }, (_, at) => {
  const month = `2026-${String(at + 1).padStart(2, '0')}`;
  return `m${at}: calendar(from: "${month}-01", to: "${month}-28") { date completionCount points streakEffect }`;
});

describe('An operation', () => {
  it.each([
    [
      'a home screen of 100 tasks with 3 completions each',
      `{
      me { name points currentStreak streak { count atRisk } activeChallenge { template { title } progress { daysDone daysTotal } } }
      tasks(first: 100) { totalCount nodes { id title points completionCount completions(first: 3) { nodes { id points completedAt } } } }
    }`,
    ],
    ['twelve aliased months', `{ me { ${months.join(' ')} } }`],
  ])('like %s is let through', async (_name, query) => {
    const { ana } = await worldOf('ana');
    expect(await ana.query(query)).toBeTruthy();
  });

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

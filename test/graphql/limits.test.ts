import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { transports } from '../support/transports.js';
import { world, worldOf } from '../support/world.js';

async function asker() {
  const { rest } = (await worldOf('ana')).ana;
  const ask = async (query: string, variables?: object, headers?: Record<string, string>) => {
    const { status, body } = await rest.post('/graphql', { query, variables }, headers);
    return { status, ...body };
  };
  return { ask };
}

const spread = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('An operation', () => {
  it.each([
    ['introspection', getIntrospectionQuery()],
    [
      'a home screen of 100 tasks with 3 completions each',
      `{
      me { name points currentStreak streak { count atRisk } activeChallenge { template { title } progress { daysDone daysTotal } } }
      tasks(first: 100) { totalCount nodes { id title points completionCount completions(first: 3) { nodes { id points completedAt } } } }
    }`,
    ],
    [
      'twelve aliased months',
      `{ me { ${spread(
        12,
        (i) =>
          `m${i}: calendar(from: "2026-${String(i + 1).padStart(2, '0')}-01", to: "2026-${String(i + 1).padStart(2, '0')}-28") { date completionCount points firstCompletedAt streakEffect }`,
      )} } }`,
    ],
    [
      'tasks, their completions, and back to task and template',
      `{
      tasks(first: 20) { nodes { completions(first: 10) { nodes { task { challengeTemplate { title } } } } } }
    }`,
    ],
  ])('like %s is let through', async (_name, query) => {
    const { ask } = await asker();
    const { data, errors } = await ask(query);
    expect(errors).toBeUndefined();
    expect(data).toBeTruthy();
  });

  it.each(transports)('tells its cost to whoever asks for it, over %s', async (_way, askOver) => {
    const { base, token } = await (await world()).newUser();
    const asked = {
      query: 'query ($n: Int) { tasks(first: $n) { nodes { id title } totalCount } me { id } }',
      variables: { n: 10 },
      authorization: `Bearer ${token}`,
    };
    for (const time of ['first', 'second', 'third'])
      expect((await askOver(base, { ...asked, headers: { 'graphql-cost': '1' } })).extensions, time).toEqual({
        cost: { requested: 43, maximum: 25_000 },
      });
    expect(await askOver(base, asked)).not.toHaveProperty('extensions');
  });

  it('tells its cost also where it is answered with an error', async () => {
    const { ask } = await asker();
    const query = 'query ($n: Int) { tasks(first: $n) { nodes { id title } totalCount } me { id } }';
    const { extensions } = await ask(query, { n: 10 }, { 'GraphQL-Cost': '1' });
    // tasks 1 + 10 × (nodes 1 + id 1 + title 1 + totalCount 1), me 1 + id 1
    expect(extensions).toEqual({ cost: { requested: 43, maximum: 25_000 } });
    const missing = 'mutation { completeTask(taskId: "0") { isReplayed } }';
    expect(await ask(missing, {}, { 'GraphQL-Cost': '1' })).toMatchObject({
      errors: [{ message: 'Task not found' }],
      extensions: { cost: { requested: 2, maximum: 25_000 } },
    });
  });
});

import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { transports } from '../support/transports.js';
import { world } from '../support/world.js';

async function asker() {
  const { newUser } = await world();
  const { rest } = await newUser();
  const ask = async (query: string, variables?: object, headers?: Record<string, string>) => {
    const { status, body } = await rest.post('/graphql', { query, variables }, headers);
    return { status, ...body };
  };
  return { ask };
}

const spread = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

/** Each fragment spreads the next one twice: written out, 2^40 fields. */
const fragmentBomb = `
  query { ...f0 } ${spread(40, (i) => `fragment f${i} on Query { a${i}: __typename ...f${i + 1} ...f${i + 1} }`)}
  fragment f40 on Query { me { id } }`;

const refused: [name: string, limit: string, query: string, variables?: object][] = [
  [
    'too deep',
    'depth',
    `{ tasks { nodes { completions { nodes { task { completions { nodes { task { completions { nodes { task { completions { nodes { id } } } } } } } } } } } } } }`,
  ],
  ['too many aliases', 'aliases', `{ me { ${spread(31, (i) => `a${i}: id`)} } }`],
  ['too many root fields', 'root fields', `{ ${spread(21, () => 'me { id }')} }`],
  [
    'root fields hidden in a fragment',
    'root fields',
    `{ ...all } fragment all on Query { ${spread(21, () => 'me { id }')} }`,
  ],
  ['too many tokens', 'tokens', `{ me { ${spread(2_000, () => 'id')} } }`],
  ['a fragment bomb', 'aliases', fragmentBomb],
  [
    'lists for each of which all tasks are looked through',
    'cost',
    `{ ${spread(13, (i) => `a${i}: tasks(first: 1, today: OPEN) { nodes { id } }`)} }`,
  ],
  [
    'huge lists by literal',
    'cost',
    '{ tasks(first: 100) { nodes { completions(first: 100) { nodes { id points } } } } }',
  ],
  [
    'huge lists by variable',
    'cost',
    'query ($n: Int) { tasks(first: $n) { nodes { completions(first: $n) { nodes { id points } } } } }',
    { n: 100 },
  ],
  [
    "huge lists by a variable's default",
    'cost',
    'query ($n: Int = 100) { tasks(first: $n) { nodes { completions(first: $n) { nodes { id points } } } } }',
  ],
  [
    "huge lists by the argument's default",
    'cost',
    '{ tasks { nodes { completions { nodes { task { completions { nodes { id } } } } } } } }',
  ],
  [
    'lists without pages below each other',
    'cost',
    '{ tasks(first: 10) { nodes { pauses { task { pauses { id } } } } } }',
  ],
  [
    'days below lists without pages',
    'cost',
    '{ tasks(first: 1) { nodes { pauses { task { statistics(from: "2021-01-01", to: "2025-12-31") { rate } } } } } }',
  ],
  [
    'lists of a negative size that would earn credit',
    'cost',
    '{ tasks(first: 100) { nodes { completions(first: 100) { nodes { id points } } } } completions(first: -2147483648) { nodes { id } } }',
  ],
  [
    'many years of days',
    'cost',
    `{ ${spread(20, (i) => `y${i}: me { calendar(from: "2026-01-01", to: "2026-12-31") { date completions points streak } }`)} }`,
  ],
];

describe('An operation', () => {
  it.each(refused)(
    'that is or has %s is refused with the limit it breaks',
    async (_name, limit, query, variables) => {
      const { ask } = await asker();
      const { status, data, errors } = await ask(query, variables);
      expect(status).toBe(200);
      expect(data).toBeUndefined();
      expect(errors).toHaveLength(1);
      expect(errors[0].extensions).toEqual({
        code: 'QUERY_TOO_COMPLEX',
        reason: 'TOO_COMPLEX',
        limit,
        maximum: expect.any(Number),
        actual: expect.any(Number),
      });
      expect(errors[0].extensions.actual).toBeGreaterThan(errors[0].extensions.maximum);
      expect(errors[0].message).toContain(limit);
    },
  );

  it.each([
    ['introspection', getIntrospectionQuery()],
    [
      'a home screen of 100 tasks with 3 completions each',
      `{
      me { name points currentStreak streak { days atRisk } activeChallenge { template { title } progress { daysDone daysTotal } } }
      tasks(first: 100) { totalCount nodes { id title points completionCount completions(first: 3) { nodes { id points completedAt } } } }
    }`,
    ],
    [
      'twelve aliased months',
      `{ me { ${spread(
        12,
        (i) =>
          `m${i}: calendar(from: "2026-${String(i + 1).padStart(2, '0')}-01", to: "2026-${String(i + 1).padStart(2, '0')}-28") { date completions points firstCompletedAt streak }`,
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
    const missing = 'mutation { completeTask(taskId: "0") { replayed } }';
    expect(await ask(missing, {}, { 'GraphQL-Cost': '1' })).toMatchObject({
      errors: [{ message: 'Task not found' }],
      extensions: { cost: { requested: 2, maximum: 25_000 } },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { type TestUser, world, worldOf } from '../support/world.js';

interface Listed {
  id: string;
  createdAt: string;
}
interface Page {
  nodes: Listed[];
  edges: { cursor: string; node: Listed }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
}

const TASKS = `query ($first: Int, $after: String) {
  tasks(first: $first, after: $after) {
    nodes { id createdAt }
    edges { cursor node { id createdAt } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

const tasks = async (user: TestUser, variables: object = {}): Promise<Page> =>
  (await user.graphql.request(TASKS, variables)).tasks;
const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => Number(id));

const refused = (name: string, message: string) => ({
  response: { errors: [{ message, extensions: { code: 'BAD_USER_INPUT', fields: [{ name, message }] } }] },
});

/**
 * Someone with `count` tasks, twelve of them at every instant and later ones at earlier instants, so
 * that neither ids nor instants alone tell their order. The clock ends a day later.
 */
async function userWithTasks(count: number) {
  const { ana, clock, newUser } = await worldOf('ana');
  const made: { id: number; at: number }[] = [];
  while (made.length < count) {
    const at = Date.parse('2026-11-21T12:00:00.000Z') - made.length * 7;
    clock.set(new Date(at).toISOString());
    const group = Array.from({ length: Math.min(12, count - made.length) }, () => ana.hasTask());
    made.push(...(await Promise.all(group)).map(({ id }) => ({ id, at })));
  }
  clock.set('2026-11-22T12:00:00.000Z');
  const oldestFirst = made.sort((one, other) => one.at - other.at || one.id - other.id).map(({ id }) => id);
  return { ana, newUser, oldestFirst };
}

describe('Paging through tasks', () => {
  it('shows every task once, oldest first, the id breaking ties', async () => {
    const { ana, oldestFirst } = await userWithTasks(120);

    const first = await tasks(ana, { first: 50 });
    const second = await tasks(ana, { first: 50, after: first.pageInfo.endCursor });
    const third = await tasks(ana, { first: 50, after: second.pageInfo.endCursor });

    expect([first, second, third].map(({ nodes }) => nodes.length)).toEqual([50, 50, 20]);
    expect([first, second, third].flatMap(idsOf)).toEqual(oldestFirst);
    for (const { nodes, edges, pageInfo, totalCount } of [first, second, third]) {
      expect(edges.map(({ node }) => node)).toEqual(nodes);
      expect(pageInfo).toMatchObject({ startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor });
      expect(totalCount).toBe(120);
    }
    expect(
      [first, second, third].map(({ pageInfo }) => [pageInfo.hasPreviousPage, pageInfo.hasNextPage]),
    ).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ]);
  });

  it('shows tasks that are added meanwhile at the end', async () => {
    const { ana, oldestFirst } = await userWithTasks(60);
    const first = await tasks(ana, { first: 50 });
    const added = [await ana.hasTask(), await ana.hasTask()];

    const second = await tasks(ana, { first: 50, after: first.pageInfo.endCursor });

    expect([first, second].flatMap(idsOf)).toEqual([...oldestFirst, ...added.map(({ id }) => id)]);
    expect([first.totalCount, second.totalCount]).toEqual([60, 62]);
  });

  it('is not disturbed by tasks that are updated or completed meanwhile', async () => {
    const { ana, oldestFirst } = await userWithTasks(14);
    const first = await tasks(ana, { first: 7 });
    for (const id of oldestFirst.slice(5, 9)) {
      await ana.rest.put(`/api/tasks/${id}`, { title: 'Run' });
      await ana.completes({ id });
    }
    const second = await tasks(ana, { first: 7, after: first.pageInfo.endCursor });
    expect([first, second].flatMap(idsOf)).toEqual(oldestFirst);
  });

  it('goes on after any row, not only after the last of a page', async () => {
    const { ana, oldestFirst } = await userWithTasks(30);
    const { edges } = await tasks(ana);
    for (const [index, { cursor }] of edges.entries()) {
      const next = await tasks(ana, { first: 1, after: cursor });
      expect(idsOf(next)).toEqual(oldestFirst.slice(index + 1, index + 2));
      expect(next.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: index < 28 });
    }
  });

  it('ends with an empty page after the last row', async () => {
    const { ana } = await userWithTasks(3);
    const { pageInfo } = await tasks(ana);
    expect(await tasks(ana, { after: pageInfo.endCursor })).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
      totalCount: 3,
    });
  });

  it("shows no other user's tasks", async () => {
    const { ana, newUser } = await userWithTasks(3);
    await (await newUser()).hasTask();
    expect(await tasks(ana)).toMatchObject({ nodes: { length: 3 }, totalCount: 3 });
  });

  it('works when only single fields are selected', async () => {
    const { ana } = await userWithTasks(3);
    const ask = (selection: string) => ana.graphql.request(`{ tasks(first: 2) { ${selection} } }`);
    expect(await ask('totalCount')).toEqual({ tasks: { totalCount: 3 } });
    expect(await ask('pageInfo { hasNextPage }')).toEqual({ tasks: { pageInfo: { hasNextPage: true } } });
    expect(await ask('edges { cursor }')).toEqual({
      tasks: { edges: [{ cursor: expect.any(String) }, { cursor: expect.any(String) }] },
    });
  });
});

describe('Without tasks', () => {
  it('the one page is empty', async () => {
    const { newUser } = await world();
    expect(await tasks(await newUser())).toEqual({
      nodes: [],
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
      totalCount: 0,
    });
  });
});

describe('first', () => {
  it('may be 1 to 100, and is 50 where it is left out or null, in the variables or the document', async () => {
    const { ana } = await userWithTasks(101);
    for (const [variables, count] of [
      [{}, 50],
      [{ first: null }, 50],
      [{ first: 1 }, 1],
      [{ first: 100 }, 100],
    ] as const) {
      const { nodes, pageInfo } = await tasks(ana, variables);
      expect(nodes).toHaveLength(count);
      expect(pageInfo.hasNextPage).toBe(true);
    }
    for (const list of ['tasks', 'tasks(first: null, after: null)']) {
      const answer = await ana.graphql.request(`{ tasks: ${list} { nodes { id } } }`);
      expect(answer.tasks.nodes).toHaveLength(50);
    }
  });

  it('may be exactly the number of rows: then there is no next page', async () => {
    const { ana } = await userWithTasks(4);
    const { nodes, pageInfo } = await tasks(ana, { first: 4 });
    expect(nodes).toHaveLength(4);
    expect(pageInfo.hasNextPage).toBe(false);
  });

  it('is refused when it is no number from 1 to 100, on every list', async () => {
    const { ana } = await worldOf('ana');
    for (const list of ['tasks', 'challenges']) {
      const document = `query ($first: Int) { ${list}(first: $first) { totalCount } }`;
      for (const first of [0, 101, -1, 2_147_483_647]) {
        await expect(ana.query(document, { first })).rejects.toMatchObject(
          refused('first', '`first` must be 1 to 100'),
        );
      }
    }
    for (const first of [1.5, '10', 2_147_483_648]) {
      await expect(tasks(ana, { first })).rejects.toMatchObject({
        response: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
      });
    }
  });
});

describe('after', () => {
  const noCursor = refused(
    'after',
    '`after` must be a cursor of this list, asked for with the same arguments',
  );
  const encoded = (text: string) => Buffer.from(text).toString('base64url');

  it('is refused when it is no cursor', async () => {
    const { ana } = await userWithTasks(1);
    for (const after of [
      ...['', 'nonsense', '1', '2026-11-21T12:00:00.000Z', "' or 1 = 1; --", 'a'.repeat(100_000)],
      ...[encoded('nonsense'), encoded('1')],
    ]) {
      await expect(tasks(ana, { after }), after.slice(0, 40)).rejects.toMatchObject(noCursor);
    }
  });

  it('is refused when it is the cursor of another list', async () => {
    const { ana } = await userWithTasks(1);
    await ana.hasAccepted();
    const challenges = (after?: string) =>
      ana.graphql.request('query ($after: String) { challenges(after: $after) { pageInfo { endCursor } } }', {
        after,
      });
    const ofTasks = (await tasks(ana)).edges[0]?.cursor;
    const ofChallenges = (await challenges()).challenges.pageInfo.endCursor;
    await expect(challenges(ofTasks)).rejects.toMatchObject(noCursor);
    await expect(tasks(ana, { after: ofChallenges })).rejects.toMatchObject(noCursor);
  });

  it("is refused when it is another user's cursor", async () => {
    const { ana, newUser } = await userWithTasks(1);
    const { pageInfo } = await tasks(ana);
    await expect(tasks(await newUser(), { after: pageInfo.endCursor })).rejects.toMatchObject(noCursor);
  });

  it('is never a fault of ours, however a cursor was changed', async () => {
    const { ana } = await userWithTasks(1);
    const cursor = Buffer.from((await tasks(ana)).edges[0]?.cursor ?? '', 'base64url').toString();
    const numbers = [
      '0',
      '-1',
      '1e9',
      'NaN',
      '9'.repeat(15),
      `-${'9'.repeat(15)}`,
      '9'.repeat(16),
      '9'.repeat(400),
    ];
    for (const [digits] of cursor.matchAll(/\d+/g)) {
      for (const number of numbers) {
        const after = encoded(cursor.replace(digits, number));
        const answer = await ana.rest.post('/graphql', { query: TASKS, variables: { after } });
        const codes = (answer.body.errors ?? []).map((error: { extensions: object }) => error.extensions);
        expect([
          [],
          [{ code: 'BAD_USER_INPUT', reason: 'INVALID_INPUT', fields: expect.any(Array) }],
        ]).toContainEqual(codes);
      }
    }
  });

  it('is refused together with first when both are wrong', async () => {
    const { newUser } = await world();
    await expect(tasks(await newUser(), { first: 0, after: 'nonsense' })).rejects.toMatchObject({
      response: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    });
  });
});

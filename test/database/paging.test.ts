import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

interface Page {
  nodes: { id: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: Record<'startCursor' | 'endCursor', string | null> & Record<string, unknown>;
  totalCount: number;
}

const TASKS = `query ($first: Int, $after: String) {
  tasks(first: $first, after: $after) {
    nodes { id } edges { cursor node { id } } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

const tasks = async (user: TestUser, variables: object = {}): Promise<Page> =>
  (await user.graphql.request(TASKS, variables)).tasks;
const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => Number(id));

const refused = (name: string, message: string) => ({
  response: { errors: [{ message, extensions: { code: 'BAD_USER_INPUT', fields: [{ name, message }] } }] },
});

/** Someone with so many tasks, twelve of them at every instant and later ones at earlier instants: neither tells their order alone. */
async function userWithTasks(count: number) {
  const { ana, clock, newUser, database } = await worldOf('ana');
  const { rows } = await sql<{ id: number; at: Date }>`
    insert into tasks (user_id, title, points, is_daily_routine, created_at, updated_at)
    select ${ana.id}, 'Swim', 1, false, at, at from generate_series(0, ${count - 1}::int) number,
      lateral (select timestamptz '2026-11-21' - number / 12 * interval '7 ms' as at) made
    returning id::int, created_at as at`.execute(database.query());
  clock.set('2026-11-22T12:00:00.000Z');
  rows.sort((one, other) => one.at.getTime() - other.at.getTime() || one.id - other.id);
  return { ana, newUser, oldestFirst: rows.map(({ id }) => id) };
}

describe('Paging through tasks', () => {
  it('shows every own task once, oldest first, the id breaking ties, and tasks that come meanwhile at the end', async () => {
    const { ana, newUser, oldestFirst } = await userWithTasks(30);
    await (await newUser()).hasTask();
    const first = await tasks(ana, { first: 13 });
    for (const id of oldestFirst.slice(11, 15)) {
      await ana.rest.put(`/api/tasks/${id}`, { title: 'Run' });
      await ana.completes({ id });
    }
    const second = await tasks(ana, { first: 13, after: first.pageInfo.endCursor });
    const added = [await ana.hasTask(), await ana.hasTask()];
    const third = await tasks(ana, { first: 13, after: second.pageInfo.endCursor });

    const pages = [first, second, third];
    expect(pages.flatMap(idsOf)).toEqual([...oldestFirst, ...added.map(({ id }) => id)]);
    expect(pages.map(({ nodes, totalCount }) => [nodes.length, totalCount])).toEqual([
      [13, 30],
      [13, 30],
      [6, 32],
    ]);
    for (const { nodes, edges, pageInfo } of pages) {
      expect(edges.map(({ node }) => node)).toEqual(nodes);
      expect(pageInfo).toMatchObject({ startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor });
    }
  });

  it('goes on after any row, and ends with an empty page after the last one', async () => {
    const { ana, oldestFirst } = await userWithTasks(14);
    const { edges, pageInfo } = await tasks(ana);
    expect(pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: false });
    for (const [index, { cursor }] of edges.entries()) {
      const next = await tasks(ana, { first: 1, after: cursor });
      expect(idsOf(next)).toEqual(oldestFirst.slice(index + 1, index + 2));
      expect(next.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: index < 12 });
    }
    const none = { startCursor: null, endCursor: null, hasNextPage: false };
    const beyond = { nodes: [], edges: [], pageInfo: { ...none, hasPreviousPage: true }, totalCount: 14 };
    expect(await tasks(ana, { after: pageInfo.endCursor })).toEqual(beyond);
  });
});

describe('first', () => {
  it('may be 1 to 100, and is 50 where it is left out or null', async () => {
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
  });

  it('is refused when it is no number from 1 to 100, on every list', async () => {
    const { ana } = await worldOf('ana');
    for (const list of ['tasks', 'challenges']) {
      const document = `query ($first: Int) { ${list}(first: $first) { totalCount } }`;
      for (const first of [0, 101, -1, 2_147_483_647]) {
        const asked = ana.query(document, { first });
        await expect(asked).rejects.toMatchObject(refused('first', '`first` must be 1 to 100'));
      }
    }
  });
});

describe('after', () => {
  const noCursor = refused(
    'after',
    '`after` must be a cursor of this list, asked for with the same arguments',
  );
  const encoded = (text: string) => Buffer.from(text).toString('base64url');

  it('is refused when it is no cursor, or one of another list or another user', async () => {
    const { ana, newUser } = await userWithTasks(1);
    await ana.hasAccepted();
    const ben = await newUser();
    const challenges = (after?: string | null) =>
      ana.graphql.request('query ($after: String) { challenges(after: $after) { pageInfo { endCursor } } }', {
        after,
      });
    const own = (await tasks(ana)).pageInfo.endCursor;
    const ofChallenges = (await challenges()).challenges.pageInfo.endCursor;
    await expect(challenges(own)).rejects.toMatchObject(noCursor);
    await expect(tasks(ben, { after: own })).rejects.toMatchObject(noCursor);
    const wrong = ['', '1', "' or 1 = 1; --", 'a'.repeat(100_000), encoded('nonsense'), encoded('1')];
    for (const after of [...wrong, ofChallenges])
      await expect(tasks(ana, { after }), after.slice(0, 40)).rejects.toMatchObject(noCursor);
  });
});

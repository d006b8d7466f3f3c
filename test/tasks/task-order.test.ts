import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Random } from '../chaos/random.js';
import { worldOf } from '../support/world.js';

const LIST = `query ($first: Int = 100, $after: String, $archived: ArchiveFilter! = IN_USE) {
  tasks(first: $first, after: $after, archived: $archived) { nodes { title } pageInfo { hasNextPage endCursor } }
}`;

/** Someone with tasks called a, b, c …, some of them made at the same instant, who lists and moves them by these names. */
async function planner(names: string) {
  const { ana, ...here } = await worldOf('ana');
  const ids: Record<string, number> = {};
  const makes = async (name: string) => {
    ids[name] = (await ana.hasTask({ title: name })).id;
  };
  for (const [index, name] of [...names].entries()) {
    if (index % 3 === 0) here.clock.advance({ seconds: 1 });
    await makes(name);
  }
  const page = async (variables: { first?: number; after?: string | null; archived?: string }) => {
    const { nodes, pageInfo } = (await ana.query(LIST, variables)).tasks;
    return { names: nodes.map(({ title }: { title: string }) => title).join(''), ...pageInfo };
  };
  const listed = async (asked: { first?: number; archived?: string } = {}) => {
    let [all, next] = ['', await page(asked)];
    for (; next.hasNextPage; next = await page({ ...asked, after: next.endCursor })) all += next.names;
    return all + next.names;
  };
  const move = (name: string, behind?: string) =>
    ana.query(
      `mutation { moveTask(id: ${ids[name]}, behindTaskId: ${behind ? ids[behind] : null}) { task { updatedAt } } }`,
    );
  const ask = (mutation: string, name: string) =>
    ana.query(`mutation { ${mutation.replace('$', `${ids[name]}`)} { task { id } } }`);
  const oldestFirst = async () =>
    (await ana.rest.get('/api/tasks/me')).body
      .map((row: { task: { title: string } }) => row.task.title)
      .join('');
  const longestRank = async () => {
    const { rows } = await sql<{ digits: number | null }>`
      select max(scale(rank)) as digits from tasks where user_id = ${ana.id}`.execute(here.database.query());
    return rows[0]?.digits ?? 0;
  };
  return { ...here, ana, makes, page, listed, move, ask, oldestFirst, longestRank };
}

describe('moveTask', () => {
  it('moves a task to the top, behind another one and to the end; what is new comes last, and a cursor stays where it was', async () => {
    const { clock, listed, move, makes, page, oldestFirst } = await planner('abcd');
    for (const [name, behind, expected] of [
      ['c', undefined, 'cabd'],
      ['d', undefined, 'dcab'],
      ['c', 'a', 'dacb'],
      ['d', 'b', 'acbd'],
    ] as const) {
      await move(name, behind);
      expect(await listed()).toBe(expected);
    }
    await makes('e');
    clock.advance({ seconds: 1 });
    await move('a', 'e');
    await makes('f');
    expect(await listed()).toBe('cbdeaf');
    expect(await oldestFirst()).toBe('abcdef');
    const { endCursor: after } = await page({ first: 2 });
    await move('b', 'd');
    expect((await page({ after })).names).toBe('dbeaf');
  });

  it('changes nothing behind the task itself, where it is already, or where nobody says behind which one', async () => {
    const { listed, move, ask, longestRank } = await planner('abcd');
    await move('b', 'b');
    await move('b', 'a');
    await move('a');
    await ask('moveTask(id: $, section: "Noon")', 'b');
    expect([await listed(), await longestRank()]).toEqual(['abcd', 0]);
  });

  it('moves what is archived among all others, and there it is when it is taken out', async () => {
    const { listed, move, ask } = await planner('abcd');
    for (const name of ['b', 'c']) await ask('archiveTask(id: $)', name);
    await move('d', 'b');
    expect(await listed({ archived: 'ANY' })).toBe('abdc');
    await move('c');
    expect(await listed({ archived: 'ARCHIVED' })).toBe('cb');
    await ask('unarchiveTask(id: $)', 'b');
    expect(await listed()).toBe('abd');
  });

  it('keeps ranks short and the order right, however often it is done between the same two', async () => {
    const { listed, move, makes, longestRank } = await planner('abcdef');
    const random = new Random(7);
    const model = [...'abcdef'];
    let longest = 0;
    for (let turn = 0; turn < 50; turn += 1) {
      // Mostly the narrowest place, which halves each time; sometimes any.
      const isAny = turn % 10 === 9;
      const [task = ''] = model.splice(isAny ? random.whole(0, 5) : model.length - 1, 1);
      const place = isAny ? random.whole(0, 5) : 1;
      await move(task, model[place - 1]);
      model.splice(place, 0, task);
      if (turn % 25 === 24) expect(await listed({ first: 2 })).toBe(model.join(''));
      longest = Math.max(longest, await longestRank());
    }
    expect(longest).toBeGreaterThan(20);
    expect(longest).toBeLessThanOrEqual(30);
    await makes('g');
    expect(await listed()).toBe(`${model.join('')}g`);
  });

  it('at the same time leaves every task in one place, which pages agree upon', async () => {
    const { listed, move, ana, database } = await planner('abcdefgh');
    // All to one place, where each has to see the one before it; then anywhere.
    await Promise.all([...'bcdefgh'].map((name) => move(name, 'a')));
    await Promise.all([...'abcdefgh'].map((name, number) => move(name, 'abcdefgh'[(number * 5 + 3) % 8])));
    await Promise.all([...'cdefgh'].map((name) => move(name)));
    const whole = await listed();
    expect([...whole].sort().join('')).toBe('abcdefgh');
    expect(await listed({ first: 1 })).toBe(whole);
    const { rows } = await sql<{ places: number }>`
      select count(distinct (coalesce(listed_at, created_at), coalesce(rank, id)))::int as places
      from tasks where user_id = ${ana.id}`.execute(database.query());
    expect(rows).toEqual([{ places: 8 }]);
  });
});

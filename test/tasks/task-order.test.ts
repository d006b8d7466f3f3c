import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { Random } from '../chaos/random.js';
import { type TestUser, type World, worldOf } from '../support/world.js';

const MOVE =
  'mutation ($id: ID!, $behind: ID) { moveTask(id: $id, behindTaskId: $behind) { task { id title updatedAt } } }';

type Task = { id: number };

const move = (user: TestUser, { id }: Task, behind: Task | null = null) =>
  user.query(MOVE, { id, behind: behind?.id ?? null });

async function listed(user: TestUser, { first = 100, archived = 'IN_USE' } = {}): Promise<number[]> {
  const query = `query ($first: Int, $after: String, $archived: ArchiveFilter!) {
    tasks(first: $first, after: $after, archived: $archived) { nodes { id } pageInfo { hasNextPage endCursor } }
  }`;
  const ids: number[] = [];
  for (let after: string | null = null; ; ) {
    const { tasks } = await user.query(query, { first, after, archived });
    ids.push(...tasks.nodes.map(({ id }: { id: string }) => Number(id)));
    if (!tasks.pageInfo.hasNextPage) return ids;
    after = tasks.pageInfo.endCursor;
  }
}

const oldestFirst = async (user: TestUser): Promise<number[]> =>
  (await user.rest.get('/api/tasks/me')).body.map(({ task }: { task: Task }) => task.id);

/** Someone with tasks, some of them made at the same instant. */
async function planner(count: number) {
  const { ana, ...here } = await worldOf('ana');
  const tasks: Task[] = [];
  for (let index = 0; index < count; index += 1) {
    if (index % 3 === 0) here.clock.advance({ seconds: 1 });
    tasks.push(await ana.hasTask({ title: `Task ${index}` }));
  }
  return { here, ana, tasks: tasks as [Task, Task, Task, Task, ...Task[]] };
}

const idsOf = (...tasks: Task[]) => tasks.map(({ id }) => id);

const longestRank = async ({ database }: World, { id }: TestUser) =>
  (
    await sql<{ digits: number }>`select max(scale(rank)) as digits from tasks where user_id = ${id}`.execute(
      database.query(),
    )
  ).rows[0]?.digits ?? 0;

describe('moveTask', () => {
  it('moves a task to the top, behind another one and to the end, and what is new comes last', async () => {
    const { here, ana, tasks } = await planner(4);
    const [a, b, c, d] = tasks;
    await move(ana, c);
    expect(await listed(ana)).toEqual(idsOf(c, a, b, d));
    await move(ana, d, null);
    expect(await listed(ana)).toEqual(idsOf(d, c, a, b));
    await move(ana, c, a);
    expect(await listed(ana)).toEqual(idsOf(d, a, c, b));
    await move(ana, d, b);
    const e = await ana.hasTask();
    expect(await listed(ana)).toEqual(idsOf(a, c, b, d, e));
    here.clock.advance({ seconds: 1 });
    await move(ana, a, e);
    const f = await ana.hasTask();
    expect(await listed(ana)).toEqual(idsOf(c, b, d, e, a, f));
  });

  it('changes no other list, and not when the task was edited', async () => {
    const { here, ana } = await planner(0);
    const challenge = await ana.hasAccepted(3);
    const [one, two] = [
      await ana.hasTask({ challenge_template_id: 3 }),
      await ana.hasTask({ challenge_template_id: 3 }),
    ];
    here.clock.advance({ hours: 1 });
    const { moveTask } = await move(ana, two);
    expect(moveTask.task.updatedAt).toBe('2026-11-21T12:00:00.000Z');
    expect(await listed(ana)).toEqual(idsOf(two, one));
    expect(await oldestFirst(ana)).toEqual(idsOf(one, two));
    const linked = await ana.query(
      'query ($id: ID!) { challenge(id: $id) { tasks { nodes { id } } } }',
      challenge,
    );
    expect(linked.challenge.tasks.nodes).toEqual([{ id: String(one.id) }, { id: String(two.id) }]);
  });

  it('changes nothing behind the task itself, where the task is already, or where nobody says behind which one', async () => {
    const { here, ana, tasks } = await planner(4);
    const [a, b] = tasks;
    await move(ana, b, b);
    await move(ana, b, a);
    await move(ana, a);
    await ana.query('mutation ($id: ID!) { moveTask(id: $id, section: "Noon") { task { id } } }', b);
    expect(await listed(ana)).toEqual(idsOf(...tasks));
    expect(await longestRank(here, ana)).toBe(0);
  });

  it('moves what is archived among all others, and there it is when it is taken out', async () => {
    const { ana, tasks } = await planner(4);
    const [a, b, c, d] = tasks;
    const setArchived = (how: string, { id }: Task) =>
      ana.query(`mutation ($id: ID!) { ${how}(id: $id) { task { id } } }`, { id });
    await setArchived('archiveTask', b);
    await setArchived('archiveTask', c);
    await move(ana, d, b);
    expect(await listed(ana, { archived: 'ANY' })).toEqual(idsOf(a, b, d, c));
    await move(ana, c);
    expect(await listed(ana, { archived: 'ARCHIVED' })).toEqual(idsOf(c, b));
    await setArchived('unarchiveTask', b);
    expect(await listed(ana)).toEqual(idsOf(a, b, d));
  });

  it('keeps ranks short and the order right, however often it is done between the same two', async () => {
    const { here, ana, tasks } = await planner(6);
    const random = new Random(7);
    const model = [...tasks];
    let longest = 0;
    for (let turn = 0; turn < 80; turn += 1) {
      // Mostly the narrowest place, which halves each time; sometimes any.
      const index = turn % 10 === 9 ? random.whole(0, 5) : model.length - 1;
      const [task] = model.splice(index, 1) as [Task];
      const place = turn % 10 === 9 ? random.whole(0, 5) : 1;
      await move(ana, task, model[place - 1] ?? null);
      model.splice(place, 0, task);
      if (turn % 40 === 39) expect(await listed(ana, { first: 2 })).toEqual(idsOf(...model));
      longest = Math.max(longest, await longestRank(here, ana));
    }
    expect(longest).toBeGreaterThan(20);
    expect(longest).toBeLessThanOrEqual(30);
    const made = await ana.hasTask();
    expect(await listed(ana)).toEqual(idsOf(...model, made));
    expect(await oldestFirst(ana)).toEqual(idsOf(...tasks, made));
  });

  it('at the same time leaves every task in one place, which pages agree upon', async () => {
    const { here, ana, tasks } = await planner(8);
    // All to one place, where each has to see the one before it; then anywhere.
    for (let round = 0; round < 3; round += 1)
      await Promise.all(tasks.slice(1).map((task) => move(ana, task, tasks[0])));
    await Promise.all(tasks.map((task, number) => move(ana, task, tasks[(number * 5 + 3) % 8])));
    await Promise.all(tasks.slice(2).map((task) => move(ana, task)));
    const whole = await listed(ana);
    expect([...whole].sort((one, other) => one - other)).toEqual(idsOf(...tasks));
    expect(await listed(ana, { first: 1 })).toEqual(whole);
    const { rows } = await sql<{ places: number }>`
      select count(distinct (coalesce(listed_at, created_at), coalesce(rank, id)))::int as places
      from tasks where user_id = ${ana.id}`.execute(here.database.query());
    expect(rows).toEqual([{ places: 8 }]);
  });

  it('goes on from a cursor where the row was, when it is moved meanwhile', async () => {
    const { ana, tasks } = await planner(4);
    const [a, b, c, d] = tasks;
    const { tasks: page } = await ana.query('{ tasks(first: 2) { pageInfo { endCursor } } }');
    await move(ana, b, d);
    const next = await ana.query('query ($after: String) { tasks(after: $after) { nodes { id } } }', {
      after: page.pageInfo.endCursor,
    });
    expect(next.tasks.nodes.map(({ id }: { id: string }) => Number(id))).toEqual(idsOf(c, d, b));
    expect(a.id).toBeLessThan(b.id);
  });
});

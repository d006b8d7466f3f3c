import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { type TestUser, worldOf } from '../support/world.js';

const TASK = 'id title archivedAt updatedAt completionCount lastCompletedAt';
const ARCHIVE = `mutation ($id: ID!) { archiveTask(id: $id) { task { ${TASK} } } }`;
const UNARCHIVE = `mutation ($id: ID!) { unarchiveTask(id: $id) { task { ${TASK} } } }`;
const COMPLETE = `mutation ($id: ID!, $key: String, $at: DateTime) {
  completeTask(taskId: $id, idempotencyKey: $key, at: $at) { completion { id } task { archivedAt } isReplayed }
}`;
const LIST = `query ($archived: ArchiveFilter! = IN_USE) { tasks(archived: $archived) { nodes { title } totalCount } }`;

const archive = async (user: TestUser, { id }: { id: number }) =>
  (await user.query(ARCHIVE, { id })).archiveTask.task;

const titles = async (user: TestUser, variables: object = {}) => {
  const { tasks } = await user.query(LIST, { ...variables });
  expect(tasks.totalCount).toBe(tasks.nodes.length);
  return tasks.nodes.map(({ title }: { title: string }) => title);
};

const errorsOf = async (user: TestUser, query: string, variables: object) =>
  (await user.rest.ask(query, variables)).errors;

async function swimmer() {
  const { ana, ...here } = await worldOf('ana');
  const swim = await ana.hasTask({ title: 'Swim', points: 2.5 });
  const run = await ana.hasTask({ title: 'Run' });
  return { ...here, ana, swim, run };
}

describe('An archived task', () => {
  it('is listed on request only, and whole in REST', async () => {
    const { ana, swim } = await swimmer();
    await archive(ana, swim);
    expect(await titles(ana)).toEqual(['Run']);
    expect(await titles(ana, { archived: 'ARCHIVED' })).toEqual(['Swim']);
    expect(await titles(ana, { archived: 'ANY' })).toEqual(['Swim', 'Run']);
    const { body } = await ana.rest.get('/api/tasks/me');
    expect(body.map(({ task }: { task: { title: string } }) => task.title)).toEqual(['Swim', 'Run']);
    const found = await ana.query('query ($id: ID!) { task(id: $id) { title archivedAt } }', swim);
    expect(found.task).toEqual({ title: 'Swim', archivedAt: '2026-11-21T12:00:00.000Z' });
  });

  it('keeps its history, its count, its points and its place in a challenge', async () => {
    const { ana, clock } = await swimmer();
    const challenge = await ana.hasAccepted(3);
    const linked = await ana.hasTask({ title: 'Linked', challenge_template_id: 3 });
    await ana.completes(linked);
    clock.advance({ hours: 1 });
    expect(await archive(ana, linked)).toMatchObject({
      ...{ archivedAt: '2026-11-21T13:00:00.000Z', updatedAt: '2026-11-21T12:00:00.000Z' },
      ...{ completionCount: 1, lastCompletedAt: '2026-11-21T12:00:00.000Z' },
    });
    expect(await ana.profile()).toMatchObject({ points: 10, current_streak: 1 });
    const read = await ana.query(
      'query ($id: ID!) { completions { nodes { task { title } } } challenge(id: $id) { tasks { nodes { title } } progress { daysDone } } }',
      challenge,
    );
    expect(read).toEqual({
      completions: { nodes: [{ task: { title: 'Linked' } }] },
      challenge: { tasks: { nodes: [{ title: 'Linked' }] }, progress: { daysDone: 1 } },
    });
  });

  it('stays as it is when it is archived again, and when one in use is taken out', async () => {
    const { ana, swim, clock } = await swimmer();
    const first = await archive(ana, swim);
    clock.advance({ hours: 2 });
    expect(await archive(ana, swim)).toEqual(first);
    for (let time = 0; time < 2; time += 1)
      expect((await ana.query(UNARCHIVE, swim)).unarchiveTask.task.archivedAt).toBeNull();
    expect(await titles(ana)).toEqual(['Swim', 'Run']);
    expect((await ana.completes(swim)).status).toBe(201);
  });

  it('cannot be completed among several, now or late', async () => {
    const { ana, swim, run } = await swimmer();
    await archive(ana, swim);
    const yesterday = '2026-11-20T12:00:00.000Z';
    const several = `mutation ($input: [CompletionInput!]!) {
      completeTasks(input: $input) { results { task { title } error { reason } } }
    }`;
    const { completeTasks } = await ana.query(several, {
      input: [
        { taskId: swim.id, idempotencyKey: 'a' },
        { taskId: run.id, idempotencyKey: 'b' },
        { taskId: swim.id, idempotencyKey: 'c', at: yesterday },
        { taskId: run.id, idempotencyKey: 'd', at: yesterday },
      ],
    });
    const refused = { task: null, error: { reason: 'TASK_ARCHIVED' } };
    const done = { task: { title: 'Run' }, error: null };
    expect(completeTasks.results).toEqual([refused, done, refused, done]);
  });

  it('answers the key of an earlier completion with that completion', async () => {
    const { ana, swim, run } = await swimmer();
    const { completeTask: first } = await ana.query(COMPLETE, { ...swim, key: 'tap' });
    await ana.query(COMPLETE, { ...run, key: 'other' });
    const { archivedAt } = await archive(ana, swim);
    const { completeTask: again } = await ana.query(COMPLETE, { ...swim, key: 'tap' });
    expect(again).toEqual({ ...first, task: { archivedAt }, isReplayed: true });
    expect(await errorsOf(ana, COMPLETE, { ...swim, key: 'other' })).toMatchObject([
      { extensions: { reason: 'KEY_REUSED' } },
    ]);
  });

  it('can be edited, and its completion of today undone', async () => {
    const here = await swimmer();
    const { ana, swim } = here;
    const { body } = await ana.completes(swim);
    await archive(ana, swim);
    const undo = `mutation ($id: ID!) { undoCompletion(id: $id) { task { archivedAt completionCount } user { points } } }`;
    expect((await ana.query(undo, { id: body.id })).undoCompletion).toEqual({
      task: { archivedAt: '2026-11-21T12:00:00.000Z', completionCount: 0 },
      user: { points: 0 },
    });
    expect((await ana.rest.put(`/api/tasks/${swim.id}`, { title: 'Dive' })).body.title).toBe('Dive');
    expect(await titles(ana, { archived: 'ARCHIVED' })).toEqual(['Dive']);
    expect(await driftsOf(here, ana)).toEqual([]);
  });
});

describe('Completing a task while it is archived', () => {
  it.each([
    ['now', undefined],
    ['late', '2026-11-20T12:00:00.000Z'],
  ])('is refused, and counts nothing, when putting away comes first: %s', async (_name, at) => {
    const here = await swimmer();
    const { ana, swim, database } = here;
    const archived = sql`update tasks set archived_at = now() where id = ${swim.id} and user_id = ${ana.id}`;
    const release = await holding(database, archived);
    const errors = errorsOf(ana, COMPLETE, { ...swim, at, key: 'tap' });
    await untilSomeoneWaits(database);
    await release();
    expect(await errors).toMatchObject([{ extensions: { reason: 'TASK_ARCHIVED' } }]);
    expect(await ana.profile()).toMatchObject({ points: 0, current_streak: 0, max_streak: 0 });
    expect((await ana.query('{ completions { totalCount } }')).completions.totalCount).toBe(0);
    expect(await driftsOf(here, ana)).toEqual([]);
  });
});

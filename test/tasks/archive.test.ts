import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { refusal, type TestUser, type World, worldOf } from '../support/world.js';

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

const IS_ARCHIVED = [
  { message: 'This task is archived', extensions: { code: 'BAD_USER_INPUT', reason: 'TASK_ARCHIVED' } },
];

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
    expect(await titles(ana, { archived: 'IN_USE' })).toEqual(['Run']);
    expect(await titles(ana, { archived: 'ARCHIVED' })).toEqual(['Swim']);
    expect(await titles(ana, { archived: 'ANY' })).toEqual(['Swim', 'Run']);
    const { tasks } = await ana.query('{ tasks(archived: ANY) { totalCount } }');
    expect(tasks.totalCount).toBe(2);
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
    expect(await archive(ana, linked)).toEqual({
      id: String(linked.id),
      title: 'Linked',
      archivedAt: '2026-11-21T13:00:00.000Z',
      updatedAt: '2026-11-21T12:00:00.000Z',
      completionCount: 1,
      lastCompletedAt: '2026-11-21T12:00:00.000Z',
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
    const { ana, swim, run, clock } = await swimmer();
    await archive(ana, swim);
    const yesterday = new Date(clock.now().getTime() - 86_400_000).toISOString();
    const several = `mutation ($input: [CompletionInput!]!) {
      completeTasks(input: $input) { results { task { title } error { message reason } } }
    }`;
    const { completeTasks } = await ana.query(several, {
      input: [
        { taskId: swim.id, idempotencyKey: 'a' },
        { taskId: run.id, idempotencyKey: 'b' },
        { taskId: swim.id, idempotencyKey: 'c', at: yesterday },
        { taskId: run.id, idempotencyKey: 'd', at: yesterday },
      ],
    });
    const refused = { task: null, error: { message: 'This task is archived', reason: 'TASK_ARCHIVED' } };
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
    const overRest = await ana.completes(swim, { 'Idempotency-Key': 'tap' });
    expect([overRest.status, String(overRest.body.id)]).toEqual([201, first.completion.id]);
    const several = `mutation ($id: ID!) {
      completeTasks(input: [{ taskId: $id, idempotencyKey: "tap" }]) { results { completion { id } isReplayed } }
    }`;
    const { completeTasks } = await ana.query(several, swim);
    expect(completeTasks.results).toEqual([{ completion: first.completion, isReplayed: true }]);
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
    expect(await driftsOf(here as unknown as World, ana)).toEqual([]);
  });
});

describe('Completing a task while it is archived', () => {
  it('either counts before, or is refused and counts nothing', async () => {
    const here = await swimmer();
    const { ana } = here;
    let counted = 0;
    for (let round = 0; round < 4; round += 1) {
      const task = await ana.hasTask({ points: 1 });
      const answers = await Promise.all([
        ...[1, 2].map(() => ana.completes(task)),
        archive(ana, task),
        ...[1, 2].map(() => ana.completes(task)),
      ]);
      for (const answer of answers.filter((each) => 'status' in each)) {
        if (answer.status === 201) counted += 1;
        else expect(answer).toEqual(refusal(400, 'This task is archived'));
      }
    }
    expect(await ana.profile()).toMatchObject({ points: counted });
    expect(await driftsOf(here as unknown as World, ana)).toEqual([]);
  });

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
    expect(await errors).toMatchObject(IS_ARCHIVED);
    expect(await ana.profile()).toMatchObject({ points: 0, current_streak: 0, max_streak: 0 });
    const { completions } = await ana.query('{ completions { totalCount nodes { id } } }');
    expect(completions).toEqual({ totalCount: 0, nodes: [] });
    expect(await driftsOf(here as unknown as World, ana)).toEqual([]);
  });
});

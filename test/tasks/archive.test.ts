import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { worldOf } from '../support/world.js';

const COMPLETE = `mutation ($id: ID!, $key: String, $at: DateTime) {
  completeTask(taskId: $id, idempotencyKey: $key, at: $at) { completion { id } task { archivedAt } isReplayed }
}`;

async function swimmer() {
  const { ana, ...here } = await worldOf('ana');
  const swim = await ana.hasTask({ title: 'Swim', points: 2.5 });
  const run = await ana.hasTask({ title: 'Run' });
  const changes = async (how: 'archiveTask' | 'unarchiveTask', { id } = swim) => {
    const fields = 'archivedAt updatedAt completionCount lastCompletedAt';
    return (await ana.query(`mutation { ${how}(id: ${id}) { task { ${fields} } } }`))[how].task;
  };
  const titles = async (archived?: string) => {
    const list = `tasks${archived ? `(archived: ${archived})` : ''} { nodes { title } totalCount }`;
    const { nodes, totalCount } = (await ana.query(`{ ${list} }`)).tasks;
    expect(totalCount).toBe(nodes.length);
    return nodes.map(({ title }: { title: string }) => title);
  };
  const reasonOf = async (variables: object) =>
    (await ana.rest.ask(COMPLETE, { ...swim, ...variables })).errors[0].extensions.reason;
  return { ...here, ana, swim, run, changes, titles, reasonOf, drifts: () => driftsOf(here, ana) };
}

describe('An archived task', () => {
  it('is listed on request only, and whole in REST, until it is taken out, however often either is asked for', async () => {
    const { ana, swim, clock, changes, titles } = await swimmer();
    const first = await changes('archiveTask');
    clock.advance({ hours: 2 });
    expect(await changes('archiveTask')).toEqual(first);
    expect(await titles()).toEqual(['Run']);
    expect(await titles('ARCHIVED')).toEqual(['Swim']);
    expect(await titles('ANY')).toEqual(['Swim', 'Run']);
    const { body } = await ana.rest.get('/api/tasks/me');
    expect(body.map(({ task }: { task: { title: string } }) => task.title)).toEqual(['Swim', 'Run']);
    expect((await ana.query(`{ task(id: ${swim.id}) { title } }`)).task).toEqual({ title: 'Swim' });
    for (const _time of [1, 2]) expect((await changes('unarchiveTask')).archivedAt).toBeNull();
    expect((await ana.completes(swim)).status).toBe(201);
  });

  it('keeps its history, its count, its points and its place in a challenge, and can be edited and undone', async () => {
    const { ana, clock, changes, titles, drifts } = await swimmer();
    const challenge = await ana.hasAccepted(3);
    const linked = await ana.hasTask({ title: 'Linked', challenge_template_id: 3 });
    const { body } = await ana.completes(linked);
    clock.advance({ hours: 1 });
    const at = '2026-11-21T12:00:00.000Z';
    expect(await changes('archiveTask', linked)).toEqual({
      ...{ archivedAt: '2026-11-21T13:00:00.000Z', updatedAt: at, completionCount: 1, lastCompletedAt: at },
    });
    expect(await ana.profile()).toMatchObject({ points: 10, current_streak: 1 });
    const ofChallenge = 'tasks { nodes { title } } progress { daysDone }';
    const query = `{ completions { totalCount } challenge(id: ${challenge.id}) { ${ofChallenge} } }`;
    expect(await ana.query(query)).toEqual({
      completions: { totalCount: 1 },
      challenge: { tasks: { nodes: [{ title: 'Linked' }] }, progress: { daysDone: 1 } },
    });
    const undo = `undoCompletion(id: ${body.id}) { task { completionCount } user { points } }`;
    expect((await ana.query(`mutation { ${undo} }`)).undoCompletion).toEqual({
      ...{ task: { completionCount: 0 }, user: { points: 0 } },
    });
    await ana.rest.put(`/api/tasks/${linked.id}`, { title: 'Dive' });
    expect(await titles('ARCHIVED')).toEqual(['Dive']);
    expect(await drifts()).toEqual([]);
  });

  it('cannot be completed among several, now or late, and answers the key of an earlier completion with that', async () => {
    const { ana, swim, run, changes, reasonOf } = await swimmer();
    const { completeTask: first } = await ana.query(COMPLETE, { ...swim, key: 'tap' });
    await ana.query(COMPLETE, { ...run, key: 'other' });
    const { archivedAt } = await changes('archiveTask');
    const { completeTask: again } = await ana.query(COMPLETE, { ...swim, key: 'tap' });
    expect(again).toEqual({ ...first, task: { archivedAt }, isReplayed: true });
    expect(await reasonOf({ key: 'other' })).toBe('KEY_REUSED');
    const several = `mutation ($input: [CompletionInput!]!) {
      completeTasks(input: $input) { results { task { title } error { reason } } }
    }`;
    const input = [undefined, '2026-11-20T12:00:00.000Z'].flatMap((at, index) =>
      [swim, run].map(({ id }) => ({ taskId: id, idempotencyKey: `${id}-${index}`, at })),
    );
    const refused = { task: null, error: { reason: 'TASK_ARCHIVED' } };
    const done = { task: { title: 'Run' }, error: null };
    const { results } = (await ana.query(several, { input })).completeTasks;
    expect(results).toEqual([refused, done, refused, done]);
  });

  it.each([
    ['now', undefined],
    ['late', '2026-11-20T12:00:00.000Z'],
  ])('refuses a completion that counts nothing, when putting away comes first: %s', async (_name, at) => {
    const { ana, swim, database, reasonOf, drifts } = await swimmer();
    const archived = sql`update tasks set archived_at = now() where id = ${swim.id} and user_id = ${ana.id}`;
    const release = await holding(database, archived);
    const reason = reasonOf({ at, key: 'tap' });
    await untilSomeoneWaits(database);
    await release();
    expect(await reason).toBe('TASK_ARCHIVED');
    expect(await ana.profile()).toMatchObject({ points: 0, current_streak: 0, max_streak: 0 });
    expect(await drifts()).toEqual([]);
  });
});

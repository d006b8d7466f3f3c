import { expect, it } from 'vitest';
import { streamOf } from '../support/live.js';
import { worldOf } from '../support/world.js';

const SUBSCRIPTION =
  'subscription { progressChanged { kind taskIds completionId task { id } completion { id note } user { id } } }';

/** Somebody who listens, with two tasks that were made before. */
async function listening() {
  const { ana, ...here } = await worldOf('ana');
  const [swim, run] = [await ana.hasTask({ title: 'Swim' }), await ana.hasTask({ title: 'Run' })];
  const stream = await streamOf(ana, SUBSCRIPTION);
  const next = async () => {
    const { data, errors } = await stream.next();
    expect(errors).toBeUndefined();
    const { user, ...change } = data.progressChanged;
    expect(user).toEqual({ id: ana.id });
    return change;
  };
  return { ...here, ana, next, swim: String(swim.id), run: String(run.id) };
}

const nothing = { taskIds: [], completionId: null, task: null, completion: null };
const ofTask = (id: string) => ({ ...nothing, taskIds: [id], task: { id } });

it('What happens to a completion is told by its kind, with its id even when it is gone', async () => {
  const { ana, next, swim } = await listening();
  const { completeTask } = await ana.query(
    'mutation ($id: ID!) { completeTask(taskId: $id) { completion { id } } }',
    { id: swim },
  );
  const { id } = completeTask.completion;
  const told = { ...ofTask(swim), completionId: id };
  expect(await next()).toEqual({ ...told, kind: 'COMPLETION_RECORDED', completion: { id, note: null } });
  await ana.query(
    'mutation ($id: ID!) { updateCompletionNote(id: $id, note: "Cold") { completion { id } } }',
    {
      id,
    },
  );
  expect(await next()).toEqual({ ...told, kind: 'COMPLETION_CHANGED', completion: { id, note: 'Cold' } });
  await ana.query('mutation ($id: ID!) { undoCompletion(id: $id) { completionId } }', { id });
  expect(await next()).toEqual({ ...told, kind: 'COMPLETION_UNDONE' });
});

it('What happens to a task is told by its kind, and of a section with all that changed', async () => {
  const { ana, next, swim, run } = await listening();
  const { createTask } = await ana.query('mutation { createTask(input: { title: "Dive" }) { task { id } } }');
  const { id } = createTask.task;
  expect(await next()).toEqual({ ...ofTask(id), kind: 'TASK_CREATED' });
  for (const [change, kind] of [
    ['updateTask(id: $id, input: { title: "Row" }) { task { id } }', 'TASK_CHANGED'],
    [`moveTask(id: $id, behindTaskId: "${swim}") { task { id } }`, 'TASK_MOVED'],
    ['skipDay(taskId: $id, date: "2026-11-23") { date }', 'DAY_SKIPPED'],
    ['skipDay(taskId: $id, date: "2026-11-23", note: "Ill") { date }', 'DAY_SKIPPED'],
    ['unskipDay(taskId: $id, date: "2026-11-23") { date }', 'DAY_UNSKIPPED'],
    ['archiveTask(id: $id) { task { id } }', 'TASK_ARCHIVED'],
    ['unarchiveTask(id: $id) { task { id } }', 'TASK_UNARCHIVED'],
  ] as const) {
    await ana.query(`mutation ($id: ID!) { ${change} }`, { id });
    expect(await next(), change).toEqual({ ...ofTask(id), kind });
  }
  await ana.query('mutation ($id: ID!) { deleteTask(id: $id) { deletedId } }', { id });
  expect(await next()).toEqual({ ...ofTask(id), kind: 'TASK_DELETED', task: null });
  for (const each of [swim, run]) {
    await ana.query('mutation ($id: ID!) { moveTask(id: $id, section: "Morning") { task { id } } }', {
      id: each,
    });
    expect((await next()).kind).toBe('TASK_MOVED');
  }
  await ana.query('mutation { renameSection(name: "Morning", newName: "Dawn") { taskCount } }');
  const { taskIds, ...renamed } = await next();
  expect(renamed).toMatchObject({ kind: 'TASK_CHANGED', task: null, completionId: null });
  expect(taskIds).toEqual(expect.arrayContaining([swim, run]));
});

it('What happens to a pause is told by its kind, of one task or of all', async () => {
  const { ana, next, swim, run } = await listening();
  for (const [taskId, told] of [
    [swim, ofTask(swim)],
    [null, { ...nothing, taskIds: [swim, run] }],
  ] as const) {
    const { createPause } = await ana.query(
      'mutation ($taskId: ID) { createPause(input: { taskId: $taskId, from: "2026-12-01" }) { pause { id } } }',
      { taskId },
    );
    const { id } = createPause.pause;
    const { taskIds, ...begun } = await next();
    expect(begun).toEqual({ kind: 'PAUSE_BEGUN', ...told, taskIds: undefined });
    expect([...taskIds].sort()).toEqual([...told.taskIds].sort());
    await ana.query(
      'mutation ($id: ID!) { updatePause(id: $id, input: { note: "Away" }) { pause { id } } }',
      {
        id,
      },
    );
    expect(await next()).toMatchObject({ kind: 'PAUSE_CHANGED', task: told.task });
    await ana.query('mutation ($id: ID!) { deletePause(id: $id) { deletedId } }', { id });
    expect(await next()).toMatchObject({ kind: 'PAUSE_ENDED', task: told.task });
  }
});

it('What happens to a challenge is told by its kind, by either API', async () => {
  const { ana, next } = await listening();
  const { acceptChallenge } = await ana.query(
    'mutation { acceptChallenge(templateId: 1) { challenge { id } } }',
  );
  const { id } = acceptChallenge.challenge;
  expect(await next()).toEqual({ ...nothing, kind: 'CHALLENGE_ACCEPTED' });
  await ana.query(
    'mutation ($id: ID!) { updateChallengeNotes(id: $id, notes: "Good") { challenge { id } } }',
    {
      id,
    },
  );
  expect(await next()).toEqual({ ...nothing, kind: 'CHALLENGE_CHANGED' });
  await ana.query('mutation ($id: ID!) { completeChallenge(id: $id) { challenge { id } } }', { id });
  expect(await next()).toEqual({ ...nothing, kind: 'CHALLENGE_COMPLETED' });
  const other = await ana.hasAccepted(2);
  expect(await next()).toEqual({ ...nothing, kind: 'CHALLENGE_ACCEPTED' });
  await ana.rest.put(`/api/user-challenges/${other.id}/abandon`);
  expect(await next()).toEqual({ ...nothing, kind: 'CHALLENGE_ABANDONED' });
});

it('A change of the profile, of a password and of an address are told as one of the profile', async () => {
  const { ana, next } = await listening();
  const { password, email } = ana.account;
  for (const change of [
    'updateProfile(input: { name: "Anna" })',
    `changePassword(input: { currentPassword: "${password}", newPassword: "${password}" })`,
    `changeEmail(input: { currentPassword: "${password}", newEmail: "${email.toUpperCase()}" })`,
  ]) {
    await ana.query(`mutation { ${change} { user { id } } }`);
    expect(await next(), change).toEqual({ ...nothing, kind: 'PROFILE_CHANGED' });
  }
});

it('An import is told, with the tasks that it has made', async () => {
  const { ana, newUser } = await listening();
  const bea = await newUser();
  const stream = await streamOf(bea, SUBSCRIPTION);
  const answer = await bea.rest.post('/account/import', (await ana.rest.get('/account/export')).body);
  expect(answer.status).toBe(201);
  const kinds: string[] = [];
  for (;;) {
    const { kind, taskIds } = (await stream.next()).data.progressChanged;
    kinds.push(kind);
    if (kind !== 'IMPORTED') continue;
    const { tasks } = await bea.query('{ tasks { nodes { id } } }');
    expect([...taskIds].sort()).toEqual(tasks.nodes.map(({ id }: { id: string }) => id).sort());
    break;
  }
  expect(kinds.every((kind) => kind === 'IMPORTED' || kind === 'STREAK_CORRECTED')).toBe(true);
});

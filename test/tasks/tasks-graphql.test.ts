import { expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

const COMPLETE = `mutation ($id: ID!, $key: String) {
  completeTask(taskId: $id, idempotencyKey: $key) {
    completion { id points task { id } } task { completionCount lastCompletedAt }
    user { points currentStreak maxStreak } isReplayed
  }
}`;

it('completeTask answers the completion, and the task and the user as they are now', async () => {
  const { ana, clock } = await worldOf('ana');
  const { id } = await ana.hasTask({ points: 2.5 });
  clock.set('2026-11-22T23:59:59.999Z');
  expect((await ana.query(COMPLETE, { id })).completeTask).toEqual({
    completion: { id: expect.stringMatching(/^[1-9]\d*$/), points: 2.5, task: { id: `${id}` } },
    task: { completionCount: 1, lastCompletedAt: '2026-11-22T23:59:59.999Z' },
    user: { points: 2.5, currentStreak: 1, maxStreak: 1 },
    isReplayed: false,
  });
});

it('Several completions in one request are carried out one after the other', async () => {
  const { ana } = await worldOf('ana');
  const { id } = await ana.hasTask();
  const one = (alias: string) => `${alias}: completeTask(taskId: "${id}") { task { completionCount } }`;
  expect(await ana.query(`mutation { ${one('a')} ${one('b')} }`)).toEqual({
    a: { task: { completionCount: 1 } },
    b: { task: { completionCount: 2 } },
  });
});

it('An idempotency key is the same over both APIs, and counts as none when it is null', async () => {
  const { ana } = await worldOf('ana');
  const { id } = await ana.hasTask();
  const { body } = await ana.completes({ id }, { 'Idempotency-Key': 'over-rest' });
  expect((await ana.query(COMPLETE, { id, key: 'over-rest' })).completeTask).toMatchObject({
    ...{ completion: { id: `${body.id}` }, isReplayed: true },
  });
  const { completion } = (await ana.query(COMPLETE, { id, key: 'over-graphql' })).completeTask;
  const answer = await ana.completes({ id }, { 'Idempotency-Key': 'over-graphql' });
  expect([`${answer.body.id}`, answer.headers.get('idempotent-replayed')]).toEqual([completion.id, 'true']);
  for (const points of [30, 40])
    expect((await ana.query(COMPLETE, { id, key: null })).completeTask.user.points).toBe(points);
});

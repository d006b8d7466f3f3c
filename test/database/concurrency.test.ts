import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { type Answer, refusal, type TestUser, world, worldOf } from '../support/world.js';

/** As many requests at once, each knowing its number. */
const atOnce = <T>(count: number, request: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => request(number)));

/** The answers told apart by status. */
const byStatus = (answers: Answer[]) =>
  Object.groupBy(answers, ({ status }) => status) as Record<number, Answer[]>;

const lengths = (groups: Record<number, Answer[]>) =>
  Object.fromEntries(Object.entries(groups).map(([status, answers]) => [status, answers.length]));

const counts = async (user: TestUser): Promise<number[]> => {
  const tasks: { completion_count: number }[] = (await user.rest.get('/api/tasks/me')).body;
  return tasks.map(({ completion_count }) => completion_count);
};

describe('At the same time,', () => {
  it('completions of two tasks, others that are undone twice, and some under one key leave exact counters', async () => {
    const { ana } = await worldOf('ana');
    const [old, recent] = [await ana.hasTask({ points: 3 }), await ana.hasTask({ points: 5 })];
    const ids = (await atOnce(15, () => ana.completes(old))).map(({ body }) => body.id);
    const undo = (id: number) => ana.rest.ask(`mutation { undoCompletion(id: ${id}) { completionId } }`);
    const keyed = (number: number) => ana.completes(number % 2 ? old : recent, { 'idempotency-key': 'once' }); // of one task then
    const [undone, , underOne] = await Promise.all([
      Promise.all([...ids, ...ids].map(undo)),
      atOnce(15, () => ana.completes(recent)),
      atOnce(10, keyed),
    ]);
    const codes = undone.flatMap(({ errors }) => errors ?? []).map(({ extensions }) => extensions.code);
    expect(codes).toEqual(Array(15).fill('NOT_FOUND'));
    expect(lengths(byStatus(underOne))).toEqual({ 201: 5, 400: 5 });
    const isOld = underOne.some(({ status, body }) => status === 201 && body.task_id === old.id);
    expect(await counts(ana)).toEqual(isOld ? [1, 15] : [0, 16]);
    expect(await ana.profile()).toMatchObject({ points: isOld ? 78 : 80, current_streak: 1, max_streak: 1 });
  });

  it('of 10 sign-ups with one e-mail and 10 changes to it, in different cases, exactly one succeeds', async () => {
    const { rest, newUser } = await world();
    const users = await atOnce(10, () => newUser());
    const email = `anabel-${randomUUID()}@example.com`;
    const spelled = (number: number) => (number % 2 ? email.replace('anabel', 'AnaBel') : email);
    const asked = users.flatMap(({ account, ...user }, number) => [
      user.rest.put('/api/user/profile', { email: spelled(number) }),
      rest.post('/api/auth/signup', { ...account, email: spelled(number) }),
    ]);
    const { 400: refused, ...others } = byStatus(await Promise.all(asked));
    expect(refused).toEqual(Array(19).fill(refusal(400, 'Email already in use')));
    const [winner] = Object.values(others).flat();
    const { body } = await rest.post('/api/auth/login', { email, password: users[0]?.account.password });
    expect(body.user.id).toBe(winner?.body.user?.id ?? winner?.body.id);
  });

  it('one way to end a challenge wins, and the other is told so', async () => {
    const { newUser } = await world();
    const ways = ['complete', 'abandon', 'abandon', 'complete'];
    await atOnce(5, async () => {
      const ana = await newUser();
      const { id } = await ana.hasAccepted();
      const answers = await Promise.all(ways.map((way) => ana.rest.put(`/api/user-challenges/${id}/${way}`)));
      const { 200: [winner, again] = [], 400: refused } = byStatus(answers);
      expect(again?.text).toBe(winner?.text);
      const already = `Challenge is already ${winner?.body.status.toLowerCase()}`;
      expect(refused).toEqual(Array(2).fill(refusal(400, already)));
      const { body } = await ana.rest.get('/api/user-challenges');
      expect(body).toMatchObject([winner?.body]);
      expect(winner?.body.completed_at === null).toBe(winner?.body.status === 'ABANDONED');
    });
  });

  it('updates of different fields of a task, or of a profile, all stay', async () => {
    const { ana, rest } = await worldOf('ana');
    const ofTask = [{ title: 'Run' }, { points: 7 }, { description: 'A mile' }, { is_daily_routine: true }];
    const { id } = await ana.hasTask();
    const email = `${randomUUID()}@example.com`;
    const ofProfile = [{ name: 'Bea' }, { profile_picture: 'https://x.org' }, { email }];
    const changes = [...ofProfile, { newPassword: 'secret2' }];
    const answers = await Promise.all([
      ...ofTask.map((change) => ana.rest.put(`/api/tasks/${id}`, change)),
      ...changes.map((change) => ana.rest.put('/api/user/profile', change)),
    ]);
    expect(lengths(byStatus(answers))).toEqual({ 200: 8 });
    const [{ task }] = (await ana.rest.get('/api/tasks/me')).body;
    expect(task).toMatchObject(Object.assign({}, ...ofTask));
    expect(await ana.profile()).toMatchObject(Object.assign({}, ...ofProfile));
    expect(await rest.post('/api/auth/login', { email, password: 'secret2' })).toMatchObject({ status: 200 });
  });

  it('a completion that waits for the counters is answered with the profile as it is after the wait', async () => {
    const { ana, database } = await worldOf('ana');
    const task = await ana.hasTask({ points: 7 });
    const held = sql`select from user_progress where user_id = ${ana.id} for update`;
    const release = await holding(database, held);
    const fields = 'user { name points currentStreak streak { count } }';
    const completed = ana.query(`mutation { completeTask(taskId: ${task.id}) { ${fields} } }`);
    await untilSomeoneWaits(database);
    await ana.rest.put('/api/user/profile', { name: 'Ana the second' });
    await release();
    const user = { name: 'Ana the second', points: 7, currentStreak: 1, streak: { count: 1 } };
    expect(await completed).toEqual({ completeTask: { user } });
  });
});

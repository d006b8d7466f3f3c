import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { type Answer, refusal, world, worldOf } from '../support/world.js';

/** As many requests at once, each knowing its number. */
const atOnce = <T>(count: number, request: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => request(number)));

/** The answers told apart by status. */
const byStatus = (answers: Answer[]) =>
  Object.groupBy(answers, ({ status }) => status) as Record<number, Answer[]>;

const lengths = (groups: Record<number, Answer[]>) =>
  Object.fromEntries(Object.entries(groups).map(([status, answers]) => [status, answers.length]));

describe('At the same time,', () => {
  it('completions of two tasks under one Idempotency-Key: one task gets it, the other is refused', async () => {
    const { ana } = await worldOf('ana');
    const tasks = [await ana.hasTask(), await ana.hasTask()] as const;
    const answers = await atOnce(20, (number) =>
      ana.completes(tasks[number % 2 ? 1 : 0], { 'idempotency-key': 'once' }),
    );
    expect(lengths(byStatus(answers))).toEqual({ 201: 10, 400: 10 });
    expect(await ana.profile()).toMatchObject({ points: 10 });
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

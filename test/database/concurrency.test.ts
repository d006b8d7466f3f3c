import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { type Answer, refusal, type TestUser, type World, world, worldOf } from '../support/world.js';

/** As many requests at once, each knowing its number. */
const atOnce = <T>(count: number, request: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => request(number)));

/** The answers told apart by status. */
const byStatus = (answers: Answer[]) =>
  Object.fromEntries(
    [...new Set(answers.map(({ status }) => status))]
      .sort()
      .map((status) => [status, answers.filter((answer) => answer.status === status)]),
  );

const lengths = (groups: Record<string, Answer[]>) =>
  Object.fromEntries(Object.entries(groups).map(([status, answers]) => [status, answers.length]));

const completionsOf = async ({ database }: World, { id }: TestUser) =>
  (
    await sql<{ id: number; task_id: number }>`
      select id, task_id from task_completions where user_id = ${id} order by id`.execute(database.query())
  ).rows;

const counts = async (user: TestUser): Promise<number[]> => {
  const tasks: { completion_count: number }[] = (await user.rest.get('/api/tasks/me')).body;
  return tasks.map(({ completion_count }) => completion_count);
};

describe('At the same time,', () => {
  it('20 acceptances, on two instances of the service, leave exactly one ACTIVE challenge', async () => {
    const [{ database, newUser }, other] = [await world(), await world()];
    const ana = await newUser();
    const instances = [ana.rest, other.rest.as(ana.token)];
    const answers = await atOnce(20, (number) =>
      (instances[number % 2] ?? ana.rest).post('/api/user-challenges/accept', {
        templateId: (number % 7) + 1,
      }),
    );
    const groups = byStatus(answers);
    expect(lengths(groups)).toEqual({ 201: 1, 400: 19 });
    for (const refused of groups[400] ?? []) {
      expect(refused).toEqual(refusal(400, 'Você já possui um desafio ativo'));
    }
    const { rows } = await sql`select id, status from user_challenges where user_id = ${ana.id}`.execute(
      database.query(),
    );
    expect(rows).toEqual([{ id: groups[201]?.[0]?.body.id, status: 'ACTIVE' }]);
  });

  it('80 completions of several tasks are all recorded, and points, counts and streak are exact', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    const worth = [0.1, 0.2, 3, 1_000_000];
    const tasks: { id: number }[] = [];
    for (const points of worth) tasks.push(await ana.hasTask({ points }));
    const answers = await atOnce(80, (number) => ana.completes(tasks[number % 4] ?? { id: 0 }));
    expect(lengths(byStatus(answers))).toEqual({ 201: 80 });
    expect(await ana.profile()).toMatchObject({ points: 20_000_066, current_streak: 1, max_streak: 1 });
    expect(await counts(ana)).toEqual([20, 20, 20, 20]);
    const recorded = await completionsOf(everything, ana);
    const told = answers.map(({ body }) => ({ id: body.id, task_id: body.task_id }));
    expect(recorded).toEqual(told.sort((a, b) => a.id - b.id));
  });

  it('completions, and others that are undone twice, leave exact counters', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    const [old, recent] = [await ana.hasTask({ points: 3 }), await ana.hasTask({ points: 5 })];
    const ids = (await atOnce(15, () => ana.completes(old))).map(({ body }) => body.id);
    const undo = (id: number) =>
      ana.rest.post('/graphql', { query: `mutation { undoCompletion(id: ${id}) { completionId } }` });
    const [undone] = await Promise.all([
      Promise.all([...ids, ...ids].map(undo)),
      atOnce(15, () => ana.completes(recent)),
    ]);
    const codes = undone.flatMap(({ body }) => body.errors ?? []).map(({ extensions }) => extensions.code);
    expect(codes).toEqual(Array(15).fill('NOT_FOUND'));
    expect(await ana.profile()).toMatchObject({ points: 75, current_streak: 1, max_streak: 1 });
    expect(await counts(ana)).toEqual([0, 15]);
    expect(await completionsOf(everything, ana)).toHaveLength(15);
  });

  it('of 10 sign-ups with one e-mail and 10 changes to it, in different cases, exactly one succeeds', async () => {
    const { rest, newUser } = await world();
    const users = await atOnce(10, () => newUser());
    const email = `anabel-${randomUUID()}@example.com`;
    const spelled = (number: number) => (number % 2 ? email.replace('anabel', 'AnaBel') : email);
    const asked = [
      ...users.map((user, number) => user.rest.put('/api/user/profile', { email: spelled(number) })),
      ...users.map(({ account }, number) =>
        rest.post('/api/auth/signup', { ...account, email: spelled(number) }),
      ),
    ];
    const { 400: refused = [], ...others } = byStatus(await Promise.all(asked));
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
      const groups = byStatus(answers);
      expect(lengths(groups)).toEqual({ 200: 2, 400: 2 });
      const [winner, again] = groups[200] ?? [];
      expect(again?.text).toBe(winner?.text);
      const already = `Challenge is already ${winner?.body.status.toLowerCase()}`;
      for (const refused of groups[400] ?? []) expect(refused).toEqual(refusal(400, already));
      const { body } = await ana.rest.get('/api/user-challenges');
      expect(body).toMatchObject([winner?.body]);
      expect(winner?.body.completed_at === null).toBe(winner?.body.status === 'ABANDONED');
    });
  });

  it('20 completions under one Idempotency-Key are one, and everyone learns the same', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    const swim = await ana.hasTask({ points: 3 });
    const answers = await atOnce(20, () => ana.completes(swim, { 'idempotency-key': 'once' }));
    expect(lengths(byStatus(answers))).toEqual({ 201: 20 });
    const [{ id } = { id: 0 }, ...others] = await completionsOf(everything, ana);
    expect(others).toEqual([]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.id).toBe(id);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
    expect(await ana.profile()).toMatchObject({ points: 3, current_streak: 1, max_streak: 1 });
    expect(await counts(ana)).toEqual([1]);
  });

  it('completions of two tasks under one Idempotency-Key: one task gets it, the other is refused', async () => {
    const everything = await world();
    const ana = await everything.newUser();
    const [swim, run] = [await ana.hasTask(), await ana.hasTask()];
    const answers = await atOnce(20, (number) =>
      ana.completes(number % 2 ? swim : run, { 'idempotency-key': 'once' }),
    );
    expect(lengths(byStatus(answers))).toEqual({ 201: 10, 400: 10 });
    expect(await completionsOf(everything, ana)).toHaveLength(1);
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });

  it('updates of different fields of a task, or of a profile, all stay', async () => {
    const { ana, rest } = await worldOf('ana');
    const ofTask = [{ title: 'Run' }, { points: 7 }, { description: 'A mile' }, { is_daily_routine: true }];
    const { id } = await ana.hasTask();
    const email = `${randomUUID()}@example.com`;
    const ofProfile = [{ name: 'Bea' }, { profile_picture: 'https://x.org' }, { email }];
    const answers = await Promise.all([
      ...ofTask.map((change) => ana.rest.put(`/api/tasks/${id}`, change)),
      ...[...ofProfile, { newPassword: 'secret2' }].map((change) =>
        ana.rest.put('/api/user/profile', change),
      ),
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

import { describe, expect, it } from 'vitest';
import { refusal, type TestUser, world } from '../support/world.js';

const naming = (field: string) => expect.stringMatching(new RegExp(field, 'i'));
const notPositive = refusal(400, 'Points must be greater than zero');
const list = async (user: TestUser) => (await user.rest.get('/api/tasks/me')).body;

const brokenTitles = [
  null,
  '',
  '   ',
  '\n\t',
  '\u00a0\u3000',
  5,
  true,
  ['Swim'],
  { en: 'Swim' },
  'x'.repeat(501),
];
const brokenDescriptions = [5, true, ['a'], { en: 'a' }, 'x'.repeat(10_001)];
const brokenPoints = [null, '10', '', true, [10], {}, 1_000_000_001, 1_000_000_000.0001];
const brokenFlags = [null, 'true', 0, 1, [], {}];

/** Field, the word that a refusal calls it by, values. */
const brokenFields: [field: string, called: string, values: unknown[]][] = [
  ['title', 'title', brokenTitles],
  ['description', 'description', brokenDescriptions],
  ['points', 'points', brokenPoints],
  ['is_daily_routine', 'daily.routine', brokenFlags],
];

const fields = {
  'a title of 500 characters, counted in code points': { title: '😀'.repeat(500) },
  'a title with space around it, exactly as sent': { title: '  Swim \n' },
  'a title of any script and sign': { title: '李 <b>"Swim"</b> \\ \' ; -- %s $1 👩‍👩‍👧 \u202e' },
  'a description of 10,000 characters': { description: '€'.repeat(10_000) },
  'an empty description': { description: '' },
  'a description of several lines, exactly as sent': { description: ' 1\r\n\t2\n ' },
  'the most points': { points: 1_000_000_000 },
  'points with a fraction': { points: 2.5 },
  'points of which binary fractions know only nearly': { points: 0.1 },
  'the fewest points that a number can say': { points: 5e-324 },
  'points of seventeen digits': { points: 123_456_789.01234567 },
};

describe('POST /api/tasks', () => {
  it('answers 201 with the task, its fields in the order of the spec', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    await ana.hasAccepted(3);
    clock.set('2026-12-03T04:05:06.789Z');
    const sent = {
      title: 'Swim',
      points: 2.5,
      description: 'A mile',
      is_daily_routine: true,
      challenge_template_id: 3,
    };
    const { status, body } = await ana.rest.post('/api/tasks', sent);
    expect(status).toBe(201);
    expect(Object.entries(body)).toEqual(
      Object.entries({
        id: expect.any(Number),
        user_id: ana.id,
        challenge_template_id: 3,
        title: 'Swim',
        description: 'A mile',
        points: 2.5,
        is_daily_routine: true,
        created_at: '2026-12-03T04:05:06.789Z',
        updated_at: '2026-12-03T04:05:06.789Z',
      }),
    );
    expect(await list(ana)).toEqual([{ task: body, completion_count: 0 }]);
  });

  it('needs only a title: 10 points, no description, no routine, no template', async () => {
    const { newUser } = await world();
    const { status, body } = await (await newUser()).rest.post('/api/tasks', { title: 'Swim' });
    const defaults = { points: 10, description: null, is_daily_routine: false, challenge_template_id: null };
    expect({ status, body }).toMatchObject({ status: 201, body: defaults });
  });

  it('takes a description or template of null as none', async () => {
    const { newUser } = await world();
    const nothing = { description: null, challenge_template_id: null };
    const answer = await (await newUser()).rest.post('/api/tasks', { title: 'Swim', ...nothing });
    expect(answer).toMatchObject({ status: 201, body: nothing });
  });

  it('counts ids up', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const ids = [(await ana.hasTask()).id, (await bea.hasTask()).id, (await ana.hasTask()).id];
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it('decides by itself what a client cannot know', async () => {
    const { clock, newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const claims = { id: 1, user_id: bea.id, created_at: '2000-01-01T00:00:00Z', completion_count: 9 };
    const { body } = await ana.rest.post('/api/tasks', { title: 'Swim', ...claims });
    const now = clock.now().toISOString();
    expect(body).toMatchObject({ id: expect.any(Number), user_id: ana.id, created_at: now, updated_at: now });
    expect(body.id).not.toBe(1);
    expect(await list(ana)).toEqual([{ task: body, completion_count: 0 }]);
  });

  it.each(Object.entries(fields))('takes %s', async (_what, field) => {
    const { newUser } = await world();
    const ana = await newUser();
    const answer = await ana.rest.post('/api/tasks', { title: 'Swim', ...field });
    expect(answer).toMatchObject({ status: 201, body: field });
    expect(await list(ana)).toMatchObject([{ task: field }]);
  });

  it.each([0, -0, -1, -0.5, -5e-324, -1_000_000_001])('refuses %d points', async (points) => {
    const { newUser } = await world();
    const ana = await newUser();
    expect(await ana.rest.post('/api/tasks', { title: 'Swim', points })).toEqual(notPositive);
    expect(await list(ana)).toEqual([]);
  });

  it.each(brokenFields)('refuses what breaks the rule of %s, and names it', async (field, called, values) => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const value of field === 'title' ? [undefined, ...values] : values) {
      const answer = await ana.rest.post('/api/tasks', { title: 'Swim', [field]: value });
      expect(answer, JSON.stringify(value)).toEqual(refusal(400, naming(called)));
    }
    expect(await list(ana)).toEqual([]);
  });
});

describe('A task with a challenge_template_id', () => {
  const noActive = refusal(400, "You don't have an active challenge for this template");
  const create = (user: TestUser, challenge_template_id: unknown) =>
    user.rest.post('/api/tasks', { title: 'Swim', challenge_template_id });

  it('is made while the user has an ACTIVE challenge based on the template', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.hasAccepted(2);
    expect(await create(ana, 2)).toMatchObject({ status: 201, body: { challenge_template_id: 2 } });
  });

  it('is refused without any challenge, with one of another template, or with another user’s', async () => {
    const { newUser } = await world();
    const [ana, bea, cleo] = [await newUser(), await newUser(), await newUser()];
    await bea.hasAccepted(3);
    await cleo.hasAccepted(2);
    for (const user of [ana, bea]) {
      expect(await create(user, 2)).toEqual(noActive);
      expect(await list(user)).toEqual([]);
    }
  });

  it.each(['complete', 'abandon'])('is refused after %s, and keeps its link if made before', async (end) => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await ana.hasAccepted(2);
    await create(ana, 2);
    await ana.rest.put(`/api/user-challenges/${id}/${end}`);
    expect(await create(ana, 2)).toEqual(noActive);
    expect(await list(ana)).toMatchObject([{ task: { challenge_template_id: 2 } }]);
  });

  it.each([8_888, 0, -1, 2 ** 53, 1e300])('is refused with 404 when there is no template %d', async (id) => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.hasAccepted(2);
    expect(await create(ana, id)).toEqual(refusal(404, 'Challenge template not found'));
  });

  it('is refused when the id is no whole number', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.hasAccepted(2);
    for (const id of ['2', 2.5, true, [2], {}, '']) {
      expect(await create(ana, id), JSON.stringify(id)).toEqual(refusal(400, naming('template')));
    }
  });
});

describe('GET /api/tasks/me', () => {
  it('answers 200 with an empty array when there are no tasks', async () => {
    const { newUser } = await world();
    expect(await (await newUser()).rest.get('/api/tasks/me')).toMatchObject({ status: 200, text: '[]' });
  });

  it('answers each task with the number of its completions of all time', async () => {
    const { clock, newUser, renewed } = await world();
    let ana = await newUser();
    const [swim, run] = [await ana.hasTask({ title: 'Swim' }), await ana.hasTask({ title: 'Run' })];
    for (const days of [0, 1, 365]) {
      clock.advance({ days });
      ana = renewed(ana);
      await ana.completes(swim);
    }
    const { status, body } = await ana.rest.get('/api/tasks/me');
    expect(status).toBe(200);
    expect(body.map(Object.keys)).toEqual(Array(2).fill(['task', 'completion_count']));
    expect(body).toEqual([
      { task: swim, completion_count: 3 },
      { task: run, completion_count: 0 },
    ]);
    expect(Object.keys(body[0].task)).toEqual(Object.keys(swim));
  });

  it('orders them by created_at, then by id, whatever happened since', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const [second, third] = [await ana.hasTask(), await ana.hasTask()];
    clock.advance({ ms: -1 });
    const first = await ana.hasTask();
    clock.advance({ days: 1 });
    await ana.completes(third);
    await ana.rest.put(`/api/tasks/${second.id}`, { title: 'Updated' });
    const ids = (await list(ana)).map(({ task }: { task: { id: number } }) => task.id);
    expect(ids).toEqual([first.id, second.id, third.id]);
  });

  it('answers every task, however many, and only the caller’s', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    await bea.hasTask();
    const made = await Promise.all(Array.from({ length: 250 }, () => ana.hasTask()));
    const tasks: { task: { id: number } }[] = await list(ana);
    expect(tasks.map(({ task }) => task.id)).toEqual(made.map(({ id }) => id).sort((a, b) => a - b));
  });
});

describe('PUT /api/tasks/:taskId', () => {
  it('answers 200 with the updated task: created_at unchanged, updated_at the time of the update', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await ana.hasTask();
    clock.advance({ days: 2 });
    const changes = { title: 'Run', description: 'A mile', points: 0.25, is_daily_routine: true };
    const { status, body } = await ana.rest.put(`/api/tasks/${before.id}`, changes);
    expect(status).toBe(200);
    const expected = { ...before, ...changes, updated_at: clock.now().toISOString() };
    expect(Object.entries(body)).toEqual(Object.entries(expected));
    expect(await list(ana)).toEqual([{ task: expected, completion_count: 0 }]);
  });

  it.each([
    { title: 'Run' },
    { description: 'Two miles' },
    { description: null },
    { points: 3 },
    { is_daily_routine: false },
    {},
  ])('leaves alone what is omitted: %j', async (changes) => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await ana.hasTask({ description: 'A mile', points: 2, is_daily_routine: true });
    clock.advance({ ms: 1 });
    const { status, body } = await ana.rest.put(`/api/tasks/${before.id}`, changes);
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...changes, updated_at: clock.now().toISOString() });
  });

  it.each(Object.entries(fields))('takes %s', async (_what, field) => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await ana.hasTask();
    expect(await ana.rest.put(`/api/tasks/${id}`, field)).toMatchObject({ status: 200, body: field });
    expect(await list(ana)).toMatchObject([{ task: field }]);
  });

  it('changes neither template, owner, id nor times on a client’s word', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const before = await ana.hasTask();
    await ana.hasAccepted(1);
    const claims = { id: 1, user_id: bea.id, challenge_template_id: 1, created_at: '2000-01-01T00:00:00Z' };
    expect((await ana.rest.put(`/api/tasks/${before.id}`, claims)).body).toEqual(before);
    expect(await list(ana)).toEqual([{ task: before, completion_count: 0 }]);
  });

  it.each([0, -1, -0.5])('refuses %d points and changes nothing', async (points) => {
    const { newUser } = await world();
    const ana = await newUser();
    const before = await ana.hasTask();
    expect(await ana.rest.put(`/api/tasks/${before.id}`, { title: 'Run', points })).toEqual(notPositive);
    expect(await list(ana)).toEqual([{ task: before, completion_count: 0 }]);
  });

  it.each(brokenFields)('refuses what breaks the rule of %s, and names it', async (field, called, values) => {
    const { newUser } = await world();
    const ana = await newUser();
    const before = await ana.hasTask();
    for (const value of values) {
      const answer = await ana.rest.put(`/api/tasks/${before.id}`, { title: 'Run', [field]: value });
      expect(answer, JSON.stringify(value)).toEqual(refusal(400, naming(called)));
    }
    expect(await list(ana)).toEqual([{ task: before, completion_count: 0 }]);
  });

  it('refuses another user’s task with 400 and leaves it as it was', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const before = await ana.hasTask();
    const answer = await bea.rest.put(`/api/tasks/${before.id}`, { title: 'Mine' });
    expect(answer).toEqual(refusal(400, "This task doesn't belong to you"));
    expect(await list(ana)).toEqual([{ task: before, completion_count: 0 }]);
  });

  it('answers 404 when no task has the id', async () => {
    const { newUser } = await world();
    const answer = await (await newUser()).rest.put('/api/tasks/88888888', { title: 'Run' });
    expect(answer).toEqual(refusal(404, 'Task not found'));
  });
});

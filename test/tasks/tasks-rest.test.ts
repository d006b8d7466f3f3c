import { describe, expect, it } from 'vitest';
import { refusal, type TestUser, world } from '../support/world.js';

const naming = (field: string) => expect.stringMatching(new RegExp(field, 'i'));
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

  it('sets id, owner, times and count by itself, whatever the body claims', async () => {
    const { clock, newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const claims = { id: 1, user_id: bea.id, created_at: '2000-01-01T00:00:00Z', completion_count: 9 };
    const { body } = await ana.rest.post('/api/tasks', { title: 'Swim', ...claims });
    const now = clock.now().toISOString();
    expect(body).toMatchObject({ id: expect.any(Number), user_id: ana.id, created_at: now, updated_at: now });
    expect(body.id).not.toBe(1);
    expect(await list(ana)).toEqual([{ task: body, completion_count: 0 }]);
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
  const create = (user: TestUser, challenge_template_id: unknown) =>
    user.rest.post('/api/tasks', { title: 'Swim', challenge_template_id });

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

  it('changes neither template, owner, id nor times on a client’s word', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const before = await ana.hasTask();
    await ana.hasAccepted(1);
    const claims = { id: 1, user_id: bea.id, challenge_template_id: 1, created_at: '2000-01-01T00:00:00Z' };
    expect((await ana.rest.put(`/api/tasks/${before.id}`, claims)).body).toEqual(before);
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
});

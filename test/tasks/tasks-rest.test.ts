import { describe, expect, it } from 'vitest';
import { type TestUser, world, worldOf } from '../support/world.js';

const list = async (user: TestUser) => (await user.rest.get('/api/tasks/me')).body;

describe('POST /api/tasks', () => {
  it('answers 201 with the task, its fields in the order of the spec', async () => {
    const { ana, clock } = await worldOf('ana');
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
});

describe('GET /api/tasks/me', () => {
  it('answers 200 with an empty array when there are no tasks', async () => {
    const { newUser } = await world();
    expect(await (await newUser()).rest.get('/api/tasks/me')).toMatchObject({ status: 200, text: '[]' });
  });
});

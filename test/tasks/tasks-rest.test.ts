import { expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

it('POST /api/tasks answers 201 with the task, its fields in the order of the spec', async () => {
  const { ana, clock } = await worldOf('ana');
  expect(await ana.rest.get('/api/tasks/me')).toMatchObject({ status: 200, text: '[]' });
  await ana.hasAccepted(3);
  clock.set('2026-12-03T04:05:06.789Z');
  const sent = { title: 'Swim', points: 2.5, description: 'A mile', is_daily_routine: true };
  const { status, body } = await ana.rest.post('/api/tasks', { ...sent, challenge_template_id: 3 });
  expect(status).toBe(201);
  expect(Object.entries(body)).toEqual([
    ['id', expect.any(Number)],
    ['user_id', ana.id],
    ['challenge_template_id', 3],
    ['title', 'Swim'],
    ['description', 'A mile'],
    ['points', 2.5],
    ['is_daily_routine', true],
    ['created_at', '2026-12-03T04:05:06.789Z'],
    ['updated_at', '2026-12-03T04:05:06.789Z'],
  ]);
  expect((await ana.rest.get('/api/tasks/me')).body).toEqual([{ task: body, completion_count: 0 }]);
});

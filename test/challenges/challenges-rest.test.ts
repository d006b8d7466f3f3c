import { expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

// How REST says what test/challenges/challenges.test.ts asserts over both faces.

const FIELDS = [
  ...['id', 'user_id', 'template_id', 'status', 'start_date', 'completed_at', 'notes'],
  ...['created_at', 'updated_at'],
];

it('A challenge in REST has its fields in the order of the spec in every answer, and its template in lists only', async () => {
  const { ana, clock } = await worldOf('ana');
  const { rest } = ana;
  expect(await rest.get('/api/user-challenges')).toMatchObject({ status: 200, text: '[]' });
  expect(await rest.get('/api/user-challenges/active')).toMatchObject({ status: 200, text: 'null' });
  clock.set('2026-12-03T04:05:06.789Z');
  const now = clock.now().toISOString();
  for (const [way, status, completed_at] of [
    ['complete', 'COMPLETED', now],
    ['abandon', 'ABANDONED', null],
  ] as const) {
    const accepted = await rest.post('/api/user-challenges/accept', { templateId: 2 });
    const { id } = accepted.body;
    expect([accepted.status, accepted.body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), user_id: ana.id, template_id: 2, status: 'ACTIVE', start_date: now },
        ...{ completed_at: null, notes: null, created_at: now, updated_at: now },
      },
    ]);
    const active = (await rest.get('/api/user-challenges/active')).body;
    expect(active).toEqual((await rest.get('/api/user-challenges')).body[0]);
    expect(Object.keys(active)).toEqual([...FIELDS, 'template']);
    expect(Object.keys(active.template)).toEqual(['id', 'title', 'description', 'duration_days']);
    const noted = await rest.put(`/api/user-challenges/${id}/notes`, { notes: 'Well' });
    const ended = await rest.put(`/api/user-challenges/${id}/${way}`);
    expect(ended.body).toEqual({ ...accepted.body, status, completed_at, notes: 'Well' });
    for (const { body } of [accepted, noted, ended]) expect(Object.keys(body)).toEqual(FIELDS);
  }
});

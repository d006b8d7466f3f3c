import { describe, expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

// How REST says what test/challenges/challenges.test.ts asserts over both faces.

const FIELDS = [
  ...['id', 'user_id', 'template_id', 'status', 'start_date', 'completed_at', 'notes'],
  ...['created_at', 'updated_at'],
];
const TEMPLATE = ['id', 'title', 'description', 'duration_days'];

const list = async (user: TestUser) => (await user.rest.get('/api/user-challenges')).body;
const active = async (user: TestUser) => (await user.rest.get('/api/user-challenges/active')).body;

describe('A challenge in REST', () => {
  it('has its fields in the order of the spec in every answer, and its template in lists only', async () => {
    const { ana, clock } = await worldOf('ana');
    clock.set('2026-12-03T04:05:06.789Z');
    const now = clock.now().toISOString();
    for (const [way, ended] of [
      ['complete', { status: 'COMPLETED', completed_at: now }],
      ['abandon', { status: 'ABANDONED', completed_at: null }],
    ] as const) {
      const accepted = await ana.rest.post('/api/user-challenges/accept', { templateId: 2 });
      const { id } = accepted.body;
      const made = {
        ...{ id: expect.any(Number), user_id: ana.id, template_id: 2, status: 'ACTIVE', start_date: now },
        ...{ completed_at: null, notes: null, created_at: now, updated_at: now },
      };
      expect([accepted.status, accepted.body]).toEqual([201, made]);
      const shown = await active(ana);
      expect(Object.entries(shown)).toEqual(Object.entries((await list(ana))[0]));
      expect([Object.keys(shown), Object.keys(shown.template)]).toEqual([[...FIELDS, 'template'], TEMPLATE]);

      const noted = await ana.rest.put(`/api/user-challenges/${id}/notes`, { notes: 'Well' });
      const end = await ana.rest.put(`/api/user-challenges/${id}/${way}`);
      for (const { status, body } of [noted, end]) expect([status, Object.keys(body)]).toEqual([200, FIELDS]);
      expect(Object.keys(accepted.body)).toEqual(FIELDS);
      expect(end.body).toEqual({ ...made, ...ended, notes: 'Well' });
    }
  });

  it('is null where none is ACTIVE, and the list an empty array: never 404', async () => {
    const { ana } = await worldOf('ana');
    expect(await ana.rest.get('/api/user-challenges')).toMatchObject({ status: 200, text: '[]' });
    expect(await ana.rest.get('/api/user-challenges/active')).toMatchObject({ status: 200, text: 'null' });
  });
});

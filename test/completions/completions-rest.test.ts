import { expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

it('POST /api/task-completions answers 201 with the completion, its fields in the order of the spec', async () => {
  const { ana, clock } = await worldOf('ana');
  const swim = await ana.hasTask();
  clock.set('2026-12-03T04:05:06.789Z');
  // A key is a header: in the body it is unknown and ignored.
  const sent = { task_id: swim.id, idempotencyKey: 'a', idempotency_key: 'a', 'Idempotency-Key': 'a' };
  for (const points of [10, 20]) {
    const { status, body } = await ana.rest.post('/api/task-completions', sent);
    expect([status, ...Object.entries(body)]).toEqual([
      201,
      ['id', expect.any(Number)],
      ['task_id', swim.id],
      ['user_id', ana.id],
      ['completed_at', '2026-12-03T04:05:06.789Z'],
    ]);
    expect(await ana.profile()).toMatchObject({ points });
  }
});

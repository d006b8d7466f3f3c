import { describe, expect, it } from 'vitest';
import { world } from './support/world.js';

describe('POST /api/auth/signup', () => {
  it('answers 201 with a token and the six public fields of the new user', async () => {
    const { rest } = await world();
    const email = `ana-${Math.random()}@example.com`;
    const { status, body } = await rest.post('/api/auth/signup', { name: 'Ana', email, password: 'secret1' });
    expect(status).toBe(201);
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      user: { id: expect.any(String), name: 'Ana', email, points: 0, current_streak: 0, max_streak: 0 },
    });
  });
});

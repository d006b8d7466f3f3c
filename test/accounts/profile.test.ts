import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusal, world } from '../support/world.js';

const newEmail = () => `Ana-${randomUUID()}@example.com`;

describe('GET /api/user/profile', () => {
  it('answers 200 with the full user, its fields in the order of the spec', async () => {
    const { clock, newUser } = await world();
    clock.set('2026-02-03T04:05:06.789Z');
    const ana = await newUser();
    const { status, body } = await ana.rest.get('/api/user/profile');
    expect(status).toBe(200);
    expect(Object.entries(body)).toEqual(
      Object.entries({
        id: ana.id,
        name: 'Ana',
        email: ana.account.email,
        profile_picture: null,
        points: 0,
        current_streak: 0,
        max_streak: 0,
        created_at: '2026-02-03T04:05:06.789Z',
        updated_at: '2026-02-03T04:05:06.789Z',
      }),
    );
  });
});

describe('PUT /api/user/profile', () => {
  it('answers 200 with the full updated user', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await ana.profile();
    clock.advance({ hours: 1 });
    const changes = { name: 'Anabel', profile_picture: 'https://example.com/ana.png', email: newEmail() };
    const { status, body } = await ana.rest.put('/api/user/profile', { ...changes, newPassword: 'secret2' });
    expect(status).toBe(200);
    const expected = { ...before, ...changes, updated_at: clock.now().toISOString() };
    expect(Object.entries(body)).toEqual(Object.entries(expected));
    expect(await ana.profile()).toEqual(expected);
  });

  it.each([
    { name: 'Anabel' },
    { profile_picture: 'http://localhost:3000/ana.png' },
    { email: newEmail() },
    { newPassword: 'secret2' },
    {},
  ])('changes only what is supplied: %j', async (changes) => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.rest.put('/api/user/profile', { profile_picture: 'https://example.com/ana.png' });
    const before = await ana.profile();
    const { status, body } = await ana.rest.put('/api/user/profile', changes);
    expect(status).toBe(200);
    const { newPassword: _, ...shown } = { newPassword: '', ...changes };
    expect(body).toEqual({ ...before, ...shown });
  });

  it('clears the picture with null', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await ana.rest.put('/api/user/profile', { profile_picture: 'https://example.com/ana.png' });
    const { body } = await ana.rest.put('/api/user/profile', { profile_picture: null });
    expect(body.profile_picture).toBeNull();
  });

  it('takes any http or https address of at most 2,048 characters as picture', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const profile_picture of [
      'http://localhost/ana.png',
      'https://example.com:8443/a%20b.png?size=2#face',
      'https://münchen.example/ä.png',
      'https://example.com/'.padEnd(2_048, 'x'),
    ]) {
      const { status, body } = await ana.rest.put('/api/user/profile', { profile_picture });
      expect({ status, picture: body.profile_picture }).toEqual({ status: 200, picture: profile_picture });
    }
  });

  it('refuses an e-mail in use by another account, whatever its case, and changes nothing', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const before = await ana.profile();
    for (const email of [bea.account.email, bea.account.email.toUpperCase(), ` ${bea.account.email} `]) {
      const answer = await ana.rest.put('/api/user/profile', { email, name: 'Thief' });
      expect(answer).toEqual(refusal(400, 'Email already in use'));
    }
    expect(await ana.profile()).toEqual(before);
  });

  it('takes the own e-mail again, also in another case', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const email of [ana.account.email, ana.account.email.toUpperCase()]) {
      expect(await ana.rest.put('/api/user/profile', { email })).toMatchObject({
        status: 200,
        body: { email },
      });
    }
  });

  it('trims the e-mail, and frees the one given up', async () => {
    const { rest, newUser } = await world();
    const ana = await newUser();
    const email = newEmail();
    const { body } = await ana.rest.put('/api/user/profile', { email: ` ${email} ` });
    expect(body.email).toBe(email);
    const password = 'secret1';
    expect(await rest.post('/api/auth/login', { email, password })).toMatchObject({ status: 200 });
    expect(await rest.post('/api/auth/login', ana.account)).toMatchObject({ status: 401 });
    expect(await rest.post('/api/auth/signup', ana.account)).toMatchObject({ status: 201 });
  });

  it('needs no current password to set a new one, and tokens stay valid', async () => {
    const { rest, newUser } = await world();
    const ana = await newUser();
    const { email } = ana.account;
    expect(await ana.rest.put('/api/user/profile', { newPassword: 'secret2' })).toMatchObject({
      status: 200,
    });
    expect(await rest.post('/api/auth/login', { email, password: 'secret2' })).toMatchObject({ status: 200 });
    expect(await rest.post('/api/auth/login', { email, password: 'secret1' })).toMatchObject({ status: 401 });
    expect(await ana.rest.get('/api/user/profile')).toMatchObject({ status: 200 });
  });
});

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { inputFrom } from '../../src/base/validation.js';
import { LogInInput } from '../../src/features/account/account.input.js';
import { world, worldOf } from '../support/world.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const newEmail = () => `Ana-${randomUUID()}@example.com`;
const signUpBody = () => ({ name: 'Ana', email: newEmail(), password: 'secret1' });
it('REST shows a user by the fields of the specification, in their order', async () => {
  const { clock, rest } = await world();
  clock.set('2026-02-03T04:05:06.789Z');
  const { name, email, password } = signUpBody();
  const { status, body } = await rest.post('/api/auth/signup', { name, email, password });
  expect([status, Object.keys(body)]).toEqual([201, ['token', 'user']]);
  const id = expect.stringMatching(UUID);
  const [who, counters] = [
    { id, name, email },
    { points: 0, current_streak: 0, max_streak: 0 },
  ];
  expect(Object.entries(body.user)).toEqual(Object.entries({ ...who, ...counters }));
  const at = '2026-02-03T04:05:06.789Z';
  const all = { ...who, profile_picture: null, ...counters, created_at: at, updated_at: at };
  const profile = (await rest.as(body.token).get('/api/user/profile')).body;
  expect(Object.entries(profile)).toEqual(Object.entries(all));
});

describe('POST /api/auth/login', () => {
  it('folds an e-mail as the unique index does, letter by letter', async () => {
    const { database } = await world();
    const letters = Array.from({ length: 0x2_ffff }, (_, index) => index + 1)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const written = `x${letters.join('')}x`;
    const { rows } = await sql<{ folded: string }>`
      select lower(${written}::text collate "C") as folded
    `.execute(database.query());
    const { email } = inputFrom(LogInInput, { email: ` ${written}\t`, password: 'secret1' });
    expect(email === rows[0]?.folded).toBe(true); // and not with toBe, which would print it all
  });

  it('finds an account whose e-mail would be refused today, and leaves it as it is', async () => {
    const { ana, database, rest } = await worldOf('ana');
    const email = `\u202eana\u200b-${randomUUID()}@example.com`;
    await sql`update users set email = ${email} where id = ${ana.id}`.execute(database.query());
    const answer = await rest.post('/api/auth/login', { email, password: ana.account.password });
    expect(answer).toMatchObject({ status: 200, body: { user: { email } } });
    const changed = await rest.as(answer.body.token).put('/api/user/profile', { name: 'Bea' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Bea', email } });
  });
});

describe('The password', () => {
  it('is never returned, nor is its hash', async () => {
    const { rest, newUser } = await world();
    const password = 'correct horse battery';
    const ana = await newUser({ password });
    const answers = await Promise.all([
      rest.post('/api/auth/signup', { ...signUpBody(), password }),
      rest.post('/api/auth/login', { email: ana.account.email, password }),
      rest.post('/api/auth/signup', { ...signUpBody(), password, name: '' }),
      ana.rest.get('/api/user/profile'),
      ana.rest.put('/api/user/profile', { newPassword: password }),
      ana.rest.put('/api/user/profile', { newPassword: password, name: '' }),
    ]);
    for (const { text } of answers) expect(text).not.toMatch(/correct horse|hash|password/i);
  });

  it('is kept as a bcrypt hash that names its scheme, never twice the same', async () => {
    const { ana, bea, database } = await worldOf('ana', 'bea');
    const { rows } = await sql<{ hash: string }>`
      select password_hash as hash from users where id in (${ana.id}, ${bea.id})`.execute(database.query());
    for (const { hash } of rows) expect(hash).toMatch(/^[\w+-]+:\$2[aby]\$\d\d\$.{53}$/);
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
  });
});

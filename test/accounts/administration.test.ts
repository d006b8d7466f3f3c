import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AdministrationService } from '../../src/accounts/administration.service.js';
import { Passwords } from '../../src/accounts/passwords.js';
import { configOf } from '../support/database.js';
import { world } from '../support/world.js';

async function office() {
  const { database, clock, rest } = await world();
  const passwords = new Passwords({ ...configOf(), hashCost: 4, hashThreads: 1 });
  onTestFinished(() => passwords.close());
  return { administration: new AdministrationService(database, clock, passwords), rest, clock };
}

const someone = () => ({ name: 'Ana', email: `Ana-${randomUUID()}@example.com` });

describe('The operator', () => {
  it('makes an account, whose password opens it', async () => {
    const { administration, rest } = await office();
    const person = someone();
    const password = await administration.create(person);
    expect(password).toMatch(/^[\w-]{16}$/);
    const { status, body } = await rest.post('/api/auth/login', { email: person.email, password });
    expect([status, body.user]).toEqual([200, expect.objectContaining({ ...person, points: 0 })]);
    await expect(administration.create({ ...person, email: person.email.toUpperCase() })).rejects.toEqual(
      expect.objectContaining({ message: 'Email already in use' }),
    );
  });

  it('gives a new password, after which the old one is wrong and tokens are good', async () => {
    const { administration, rest } = await office();
    const person = someone();
    const password = await administration.create(person);
    const { token } = (await rest.post('/api/auth/login', { email: person.email, password })).body;
    const next = await administration.resetPassword(person.email.toLowerCase());
    const statusWith = async (given: string) =>
      (await rest.post('/api/auth/login', { email: person.email, password: given })).status;
    expect([await statusWith(password), await statusWith(next)]).toEqual([401, 200]);
    expect((await rest.as(token).get('/api/user/profile')).status).toBe(200);
    await expect(administration.resetPassword('nobody@example.com')).rejects.toEqual(
      expect.objectContaining({ kind: 'missing' }),
    );
  });

  it('sees each account once, in chunks', async () => {
    const { administration } = await office();
    const people = [someone(), someone()];
    for (const person of people) await administration.create(person);
    const seen: string[] = [];
    for await (const chunk of administration.list()) seen.push(...chunk.map(({ email }) => email));
    expect(seen).toEqual(expect.arrayContaining(people.map(({ email }) => email)));
    expect(new Set(seen).size).toBe(seen.length);
  });
});

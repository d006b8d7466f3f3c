import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { AdministrationService } from '../../src/features/account/administration.service.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type RestClient, world } from '../support/world.js';

async function office() {
  const { database, clock, rest } = await world();
  const passwords = new Passwords({ ...configOf(), hashCost: 4, hashThreads: 1 });
  onTestFinished(() => passwords.close());
  const administration = new AdministrationService(database, clock, passwords);
  /** An account with a session and an API token. */
  const signedIn = async () => {
    const person = someone();
    const password = await administration.create(person);
    const session: string = (await rest.post('/api/auth/login', { email: person.email, password })).body
      .token;
    const query = 'mutation { createApiToken(input: { name: "Watch", scopes: [READ, PROFILE] }) { token } }';
    const made = await rest.as(session).post('/graphql', { query });
    return { person, password, session, apiToken: made.body.data.createApiToken.token as string };
  };
  return { administration, rest, signedIn };
}

const profileOf = async (rest: RestClient) => (await rest.get('/api/user/profile')).status;

/** Once the service has heard of it. */
const becomes = (rest: RestClient, status: number) =>
  eventually(async () => (await profileOf(rest)) === status);

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

  it('gives a new password, which ends the old one, all sessions and all API tokens', async () => {
    const { administration, rest, signedIn } = await office();
    const { person, password, session, apiToken } = await signedIn();
    const next = await administration.resetPassword(person.email.toLowerCase());
    const statusWith = async (given: string) =>
      (await rest.post('/api/auth/login', { email: person.email, password: given })).status;
    expect([await statusWith(password), await statusWith(next)]).toEqual([401, 200]);
    for (const token of [session, apiToken]) await becomes(rest.as(token), 401);
  });

  it('deletes an account, with all sessions and API tokens', async () => {
    const { administration, rest, signedIn } = await office();
    const { person, session, apiToken } = await signedIn();
    await administration.delete(person.email.toLowerCase());
    for (const token of [session, apiToken]) await becomes(rest.as(token), 401);
  });

  it('signs everybody out of an account, and leaves its API tokens', async () => {
    const { administration, rest, signedIn } = await office();
    const { person, session, apiToken } = await signedIn();
    expect(await administration.signOut(person.email.toLowerCase())).toBe(1);
    await becomes(rest.as(session), 401);
    expect(await profileOf(rest.as(apiToken))).toBe(200);
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type TestUser, world } from '../support/world.js';

const SIGN_UP = `mutation ($input: SignUpInput!) {
  signUp(input: $input) {
    token expiresAt
    user { id name email profilePicture points currentStreak maxStreak createdAt updatedAt }
  }
}`;
const LOG_IN = `mutation ($input: LogInInput!) {
  logIn(input: $input) { token expiresAt user { id name email } }
}`;
const ME = '{ me { id name email profilePicture points currentStreak maxStreak createdAt updatedAt } }';
const someone = (given: object = {}) => ({
  input: { name: 'Ana', email: `${randomUUID()}@example.com`, password: 'secret1', ...given },
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('signUp', () => {
  it('answers the new user, who has neither points nor streaks, and a token for 30 days', async () => {
    const { graphql, clock } = await world();
    clock.set('2026-11-21T08:30:00.000Z');
    const { input } = someone();

    const { signUp } = await graphql.request(SIGN_UP, { input });

    expect(signUp).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expiresAt: '2026-12-21T08:30:00.000Z',
      user: {
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: input.name,
        email: input.email,
        profilePicture: null,
        points: 0,
        currentStreak: 0,
        maxStreak: 0,
        createdAt: '2026-11-21T08:30:00.000Z',
        updatedAt: '2026-11-21T08:30:00.000Z',
      },
    });
  });

  it('names every field at fault', async () => {
    const { graphql } = await world();
    const request = graphql.request(SIGN_UP, { input: { name: ' ', email: 'ana', password: 'short' } });
    const fields = [{ name: 'name' }, { name: 'email' }, { name: 'password' }];
    await expect(request).rejects.toMatchObject({ response: { errors: [{ extensions: { fields } }] } });
  });
});

describe('logIn', () => {
  it('answers the user and a new token for 30 days', async () => {
    const { graphql, clock, newUser } = await world();
    const ana = await newUser();
    clock.set('2026-12-01T00:00:00.000Z');

    const { logIn } = await graphql.request(LOG_IN, { input: credentials(ana) });

    expect(logIn).toMatchObject({ expiresAt: '2026-12-31T00:00:00.000Z', user: { id: ana.id } });
    expect(logIn.token).not.toBe(ana.token);
    const { me } = await graphql.request(ME, {}, bearer(logIn.token));
    expect(me.id).toBe(ana.id);
  });

  it('answers the user who logs in, active challenge included, with another user’s token or with none', async () => {
    const { graphql, newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await ana.hasAccepted();
    await bea.hasAccepted();
    const document = `mutation ($input: LogInInput!) {
      logIn(input: $input) { user { id activeChallenge { id template { id } } } }
    }`;
    const anas = { id: ana.id, activeChallenge: { id: String(id), template: { id: '1' } } };
    for (const client of [bea.graphql, graphql]) {
      const { logIn } = await client.request(document, { input: credentials(ana) });
      expect(logIn.user).toEqual(anas);
    }
  });
});

function credentials({ account: { email, password } }: TestUser) {
  return { email, password };
}

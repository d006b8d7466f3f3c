import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { world, worldOf } from '../support/world.js';

const SIGN_UP = 'mutation ($input: SignUpInput!) { signUp(input: $input) { expiresAt } }';
const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { expiresAt } }';
const someone = (given: object = {}) => ({
  input: { name: 'Ana', email: `${randomUUID()}@example.com`, password: 'secret1', ...given },
});

describe('The token of signUp and logIn', () => {
  it('ends after 30 days, and the answer says when', async () => {
    const { graphql, clock } = await world();
    const { input } = someone();
    clock.set('2026-11-21T08:30:00.000Z');
    const { signUp } = await graphql.request(SIGN_UP, { input });
    expect(signUp.expiresAt).toBe('2026-12-21T08:30:00.000Z');
    clock.set('2026-12-01T00:00:00.000Z');
    const { email, password } = input;
    const { logIn } = await graphql.request(LOG_IN, { input: { email, password } });
    expect(logIn.expiresAt).toBe('2026-12-31T00:00:00.000Z');
  });
});

describe('logIn', () => {
  it('answers the user who logs in, active challenge included, with another user’s token or with none', async () => {
    const { ana, bea, graphql } = await worldOf('ana', 'bea');
    const { id } = await ana.hasAccepted();
    await bea.hasAccepted();
    const document = `mutation ($input: LogInInput!) {
      logIn(input: $input) { user { id activeChallenge { id template { id } } } }
    }`;
    const { email, password } = ana.account;
    const anas = { id: ana.id, activeChallenge: { id: String(id), template: { id: '1' } } };
    for (const client of [bea.graphql, graphql]) {
      const { logIn } = await client.request(document, { input: { email, password } });
      expect(logIn.user).toEqual(anas);
    }
  });
});

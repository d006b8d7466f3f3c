import { describe, expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

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

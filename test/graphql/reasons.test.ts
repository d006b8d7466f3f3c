import { describe, expect, it } from 'vitest';
import { type Reason, reasons } from '../../src/reasons.js';
import { transports } from '../support/transports.js';
import { type TestUser, world } from '../support/world.js';

interface Refused {
  reason: Reason;
  query: string;
  variables?: (user: TestUser) => Record<string, unknown>;
  authorization?: string;
  /** What has to have happened before. */
  after?: (user: TestUser) => Promise<unknown>;
}

const COMPLETE =
  'mutation ($id: ID!, $key: String) { completeTask(taskId: $id, idempotencyKey: $key) { replayed } }';
const ACCEPT = 'mutation { acceptChallenge(templateId: "1") { challenge { id } } }';

const refused: Record<string, Refused> = {
  'no token': { reason: 'TOKEN_MISSING', query: '{ me { id } }', authorization: '' },
  'a token of nobody': { reason: 'TOKEN_INVALID', query: '{ me { id } }', authorization: 'Bearer x' },
  'a wrong password': {
    reason: 'INVALID_CREDENTIALS',
    query: 'mutation ($email: String!) { logIn(input: { email: $email, password: "wrong" }) { token } }',
    variables: ({ account }) => ({ email: account.email }),
  },
  'an address that is taken': {
    reason: 'EMAIL_TAKEN',
    query:
      'mutation ($email: String!) { signUp(input: { name: "A", email: $email, password: "secret1" }) { token } }',
    variables: ({ account }) => ({ email: account.email }),
  },
  'an unknown task': { reason: 'NOT_FOUND', query: COMPLETE, variables: () => ({ id: '999999999' }) },
  'a second challenge': {
    reason: 'CHALLENGE_ACTIVE',
    query: ACCEPT,
    after: async (user) => {
      await user.query(ACCEPT).catch(() => {}); // each transport asks
    },
  },
  'a challenge that was not accepted': {
    reason: 'NO_ACTIVE_CHALLENGE',
    query:
      'mutation { createTask(input: { title: "Swim", points: 1, challengeTemplateId: "7" }) { task { id } } }',
  },
  'a blank title': {
    reason: 'INVALID_INPUT',
    query: 'mutation { createTask(input: { title: " ", points: 1 }) { task { id } } }',
  },
  'an invalid variable': { reason: 'INVALID_INPUT', query: COMPLETE, variables: () => ({ id: {} }) },
  'an unknown field': { reason: 'INVALID_INPUT', query: '{ nothing }' },
  'a syntax error': { reason: 'INVALID_INPUT', query: '{' },
  'too many fields at the root': {
    reason: 'TOO_COMPLEX',
    query: `{ ${Array.from({ length: 30 }, (_, at) => `a${at}: me { id }`).join(' ')} }`,
  },
};

const extensionsIn = ({ errors }: { errors?: { extensions?: Record<string, unknown> }[] }) =>
  errors?.map(({ extensions }) => extensions) ?? [];

describe.each(transports)('Over %s', (_name, ask) => {
  it.each(Object.entries(refused))('%s is refused with its reason, however often', async (_what, given) => {
    const { base, newUser } = await world();
    const user = await newUser();
    await given.after?.(user);
    const { reason, query, variables, authorization = `Bearer ${user.token}` } = given;
    for (let time = 0; time < 3; time += 1) {
      const answer = await ask(base, {
        query,
        variables: variables?.(user) ?? {},
        ...(authorization !== '' && { authorization }),
      });
      const found = extensionsIn(answer);
      expect(found.length).toBeGreaterThan(0);
      for (const extensions of found) {
        expect(extensions?.reason).toBe(reason);
        expect(reasons[reason].codes).toContain(extensions?.code);
      }
    }
  });
});

describe('Before an operation is read', () => {
  it.each([
    ['a body that is no JSON', '{', {}],
    ['another content type', 'query', { 'content-type': 'text/plain' }],
    ['a header of 2,000 characters', '{}', { accept: 'a'.repeat(2_000) }],
  ])('%s is refused with a reason', async (_what, body, headers) => {
    const { rest } = await world();
    const { body: answer } = await rest.send('POST', '/graphql', body, headers as Record<string, string>);
    expect(extensionsIn(answer)).toMatchObject([{ reason: 'INVALID_INPUT' }]);
  });
});

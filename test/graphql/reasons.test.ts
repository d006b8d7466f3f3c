import { describe, expect, it } from 'vitest';
import { type Reason, reasons } from '../../src/errors.js';
import { overWebSocket, transports } from '../support/transports.js';
import { type TestUser, type World, world } from '../support/world.js';

interface Refused {
  reason: Reason;
  /** Where several have the reason. */
  code?: string;
  query: string;
  /** What happens before, and the variables that follow from it. */
  given?: (user: TestUser, world: World) => unknown;
  /** Null: none is sent. */
  authorization?: string | null;
}

const COMPLETE =
  'mutation ($id: ID!, $key: String, $at: DateTime) { completeTask(taskId: $id, idempotencyKey: $key, at: $at) { completion { id } } }';
const ACCEPT = 'mutation { acceptChallenge(templateId: "1") { challenge { id } } }';

const refused: Record<string, Refused> = {
  'no token': { reason: 'TOKEN_MISSING', query: '{ me { id } }', authorization: null },
  'an empty token': { reason: 'TOKEN_MISSING', query: '{ me { id } }', authorization: '' },
  'a token of nobody': { reason: 'TOKEN_INVALID', query: '{ me { id } }', authorization: 'Bearer x' },
  'a wrong password': {
    reason: 'INVALID_CREDENTIALS',
    query: 'mutation ($email: String!) { logIn(input: { email: $email, password: "wrong" }) { token } }',
    given: ({ account }) => ({ email: account.email }),
  },
  'an address that is taken': {
    reason: 'EMAIL_TAKEN',
    query:
      'mutation ($email: String!) { signUp(input: { name: "A", email: $email, password: "secret1" }) { token } }',
    given: ({ account }) => ({ email: account.email }),
  },
  'an unknown task': { reason: 'NOT_FOUND', query: COMPLETE, given: () => ({ id: '999999999' }) },
  'a second challenge': {
    reason: 'CHALLENGE_ACTIVE',
    query: ACCEPT,
    given: (user) => user.hasAccepted().then(() => ({})),
  },
  "another user's task": {
    reason: 'TASK_OF_ANOTHER',
    query: COMPLETE,
    given: async (_, { newUser }) => (await newUser()).hasTask(),
  },
  'an archived task': {
    reason: 'TASK_ARCHIVED',
    query: COMPLETE,
    given: async (user) => {
      const task = await user.hasTask();
      await user.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', task);
      return task;
    },
  },
  'a key of another task': {
    reason: 'KEY_REUSED',
    query: COMPLETE,
    given: async (user) => {
      await user.query(COMPLETE, { ...(await user.hasTask()), key: 'tap' });
      return { ...(await user.hasTask()), key: 'tap' };
    },
  },
  'a completion of years ago': {
    reason: 'TOO_LATE',
    query: COMPLETE,
    given: async (user) => ({ ...(await user.hasTask()), at: '2020-02-29T08:00:00Z' }),
  },
  'a completion of tomorrow': {
    reason: 'IN_FUTURE',
    query: COMPLETE,
    given: async (user, { clock }) => {
      const at = new Date(clock.now().getTime() + 86_400_000);
      return { ...(await user.hasTask()), at: at.toISOString() };
    },
  },
  'an undo of the week before': {
    reason: 'DAY_OVER',
    query: 'mutation ($id: ID!) { undoCompletion(id: $id) { task { id } } }',
    given: async (user, { clock }) => {
      const { completeTask } = await user.query(COMPLETE, await user.hasTask());
      clock.advance({ days: 8 });
      return completeTask.completion;
    },
  },
  'a skip of a day in two years': {
    reason: 'DAY_AHEAD',
    query: 'mutation ($id: ID!) { skipDay(taskId: $id, date: "2028-11-21") { date } }',
    given: (user) => user.hasTask(),
  },
  'a pause within another': {
    reason: 'PAUSED',
    query: 'mutation { pause(from: "2026-12-24") { pause { id } } }',
    given: (user) => user.query('mutation { pause(from: "2026-12-01") { pause { id } } }'),
  },
  'an end of a challenge that has ended otherwise': {
    reason: 'CHALLENGE_ENDED',
    query: 'mutation ($id: ID!) { abandonChallenge(id: $id) { challenge { id } } }',
    given: async (user) => {
      const challenge = await user.hasAccepted();
      await user.query('mutation ($id: ID!) { completeChallenge(id: $id) { challenge { id } } }', challenge);
      return challenge;
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
  'an invalid variable': {
    reason: 'INVALID_INPUT',
    code: 'BAD_USER_INPUT',
    query: COMPLETE,
    given: () => ({ id: {} }),
  },
  'an unknown field': { reason: 'INVALID_INPUT', code: 'GRAPHQL_VALIDATION_FAILED', query: '{ nothing }' },
  'a subscription to two fields': {
    reason: 'INVALID_INPUT',
    code: 'GRAPHQL_VALIDATION_FAILED',
    query: 'subscription { progressChanged { cause } challengeChanged { id } }',
  },
  'a choice of operations without a name': {
    reason: 'INVALID_INPUT',
    code: 'OPERATION_RESOLUTION_FAILURE',
    query: 'query A { me { id } } query B { me { id } }',
  },
  'a syntax error': { reason: 'INVALID_INPUT', code: 'GRAPHQL_PARSE_FAILED', query: '{' },
  'too many fields at the root': {
    reason: 'TOO_COMPLEX',
    query: `{ ${Array.from({ length: 30 }, (_, at) => `a${at}: me { id }`).join(' ')} }`,
  },
};

/** The service must be at its end or put wrong for these, which other tests do. */
const elsewhere: Reason[] = [
  ...(['DATABASE_AWAY', 'INTERNAL', 'OVERLOADED', 'SCOPE_MISSING', 'SIGN_UP_CLOSED'] as const),
  ...([
    'TOO_MANY_ATTEMPTS',
    'TOO_MANY',
    'CHANNEL_UNAVAILABLE',
    'HAS_HISTORY',
    'MAIL_UNAVAILABLE',
    'RESET_INVALID',
    'LAST_WAY_IN',
  ] as const),
];

const extensionsIn = ({ errors }: { errors?: { extensions?: Record<string, unknown> }[] }) =>
  errors?.map(({ extensions }) => extensions) ?? [];

describe.each(transports)('Over %s', (_name, ask) => {
  it.each(Object.entries(refused))('%s is refused with its reason, however often', async (_what, given) => {
    const here = await world();
    const user = await here.newUser();
    const variables = ((await given.given?.(user, here)) ?? {}) as Record<string, unknown>;
    const { reason, query, authorization = `Bearer ${user.token}` } = given;
    for (let time = 0; time < 3; time += 1) {
      const answer = await ask(here.base, {
        query,
        variables,
        ...(authorization !== null && { authorization }),
      });
      const found = extensionsIn(answer);
      expect(found.length).toBeGreaterThan(0);
      for (const extensions of found) {
        expect(extensions?.reason).toBe(reason);
        expect(given.code ? [given.code] : reasons[reason].codes).toContain(extensions?.code);
        expect(JSON.stringify(answer)).not.toMatch(/node_modules|stacktrace|"http"/);
      }
    }
  });
});

describe('Of the parameters of a WebSocket', () => {
  it.each([
    ['nothing', null, 'TOKEN_MISSING'],
    ['a number', 7, 'TOKEN_INVALID'],
    ['an object', { bearer: 'x' }, 'TOKEN_INVALID'],
    ['false', false, 'TOKEN_INVALID'],
    ['a text longer than a header', `Bearer ${'x'.repeat(20_000)}`, 'TOKEN_INVALID'],
  ])('%s in place of a token is refused with its reason', async (_what, authorization, reason) => {
    const { base } = await world();
    const answer = await overWebSocket(base, { query: '{ me { id } }', authorization });
    expect(extensionsIn(answer)).toMatchObject([{ code: 'UNAUTHENTICATED', reason }]);
  });
});

it('Every reason is met here or elsewhere', () => {
  const met = Object.values(refused).map(({ reason }) => reason);
  expect([...new Set([...met, ...elsewhere])].sort()).toEqual(Object.keys(reasons).sort());
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

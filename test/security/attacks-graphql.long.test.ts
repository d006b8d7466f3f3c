import { describe, expect, it } from 'vitest';
import { expectCheap, someOf } from '../support/cpu.js';
import { type Ask, transports } from '../support/transports.js';
import { world, worldOf } from '../support/world.js';

const messagesOf = async (ask: Ask, base: string, query: string, variables?: Record<string, unknown>) => {
  const { data, errors = [] } = await ask(base, { query, ...(variables && { variables }) });
  return { data, messages: errors.map(({ message }: { message: string }) => message).join('\n') };
};

it.each(transports)('A slip of the pen is answered with a suggestion, over %s', async (_way, ask) => {
  const { base } = await world();
  const { messages } = await messagesOf(ask, base, '{ tasc { id } }');
  expect(messages).toContain('Did you mean "task" or "tasks"?');
});

describe('A quarter of a megabyte of chosen text keeps nobody busy', () => {
  const SIZE = 240_000;
  /** In milliseconds. An honest text of that size takes some twenty. */
  const LIMIT = 500;
  /** Pieces of what error messages are made of. */
  const pieces = [
    'cannot represent ',
    'a cannot represent b ',
    ' does not exist in ',
    ' Did you mean ',
    'Syntax Error: ',
    'Expected value of type, found ',
    'Value x String Name Int ',
    '; Expected ',
    ' at x.y[0] ',
    'Bearer ',
    ' ',
    'a',
    '@',
  ];
  /** Where a caller can put a text. */
  const places: [name: string, request: (text: string) => object][] = [
    ['instead of an input', (text) => ({ query: `mutation { logIn(input: "${text}") { token } }` })],
    ['as a number', (text) => ({ query: `{ tasks(first: "${text}") { totalCount } }` })],
    ['as a block', (text) => ({ query: `{ tasks(first: """${text}""") { totalCount } }` })],
    ['where none belongs', (text) => ({ query: `{ tasks "${text}" }` })],
    ['without its end', (text) => ({ query: `{ tasks(after: "${text}` })],
    [
      'in a variable',
      (text) => ({
        query: 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }',
        variables: { input: text },
      }),
    ],
    [
      'as a key in a variable',
      (text) => ({
        query: 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }',
        variables: { input: { [text]: 1 } },
      }),
    ],
    [
      'as a value of an enum',
      (text) => ({
        query: 'query ($status: ChallengeStatus) { challenges(status: $status) { totalCount } }',
        variables: { status: text },
      }),
    ],
    [
      'as a cursor',
      (text) => ({ query: 'query ($a: String) { tasks(after: $a) { totalCount } }', variables: { a: text } }),
    ],
    ['as the name of the operation', (text) => ({ query: '{ __typename }', operationName: text })],
    [
      'as an e-mail',
      (text) => ({ query: SIGN_UP, variables: { input: { name: 'A', email: text, password: 'x' } } }),
    ],
    [
      'as a name',
      (text) => ({ query: SIGN_UP, variables: { input: { name: text, email: 'a@b', password: 'x' } } }),
    ],
  ];
  const SIGN_UP = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }';

  it.each(places)('%s', async (_place, requestOf) => {
    const { rest } = (await worldOf('ana')).ana;
    for (const piece of someOf(pieces)) {
      const text = piece.repeat(Math.ceil(SIZE / piece.length)).slice(0, SIZE);
      const ask = async () => {
        const { status } = await rest.post('/graphql', requestOf(text));
        expect(status).toBeLessThan(500);
      };
      await expectCheap(ask, LIMIT, piece);
    }
  });
});

describe.each(transports)('What is sent many times over is reported a few times, over %s', (_way, ask) => {
  const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
  const many = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join(' ');

  it('keys of an input that nobody knows', async () => {
    const { base } = await world();
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
    // Each fault would repeat all of them: most of a minute.
    const { errors } = await ask(base, { query: LOG_IN, variables: { input } });
    expect(errors.length).toBeLessThan(12);
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  it('fields that nobody knows, each with its place among many lines', async () => {
    const { base } = await world();
    const query = `${'\n'.repeat(100_000)}{ ${many(200, (i) => `x${i}`)} }`;
    const { errors } = await ask(base, { query });
    expect(errors.length).toBeLessThan(102);
    expect(errors[1].locations).toEqual([{ line: 100_001, column: 6 }]);
  });

  it('fragments in a circle', async () => {
    const { base } = await world();
    // A circle so wide that validating it takes more of the stack than there is.
    const way = many(225, (i) => `fragment f${i} on Query { ...f${i + 1} }`);
    const circle = `${way} fragment f225 on Query { ${many(3, (i) => `...f${i}`)} }`;
    const { errors } = await ask(base, { query: `{ ...f0 } ${circle}` });
    expect(errors.length).toBeLessThan(102);
    expect(errors[0].extensions.code).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/);
  });
});

describe.each(transports)('A name of 80,000 letters, over %s', (_way, ask) => {
  const NAME = 'a'.repeat(80_000);

  const places: [of: string, query: string, variables?: Record<string, unknown>][] = [
    ['an operation', `query ${NAME} { __typename }`],
    ['a field', `{ ${NAME} }`],
    ['an alias', `{ ${NAME}: __typename }`],
    ['an argument', `{ tasks(${NAME}: 1) { totalCount } }`],
    ['a fragment', `{ ...${NAME} } fragment ${NAME} on Query { __typename }`],
    ['a type', `{ ... on ${NAME} { __typename } }`],
    ['a directive', `{ __typename @${NAME} }`],
    [
      'a variable that is no number',
      `query ($${NAME}: Int) { tasks(first: $${NAME}) { totalCount } }`,
      { [NAME]: 'many' },
    ],
    [
      'a variable whose fields are bad',
      `mutation ($${NAME}: LogInInput!) { logIn(input: $${NAME}) { token } }`,
      { [NAME]: { email: [] } },
    ],
  ];

  it('is refused, wherever it stands', async () => {
    const { base } = await world();
    const extensions = {
      code: 'QUERY_TOO_COMPLEX',
      reason: 'TOO_COMPLEX',
      limit: 'name length',
      maximum: 255,
      actual: 80_000,
    };
    for (const [of, query, variables] of places) {
      const { data, errors } = await ask(base, { query, ...(variables && { variables }) });
      expect(data, of).toBeUndefined();
      expect(errors, of).toEqual([{ message: expect.stringContaining('name length'), extensions }]);
    }
  });

  it('breaks no limit where it is not a name of the document', async () => {
    const { base } = await world();
    const query = `query ($status: ChallengeStatus) { challenges(status: $status) { totalCount } } # ${NAME}`;
    const { errors } = await ask(base, { query, variables: { status: NAME } });
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ name: 'status' }] });
  });
});

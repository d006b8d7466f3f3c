import { describe, expect, it } from 'vitest';
import { expectCheap, someOf } from '../support/cpu.js';
import { transports } from '../support/transports.js';
import { world, worldOf } from '../support/world.js';

describe('A quarter of a megabyte of chosen text keeps nobody busy', () => {
  const SIZE = 240_000;
  /** In milliseconds. An honest text of that size takes some twenty. */
  const LIMIT = 500;
  /** Pieces of what error messages are made of. */
  const pieces = [
    ...['cannot represent ', ' does not exist in ', ' Did you mean ', 'Syntax Error: ', '; Expected '],
    ...['http://', '%', '\u{1f511}', '\t\n', ' ', 'a', '@', ' at x.y[0] ', 'Value x String Name Int '],
  ];
  const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
  const SIGN_UP = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }';
  const PROFILE = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
  const TASK = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
  const CURSOR = 'query ($a: String) { tasks(after: $a) { totalCount } }';
  const person = { name: 'A', email: 'a@b', password: 'x' };
  /** Where a caller can put a text. */
  const places: Record<string, (text: string) => object> = {
    'instead of an input': (text) => ({ query: `mutation { logIn(input: "${text}") { token } }` }),
    'as a number': (text) => ({ query: `{ tasks(first: "${text}") { totalCount } }` }),
    'where none belongs': (text) => ({ query: `{ tasks "${text}" }` }),
    'without its end': (text) => ({ query: `{ tasks(after: "${text}` }),
    'in a variable': (input) => ({ query: LOG_IN, variables: { input } }),
    'as a key in a variable': (text) => ({ query: LOG_IN, variables: { input: { [text]: 1 } } }),
    'as a cursor': (a) => ({ query: CURSOR, variables: { a } }),
    'as the name of the operation': (text) => ({ query: '{ __typename }', operationName: text }),
    'as an e-mail': (email) => ({ query: SIGN_UP, variables: { input: { ...person, email } } }),
    'as a picture': (profilePicture) => ({ query: PROFILE, variables: { input: { profilePicture } } }),
    'as a description': (description) => ({ query: TASK, variables: { input: { title: 'a', description } } }),
    'as a name': (name) => ({ query: SIGN_UP, variables: { input: { ...person, name } } }),
  };

  it.each(Object.entries(places))('%s', async (_place, requestOf) => {
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

describe('What is sent many times over is reported a few times', () => {
  const errorsOf = async (query: string, variables?: object) =>
    (await (await world()).rest.ask(query, variables)).errors;
  const many = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join(' ');

  it('keys of an input that nobody knows', async () => {
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, 1]));
    // Each fault would repeat all of them: most of a minute.
    const errors = await errorsOf('mutation ($input: LogInInput!) { logIn(input: $input) { token } }', {
      input,
    });
    expect(errors.length).toBeLessThan(12);
    expect(errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  it('fields that nobody knows, each with its place among many lines', async () => {
    const errors = await errorsOf(`${'\n'.repeat(100_000)}{ ${many(200, (i) => `x${i}`)} }`);
    expect(errors.length).toBeLessThan(102);
    expect(errors[1].locations).toEqual([{ line: 100_001, column: 6 }]);
  });

  it('fragments in a circle', async () => {
    // A circle so wide that validating it takes more of the stack than there is.
    const way = many(225, (i) => `fragment f${i} on Query { ...f${i + 1} }`);
    const circle = `${way} fragment f225 on Query { ${many(3, (i) => `...f${i}`)} }`;
    const errors = await errorsOf(`{ ...f0 } ${circle}`);
    expect(errors.length).toBeLessThan(102);
    expect(errors[0].extensions.code).toMatch(/^GRAPHQL_(PARSE|VALIDATION)_FAILED$/);
  });
});

it.each(transports)('A name of 80,000 letters is refused, wherever it stands, over %s', async (_way, ask) => {
  const NAME = 'a'.repeat(80_000);
  const { base } = await world();
  const extensions = {
    ...{ code: 'QUERY_TOO_COMPLEX', reason: 'TOO_COMPLEX' },
    ...{ limit: 'name length', maximum: 255, actual: 80_000 },
  };
  for (const query of [
    `query ${NAME} { __typename }`,
    `{ ${NAME} }`,
    `{ ${NAME}: __typename }`,
    `{ tasks(${NAME}: 1) { totalCount } }`,
    `{ ...${NAME} } fragment ${NAME} on Query { __typename }`,
    `{ ... on ${NAME} { __typename } }`,
    `{ __typename @${NAME} }`,
    `query ($${NAME}: Int) { tasks(first: $${NAME}) { totalCount } }`,
  ]) {
    const { data, errors } = await ask(base, { query, variables: { [NAME]: 'many' } });
    expect(data).toBeUndefined();
    expect(errors).toEqual([{ message: expect.stringContaining('name length'), extensions }]);
  }
});

import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { type RestClient, world } from '../support/world.js';

const ask = (client: RestClient, query: string, variables?: unknown) =>
  client.post('/graphql', { query, variables });

const UNAUTHENTICATED = {
  message: 'User not authenticated',
  extensions: { code: 'UNAUTHENTICATED', reason: 'TOKEN_MISSING' },
};
describe('Without a token', () => {
  it.each([
    '{ tasks(first: 0) { totalCount } }',
    '{ tasks(after: "nonsense") { totalCount } }',
    '{ challenges(first: 101) { totalCount } }',
    '{ task(id: "nonsense") { id } }',
    'mutation { updateProfile(input: { email: "nonsense" }) { user { id } } }',
    'mutation { createTask(input: { title: "", points: -1 }) { task { id } } }',
    'mutation { updateTask(id: 0, input: { title: null }) { task { id } } }',
    'mutation { completeTask(taskId: 0, idempotencyKey: "") { replayed } }',
    'mutation { acceptChallenge(templateId: "nonsense") { challenge { id } } }',
    'mutation { updateChallengeNotes(id: 1, notes: "\\u0000") { challenge { id } } }',
  ])('%s is UNAUTHENTICATED before its arguments are looked at', async (document) => {
    const { rest } = await world();
    expect((await ask(rest, document)).body.errors).toMatchObject([UNAUTHENTICATED]);
  });

  it('a field that needs none is answered beside one that does', async () => {
    const { rest } = await world();
    const { body } = await ask(rest, '{ __typename task(id: 1) { id } }');
    expect(body.data).toEqual({ __typename: 'Query', task: null });
    expect(body.errors).toMatchObject([{ ...UNAUTHENTICATED, path: ['task'] }]);
  });
});

describe('A refusal', () => {
  it('says message, place, code and nothing else', async () => {
    const { newUser } = await world();
    const { body } = await ask((await newUser()).rest, 'mutation { completeTask(taskId: 0) { replayed } }');
    expect(body).toEqual({
      data: null,
      errors: [
        {
          message: 'Task not found',
          locations: [{ line: 1, column: 12 }],
          path: ['completeTask'],
          extensions: { code: 'NOT_FOUND', reason: 'NOT_FOUND' },
        },
      ],
    });
  });

  it('says which inputs are at fault, each with its own message', async () => {
    const { newUser } = await world();
    const document =
      'mutation { createTask(input: { title: " ", points: 0, description: "\\u0000" }) { task { id } } }';
    const { body } = await ask((await newUser()).rest, document);
    const fields = [
      { name: 'title', message: 'Title must not be blank' },
      { name: 'points', message: 'Points must be greater than zero' },
      { name: 'description', message: 'Description must not contain NUL characters' },
    ];
    expect(body.errors[0].message).toBe(body.errors[0].extensions.fields[0].message);
    expect(body.errors[0].extensions).toEqual({
      code: 'BAD_USER_INPUT',
      reason: 'INVALID_INPUT',
      fields: expect.arrayContaining(fields),
    });
    expect(body.errors[0].extensions.fields).toHaveLength(3);
  });
});

describe('Variables that do not fit', () => {
  const TASK = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
  const TASKS = 'query ($size: Int) { tasks(first: $size) { totalCount } }';
  it.each([
    ['title', 'a required field left out', TASK, { input: { points: 1 } }],
    ['title', 'null for a required field', TASK, { input: { title: null } }],
    ['points', 'text for a number', TASK, { input: { title: 'Swim', points: '1' } }],
    ['size', 'text for a number', TASKS, { size: '1' }],
  ])('are BAD_USER_INPUT that names the input at fault (%s: %s)', async (name, _what, query, variables) => {
    const { newUser } = await world();
    const { body } = await ask((await newUser()).rest, query, variables);
    const fields = [{ name, message: expect.any(String) }];
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields } }]);
  });

  it('are BAD_USER_INPUT when a required one is missing', async () => {
    const { newUser } = await world();
    const { body } = await ask((await newUser()).rest, TASK, {});
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

describe('An explicit null', () => {
  const updateTask = (field: string) =>
    `mutation { updateTask(id: 0, input: { ${field}: null }) { task { id } } }`;
  const updateProfile = (field: string) =>
    `mutation { updateProfile(input: { ${field}: null }) { user { id } } }`;
  const createTask = (field: string) =>
    `mutation { createTask(input: { title: "Swim", ${field}: null }) { task { id } } }`;

  it.each([
    ['title', updateTask('title')],
    ['points', updateTask('points')],
    ['isDailyRoutine', updateTask('isDailyRoutine')],
    ['points', createTask('points')],
    ['isDailyRoutine', createTask('isDailyRoutine')],
    ['name', updateProfile('name')],
    ['email', updateProfile('email')],
    ['newPassword', updateProfile('newPassword')],
  ])('is BAD_USER_INPUT where nothing can be cleared (%s): %s', async (name, document) => {
    const { newUser } = await world();
    const { body } = await ask((await newUser()).rest, document);
    expect(body.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', fields: [{ name }] } }]);
  });

  it.each([createTask('description'), createTask('challengeTemplateId'), updateProfile('profilePicture')])(
    'is taken where something can be cleared: %s',
    async (document) => {
      const { newUser } = await world();
      expect((await ask((await newUser()).rest, document)).body.errors).toBeUndefined();
    },
  );
});

describe('A malformed id', () => {
  const malformed = [
    '',
    'abc',
    '1e0',
    ' 1',
    '1 ',
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '0x1',
    '１',
    '1\0',
    '\ud800',
  ];
  const tooLarge = ['9007199254740992', '9223372036854775808', '9'.repeat(400)];
  const ids = [...malformed, ...tooLarge];

  it.each(ids)('is null in a look-up: %j', async (id) => {
    const { newUser } = await world();
    const query = 'query ($id: ID!) { task(id: $id) { id } challengeTemplate(id: $id) { id } }';
    const { body } = await ask((await newUser()).rest, query, { id });
    expect(body).toEqual({ data: { task: null, challengeTemplate: null } });
  });

  it.each(ids)('is NOT_FOUND in a mutation: %j', async (id) => {
    const { newUser } = await world();
    const { rest } = await newUser();
    for (const [mutation, what] of [
      ['updateTask(id: $id, input: {}) { task { id } }', 'Task'],
      ['archiveTask(id: $id) { task { id } }', 'Task'],
      ['unarchiveTask(id: $id) { task { id } }', 'Task'],
      ['deleteTask(id: $id) { taskId }', 'Task'],
      ['moveTask(id: $id) { task { id } }', 'Task'],
      ['completeTask(taskId: $id) { replayed }', 'Task'],
      [
        'createTask(input: { title: "Swim", challengeTemplateId: $id }) { task { id } }',
        'Challenge template',
      ],
      ['acceptChallenge(templateId: $id) { challenge { id } }', 'Challenge template'],
      ['updateChallengeNotes(id: $id, notes: "") { challenge { id } }', 'Challenge'],
      ['completeChallenge(id: $id) { challenge { id } }', 'Challenge'],
      ['abandonChallenge(id: $id) { challenge { id } }', 'Challenge'],
    ]) {
      const { body } = await ask(rest, `mutation ($id: ID!) { ${mutation} }`, { id });
      expect(body.errors).toMatchObject([
        { message: `${what} not found`, extensions: { code: 'NOT_FOUND' } },
      ]);
    }
  });

  it('does not find a row as another spelling of its id', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const { id } = await ana.hasTask();
    const find = async (text: string | number) =>
      (await ask(ana.rest, 'query ($id: ID!) { task(id: $id) { id } }', { id: text })).body.data.task;
    for (const text of [
      `0${id}`,
      ` ${id}`,
      `${id} `,
      `${id}.0`,
      `${id}e0`,
      `+${id}`,
      `0x${id.toString(16)}`,
    ]) {
      expect(await find(text)).toBeNull();
    }
    for (const text of [id, String(id)]) expect(await find(text)).toEqual({ id: String(id) });
  });
});

describe("Another user's task", () => {
  it('is null when looked up, as if there were none', async () => {
    const { newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await bea.hasTask();
    const { body } = await ask(ana.rest, `{ task(id: ${id}) { id title } }`);
    expect(body).toEqual({ data: { task: null } });
  });
});

describe('A fault of ours', () => {
  it.each([
    ['users', '{ me { id } }', 'me'],
    ['users', 'mutation { logIn(input: { email: "a@b", password: "secret1" }) { token } }', 'logIn'],
    ['tasks', '{ tasks { totalCount } }', 'tasks'],
    ['task_completions', 'mutation { completeTask(taskId: 1) { replayed } }', 'completeTask'],
    [
      'user_challenges',
      'mutation { acceptChallenge(templateId: 1) { challenge { id } } }',
      'acceptChallenge',
    ],
    ['user_challenges', 'mutation { abandonChallenge(id: 1) { challenge { id } } }', 'abandonChallenge'],
  ])('tells its place and nothing else (%s is gone: %s)', async (table, document, field) => {
    const database = await freshDatabase(2);
    onTestFinished(() => database.close());
    const { newUser } = await world({ database });
    const { rest } = await newUser();
    await sql`drop table ${sql.table(table)} cascade`.execute(database.query());

    const { status, body } = await ask(rest, document);

    expect(status).toBe(200);
    expect(body).toEqual({
      data: null,
      errors: [
        {
          message: 'Internal server error',
          locations: expect.any(Array),
          path: expect.arrayContaining([field]),
          extensions: { code: 'INTERNAL_SERVER_ERROR', reason: 'INTERNAL' },
        },
      ],
    });
  });

  it('leaves the rest of the answer as it is', async () => {
    const database = await freshDatabase(2);
    onTestFinished(() => database.close());
    const { newUser } = await world({ database });
    const { rest, id } = await newUser();
    await sql`drop table user_challenges cascade`.execute(database.query());
    const { body } = await ask(rest, '{ me { id activeChallenge { id } } }');
    expect(body.data).toEqual({ me: { id, activeChallenge: null } });
    expect(body.errors).toMatchObject([
      { message: 'Internal server error', path: ['me', 'activeChallenge'] },
    ]);
  });
});

describe('No message repeats what it was given', () => {
  const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
  const CREATE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
  const logIn = (password: string) =>
    `mutation { logIn(input: { email: "a@b", password: ${password} }) { token } }`;

  it.each([
    ['a password of the wrong type', LOG_IN, { input: { email: 'a@b', password: ['hunter2'] } }],
    ['a number for a password', LOG_IN, { input: { email: 'a@b', password: 7_654_321 } }],
    ['a password without its e-mail address', LOG_IN, { input: { password: 'hunter2' } }],
    ['a password without e-mail, with a semicolon in it', LOG_IN, { input: { password: 'a; hunter2' } }],
    [
      'a password without e-mail that looks like a message',
      LOG_IN,
      { input: { password: '" at "a"; Field "hunter2" is not defined' } },
    ],
    ['a password without e-mail, in several lines', LOG_IN, { input: { password: 'a\n; hunter2\n' } }],
    [
      'a password beside an unknown field',
      LOG_IN,
      { input: { email: 'a@b', password: 'hunter2; a', x: 'hunter2; b' } },
    ],
    ['a password deep down', LOG_IN, { input: { email: 'a@b', password: { is: 'a; hunter2' } } }],
    ['a password instead of the input', LOG_IN, { input: 'a; hunter2' }],
    ['a password instead of the variables', LOG_IN, 'hunter2'],
    ['a wrong password', LOG_IN, { input: { email: 'hunter2@b', password: 'hunter2' } }],
    ['a password as a number', logIn('7654321'), {}],
    ['a password without quotes', logIn('hunter2'), {}],
    ['a password in single quotes', logIn("'hunter2'"), {}],
    ['a password in a list', logIn('["hunter2"]'), {}],
    ['a password in an object', logIn('{ is: "hunter2" }'), {}],
    ['a password with a quote too many', logIn('"hunter2""'), {}],
    ['a password with a quote missing', logIn('"hunter2'), {}],
    ['a password with a quote in it', logIn('"a"hunter2"'), {}],
    ['a password with a bad escape', logIn('"\\uhunter2"'), {}],
    ['a password after the input', 'mutation { logIn(input: {} "hunter2") { token } }', {}],
    ['a password instead of the input, written out', 'mutation { logIn(input: "hunter2") { token } }', {}],
    ['a default of the wrong type', 'query ($id: Int = "hunter2") { tasks(first: $id) { totalCount } }', {}],
    [
      'an unknown value of an enum',
      'query ($status: ChallengeStatus) { challenges(status: $status) { totalCount } }',
      { status: 'hunter2' },
    ],
    ['an unknown value of an enum, written out', '{ challenges(status: hunter2) { totalCount } }', {}],
    ['text for an enum', '{ challenges(status: "hunter2") { totalCount } }', {}],
    ['an object for an id', 'query ($id: ID!) { task(id: $id) { id } }', { id: { is: 'hunter2' } }],
    ['text for a number', CREATE, { input: { title: 'Swim', points: 'hunter2' } }],
    ['text for a flag', CREATE, { input: { title: 'Swim', isDailyRoutine: 'hunter2' } }],
    ['text for a directive', '{ me @include(if: "hunter2") { id } }', {}],
    ['a title too long', CREATE, { input: { title: 'hunter2'.repeat(100) } }],
    ['a bad cursor', '{ tasks(after: "hunter2") { totalCount } }', {}],
    ['a bad picture', 'mutation { updateProfile(input: { profilePicture: "hunter2" }) { user { id } } }', {}],
    [
      'a bad idempotency key',
      'mutation { completeTask(taskId: 1, idempotencyKey: "hunter2 ") { replayed } }',
      {},
    ],
    ['an unknown id', 'mutation { completeTask(taskId: "hunter2") { replayed } }', {}],
  ])('%s', async (_what, query, variables) => {
    const { newUser } = await world();
    const { text, body } = await ask((await newUser()).rest, query, variables);
    expect(body.errors.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/hunt|7654321/);
  });
});

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { transports } from '../support/transports.js';
import { type RestClient, world, worldOf } from '../support/world.js';

const ask = (client: RestClient, query: string, variables?: unknown) =>
  client.post('/graphql', { query, variables });

describe('A refusal', () => {
  it('says message, place, code and nothing else, beside what is answered', async () => {
    const { ana, rest } = await worldOf('ana');
    const { body } = await ask(ana.rest, 'mutation { archiveTask(id: 0) { task { id } } }');
    expect(body).toEqual({
      data: { archiveTask: null },
      errors: [
        {
          message: 'Task not found',
          locations: [{ line: 1, column: 12 }],
          path: ['archiveTask'],
          extensions: { code: 'NOT_FOUND', reason: 'NOT_FOUND' },
        },
      ],
    });
    const { body: other } = await ask(rest, '{ __typename task(id: 1) { id } }');
    expect(other.data).toEqual({ __typename: 'Query', task: null });
    expect(other.errors).toMatchObject([{ path: ['task'], extensions: { reason: 'TOKEN_MISSING' } }]);
  });

  it.each(transports)('hides nothing that the others of its request did, over %s', async (_way, askOver) => {
    const { base, token } = (await worldOf('ana')).ana;
    const query = `mutation {
      first: createTask(input: { title: "Swim" }) { task { title } }
      second: completeTask(taskId: 0) { isReplayed }
      third: createTask(input: { title: "Floss" }) { task { title } }
    }`;
    for (const way of ['first carried out', 'known'])
      expect(await askOver(base, { query, authorization: `Bearer ${token}` }), way).toMatchObject({
        data: { first: { task: { title: 'Swim' } }, second: null, third: { task: { title: 'Floss' } } },
        errors: [{ path: ['second'], extensions: { code: 'NOT_FOUND' } }],
      });
  });

  it('says which inputs are at fault, each with its own message', async () => {
    const { ana } = await worldOf('ana');
    const document =
      'mutation { createTask(input: { title: " ", points: 0, description: "\\u0000" }) { task { id } } }';
    const { body } = await ask(ana.rest, document);
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

it('A malformed id finds no row that has it in another spelling', async () => {
  const { ana } = await worldOf('ana');
  const { id } = await ana.hasTask();
  const find = async (text: string | number) =>
    (await ask(ana.rest, 'query ($id: ID!) { task(id: $id) { id } }', { id: text })).body.data.task;
  const spellings = [`0${id}`, ` ${id}`, `${id} `, `${id}.0`, `${id}e0`, `+${id}`, `${id}n`, `${id}\0`];
  for (const text of [...spellings, `0x${id.toString(16)}`]) expect(await find(text), text).toBeNull();
  for (const text of [id, String(id)]) expect(await find(text)).toEqual({ id: String(id) });
});

it('A fault of ours tells its place and nothing else, whatever table is gone', async () => {
  const database = await ownDatabase();
  const { newUser } = await world({ database });
  const { base, token } = await newUser();
  for (const [table, query, field] of [
    ['task_completions', 'mutation { completeTask(taskId: 1) { isReplayed } }', 'completeTask'],
    ['tasks', '{ tasks { totalCount } }', 'tasks'],
    ['users', 'mutation { logIn(input: { email: "a@b", password: "secret1" }) { token } }', 'logIn'],
  ] as const) {
    await sql`drop table if exists ${sql.table(table)} cascade`.execute(database.query());
    const message = 'Internal server error';
    const extensions = { code: 'INTERNAL_SERVER_ERROR', reason: 'INTERNAL' };
    const path = expect.arrayContaining([field]);
    for (const [way, askOver] of transports)
      expect(
        await askOver(base, { query, authorization: `Bearer ${token}` }),
        `${query} over ${way}`,
      ).toEqual({
        data: query.startsWith('mutation') ? { [field]: null } : null,
        errors: [{ message, locations: expect.any(Array), path, extensions }],
      });
  }
});

it('No message repeats what it was given, whatever that was', async () => {
  const { rest } = (await worldOf('ana')).ana;
  const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
  const CREATE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
  const withInput = (input: object): [string, unknown] => [LOG_IN, { input }];
  const logIn = (password: string): [string, unknown] => [
    `mutation { logIn(input: { email: "a@b", password: ${password} }) { token } }`,
    {},
  ];
  for (const [what, [query, variables]] of Object.entries({
    'a password of the wrong type': withInput({ email: 'a@b', password: ['hunter2'] }),
    'a password like a message': withInput({ password: '" at "a"; Field "hunter2" is not defined' }),
    'a password in several lines': withInput({ password: 'a\n; hunter2\n' }),
    'a password instead of the variables': [LOG_IN, 'hunter2'] as const,
    'a wrong password': withInput({ email: 'hunter2@b', password: 'hunter2' }),
    'a password as a number': logIn('7654321'),
    'a password without quotes': logIn('hunter2'),
    'a password with a quote too many': logIn('"hunter2""'),
    'a password with a bad escape': logIn('"\\uhunter2"'),
    'a default of the wrong type': [
      'query ($n: Int = "hunter2") { tasks(first: $n) { totalCount } }',
      {},
    ] as const,
    'a title too long': [CREATE, { input: { title: 'hunter2'.repeat(100) } }] as const,
    'an unknown id': ['mutation { completeTask(taskId: "hunter2") { isReplayed } }', {}] as const,
  })) {
    const { text, body } = await ask(rest, query, variables);
    expect(body.errors.length, what).toBeGreaterThan(0);
    expect(text, what).not.toMatch(/hunt|7654321/);
  }
});

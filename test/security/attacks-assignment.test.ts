import { randomUUID } from 'node:crypto';
import { buildClientSchema, getIntrospectionQuery, getNamedType, isInputObjectType } from 'graphql';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { operationsIn } from '../support/api-document.js';
import type { Result } from '../support/live.js';
import { type TestUser, type World, world } from '../support/world.js';

// Mass assignment: a body that names a column gets nowhere near it. The columns are those of the
// entities, so that a new one is tried as well.

interface Column {
  table: string;
  /** `userId` */
  property: string;
  /** `user_id` */
  name: string;
  type: string;
}

const columnsOf = ({ orm }: Database): Column[] =>
  [...orm.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
    props.map(({ name, fieldNames, columnTypes }) => ({
      table: tableName,
      property: name,
      name: fieldNames[0] ?? name,
      type: columnTypes[0] ?? '',
    })),
  );

/** Values that turn up nowhere by themselves. */
const HOSTILE = { number: 987_654_321, text: 'hostile', instant: '1999-01-01T00:00:00.000Z' };
const FOUND = /987654321|hostile|"1999-01-01|"1998-12-31/;

function hostileFor({ name, type }: Column, victim: string): unknown {
  if (type === 'uuid') return victim;
  if (name === 'status') return 'ABANDONED';
  if (type === 'boolean') return true;
  if (/^(date|timestamp)/.test(type)) return HOSTILE.instant;
  return /^(text|varchar)/.test(type) ? HOSTILE.text : HOSTILE.number;
}

/** Every column in both spellings, save what an endpoint takes by that name. */
const columnsBut = (columns: Column[], declared: string[], victim: string) =>
  Object.fromEntries(
    columns
      .flatMap((column) =>
        [column.property, column.name].map((key) => [key, hostileFor(column, victim)] as const),
      )
      .filter(([key]) => !declared.includes(key)),
  );

/** The rows of someone, as text. */
async function rowsOf({ database }: World, columns: Column[], userId: string): Promise<string> {
  const owned = columns.filter(({ table, name }) => name === (table === 'users' ? 'id' : 'user_id'));
  const rows = owned.map(async ({ table, name }) => {
    const found = await sql`select * from ${sql.table(table)} where ${sql.ref(name)} = ${userId}`.execute(
      database.query(),
    );
    return JSON.stringify({ table, rows: found.rows });
  });
  return (await Promise.all(rows)).join('\n');
}

/** The rows of the tables that belong to nobody. */
async function otherRows({ database }: World, columns: Column[]): Promise<string> {
  const owned = columns.filter(({ name }) => name === 'user_id').map(({ table }) => table);
  const others = new Set(
    columns.map(({ table }) => table).filter((table) => ![...owned, 'users'].includes(table)),
  );
  const rows = [...others].map((table) => sql`select * from ${sql.table(table)}`.execute(database.query()));
  return JSON.stringify((await Promise.all(rows)).map((found) => found.rows));
}

/** Keys with a meaning in JavaScript, as JSON, which takes them for keys like any other. */
const TRAPS = [
  '"__proto__":{"title":"hostile","name":"hostile","points":987654321,"is_daily_routine":true}',
  '"constructor":{"prototype":{"trapped":true}},"prototype":1,"toString":1,"valueOf":1,"hasOwnProperty":1,"then":1',
].join();

/** As many as one answer tells of. */
const inChunks = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / 8) }, (_, index) => all.slice(index * 8, index * 8 + 8));

type Own = { ana: TestUser; task: number; challenge: number };

/** Every endpoint that changes something, with what it must have. */
const endpoints: Record<string, (own: Own) => [path: string, body: object]> = {
  'POST /auth/signup': () => [
    '/auth/signup',
    { name: 'Bea', email: `${randomUUID()}@x`, password: 'secret1' },
  ],
  'POST /auth/login': ({ ana }) => ['/auth/login', { email: ana.account.email, password: 'secret1' }],
  'PUT /user/profile': () => ['/user/profile', {}],
  'POST /tasks': () => ['/tasks', { title: 'Swim' }],
  'PUT /tasks/{taskId}': ({ task }) => [`/tasks/${task}`, {}],
  'POST /task-completions': ({ task }) => ['/task-completions', { task_id: task }],
  'POST /user-challenges/accept': () => ['/user-challenges/accept', { templateId: 2 }],
  'PUT /user-challenges/{id}/notes': ({ challenge }) => [
    `/user-challenges/${challenge}/notes`,
    { notes: 'Well' },
  ],
  'PUT /user-challenges/{id}/complete': ({ challenge }) => [`/user-challenges/${challenge}/complete`, {}],
  'PUT /user-challenges/{id}/abandon': ({ challenge }) => [`/user-challenges/${challenge}/abandon`, {}],
};

async function operationsOf({ rest }: World): Promise<{ endpoint: string; declared: string[] }[]> {
  const document = (await rest.get('/api/openapi.json')).body;
  return operationsIn(document)
    .filter(({ isOfFile }) => !isOfFile)
    .map(({ endpoint, requestBody }) => {
      const name = requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
      const declared = name ? Object.keys(document.components.schemas[name].properties) : [];
      return { endpoint, declared };
    });
}

describe('No column can be set by naming it, on REST:', () => {
  it('every endpoint that changes something has its case here', async () => {
    const operations = await operationsOf(await world());
    const changing = operations
      .map(({ endpoint }) => endpoint)
      .filter((endpoint) => !/^GET|check-in/.test(endpoint)); // links know no token, and take an amount and a key
    expect(Object.keys(endpoints).sort()).toEqual(changing.sort());
  });

  it.each(Object.keys(endpoints))('%s, in body and query', async (endpoint) => {
    const here = await world();
    const columns = columnsOf(here.database);
    const [ana, victim] = [await here.newUser(), await here.newUser()];
    const own = { ana, task: (await ana.hasTask()).id, challenge: 0 };
    if (endpoint.includes('{id}')) own.challenge = (await ana.hasAccepted(1)).id;
    const ofVictim = await rowsOf(here, columns, victim.id);
    const { declared = [] } =
      (await operationsOf(here)).find((operation) => operation.endpoint === endpoint) ?? {};
    const hostile = columnsBut(columns, declared, victim.id);
    expect(Object.keys(hostile).length).toBeGreaterThan(40);

    const [path, body] = endpoints[endpoint]?.(own) ?? ['', {}];
    const query = new URLSearchParams(
      Object.entries(hostile).map(([key, value]): [string, string] => [key, String(value)]),
    );
    const [method = ''] = endpoint.split(' ');
    const sent = `{${TRAPS},${JSON.stringify({ ...hostile, ...body }).slice(1)}`;
    const answer = await ana.rest.send(method, `/api${path}?${query}`, sent);

    expect([200, 201], answer.text).toContain(answer.status);
    const changed = answer.body.user?.id ?? ana.id; // signing up makes someone
    const rows = await rowsOf(here, columns, changed);
    expect(rows).not.toMatch(FOUND);
    expect(await otherRows(here, columns)).not.toMatch(FOUND);
    expect(rows).not.toContain('true');
    expect(rows.includes('ABANDONED')).toBe(endpoint.endsWith('abandon'));
    expect(rows).not.toContain(victim.id);
    expect(await rowsOf(here, columns, victim.id)).toBe(ofVictim);
  });
});

describe('No column can be set by naming it, on GraphQL:', () => {
  it('every input and every mutation refuses what it does not declare, and nothing happens', async () => {
    const here = await world();
    const columns = columnsOf(here.database);
    const [ana, victim] = [await here.newUser(), await here.newUser()];
    const schema = buildClientSchema(await here.graphql.request(getIntrospectionQuery()));
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    const before = await rowsOf(here, columns, ana.id);
    let tried = 0;

    for (const { name, args } of mutations) {
      const declared = args.map((argument) => argument.name);
      const hostile = Object.keys(columnsBut(columns, declared, victim.id));
      // A part at a time: of more than a hundred faults no more are told.
      for (let from = 0; from < hostile.length; from += 50) {
        const part = hostile.slice(from, from + 50);
        const query = `mutation { ${name}(${part.map((key) => `${key}: 1`)}) { __typename } }`;
        const { body } = await ana.rest.post('/graphql', { query });
        const unknown = body.errors.filter(({ message }: Result) => message.startsWith('Unknown argument'));
        expect(unknown).toHaveLength(part.length);
      }

      const input = args.map(({ type }) => getNamedType(type)).find(isInputObjectType);
      if (!input) continue;
      const type = args.find((argument) => getNamedType(argument.type) === input)?.type;
      const needed = Object.fromEntries(
        Object.entries(valid).filter(([field]) => field in input.getFields()),
      );
      const extra = columnsBut(columns, Object.keys(input.getFields()), victim.id);
      for (const some of inChunks(Object.entries(extra))) {
        const filled = { ...needed, ...Object.fromEntries(some) };
        const id = declared.includes('id') ? 'id: "1", ' : '';
        const document = `mutation ($input: ${type}) { ${name}(${id}input: $input) { __typename } }`;
        const answer = await ana.rest.post('/graphql', { query: document, variables: { input: filled } });
        const refused = answer.body.errors.flatMap(({ extensions }: Result) => extensions.fields);
        expect(refused.map((field: { name: string }) => field.name).sort(), name).toEqual(
          some.map(([key]) => key).sort(),
        );
        expect(answer.body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
        tried += some.length;
      }
    }

    expect(tried).toBeGreaterThan(150);
    expect(await rowsOf(here, columns, ana.id)).toBe(before);
  });

  /** Fills whatever an input must have. */
  const valid: Record<string, unknown> = {
    title: 'Swim',
    taskId: '1',
    idempotencyKey: 'once',
    name: 'Ana',
    email: 'hostile@x',
    password: 'secret1',
    scopes: ['READ'],
    newPassword: 'secret2',
    newEmail: 'hostile@y',
    from: '2026-12-01',
    receiver: { ntfy: { topic: 'hostile' } },
    url: 'https://hostile.example',
    id: '1',
  };
});

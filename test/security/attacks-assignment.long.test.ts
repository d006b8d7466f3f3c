import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { inhabitant } from '../support/inhabitant.js';
import type { Result } from '../support/live.js';
import {
  graphqlOperations,
  plainly,
  plainRequest,
  requestWith,
  restOperations,
} from '../support/operations.js';
import { type World, world } from '../support/world.js';

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

/** Someone with two of everything, somebody else, and columns that name neither. */
async function scene() {
  const here = await world();
  const columns = columnsOf(here.database);
  const [{ user: ana, asker }, victim] = [
    await inhabitant(here, await here.newUser(), 1),
    await here.newUser(),
  ];
  return { here, columns, ana, asker, victim };
}

describe('No column can be set by naming it, on REST:', () => {
  const changing = restOperations().filter(({ name }) => !name.startsWith('GET '));

  it.each(changing.map((operation) => [operation.name, operation] as const))(
    '%s, in body and query',
    async (name, operation) => {
      const { here, columns, ana, asker, victim } = await scene();
      if (name.endsWith('/accept'))
        await ana.rest.put(`/api/user-challenges/${asker.idOf('challenge', plainly)}/abandon`);
      const ofVictim = await rowsOf(here, columns, victim.id);
      const declared = operation.places.map((place) => place.name);
      const hostile = columnsBut(columns, declared, victim.id);
      expect(Object.keys(hostile).length).toBeGreaterThan(40);

      const { method, path, body = '{}' } = plainRequest(operation, asker);
      const query = new URLSearchParams(
        Object.entries(hostile).map(([key, value]): [string, string] => [key, String(value)]),
      );
      const sent = `{${TRAPS},${JSON.stringify({ ...hostile, ...JSON.parse(body) }).slice(1)}`;
      const answer = await ana.rest.send(method, `${path}?${query}`, sent);

      expect([200, 201, 401], answer.text).toContain(answer.status);
      for (const { id } of [ana, answer.body.user ?? ana]) {
        const rows = await rowsOf(here, columns, id); // signing up makes someone
        expect(rows).not.toMatch(FOUND);
        expect(rows).not.toContain(victim.id);
      }
      expect(await otherRows(here, columns)).not.toMatch(FOUND);
      expect(await rowsOf(here, columns, victim.id)).toBe(ofVictim);
    },
  );
});

describe('No column can be set by naming it, on GraphQL:', () => {
  it('every input and every mutation refuses what it does not declare, and nothing happens', async () => {
    const { here, columns, ana, asker, victim } = await scene();
    const before = await rowsOf(here, columns, ana.id);
    for (const operation of graphqlOperations().filter(({ name }) => name.startsWith('Mutation.'))) {
      const field = operation.name.slice('Mutation.'.length);
      const declared = operation.places.map(({ name }) => name);
      const hostile = Object.keys(columnsBut(columns, declared, victim.id)).slice(0, 50); // of more no more are told
      const query = `mutation { ${field}(${hostile.map((key) => `${key}: 1`)}) { __typename } }`;
      const { errors } = await ana.rest.ask(query);
      const unknown = errors.filter(({ message }: Result) => message.startsWith('Unknown argument'));
      expect(unknown).toHaveLength(hostile.length);

      for (const place of operation.places.filter(({ fields }) => fields.length > 0)) {
        const extra = columnsBut(
          columns,
          place.fields.map(({ name }) => name),
          victim.id,
        );
        const [key = '', value] = Object.entries(extra)[0] ?? [];
        const put = { ...place, name: key, fields: [] };
        const { body = '' } = requestWith(operation, asker, place, put, value);
        const told = (await ana.rest.post('/graphql', body)).body.errors;
        expect(told[0].extensions, operation.name).toMatchObject({
          code: 'BAD_USER_INPUT',
          fields: [{ message: expect.stringContaining(key) }],
        });
        const all = JSON.stringify(extra).slice(1, -1);
        const full = body.replace(JSON.stringify({ [key]: value }).slice(1, -1), () => all);
        expect((await ana.rest.post('/graphql', full)).body.data).toBeUndefined();
      }
    }
    expect(await rowsOf(here, columns, ana.id)).toBe(before);
  });
});

import { describe, expect, it } from 'vitest';
import { type Answer, world, worldOf } from '../support/world.js';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CREATE = 'mutation { createTask(input: { title: "Swim" }) { task { id } } }';
const PREFLIGHT = { 'apollo-require-preflight': 'true' };

const typeOf = ({ headers }: Answer) => headers.get('content-type')?.split(';')[0];
const atQuery = (query: string, more = '') => `/graphql?query=${encodeURIComponent(query)}${more}`;

describe('GET /graphql', () => {
  it('shows the playground in a browser, or how to build it, and never JSON', async () => {
    const { rest } = await world();
    const page = await rest.get('/graphql?theme=dark', { accept: BROWSER });
    const isBuilt = page.status === 200;
    expect(typeOf(page)).toBe(isBuilt ? 'text/html' : 'text/plain');
    expect(page.text).toMatch(
      isBuilt ? /^<!doctype html>.*<title>.*Steady.*<script/is : /^The playground is not built yet/,
    );
  });

  it('answers a query, in a browser too, with a bearer token, which forces a preflight as well', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    for (const accept of [BROWSER, JSON_TYPE])
      expect((await rest.get(atQuery('{ me { id } }'), { accept })).body).toEqual({ data: { me: { id } } });
  });

  it('carries out no mutation, whatever is accepted', async () => {
    const { rest } = (await worldOf('ana')).ana;
    for (const [accept, status] of [
      [JSON_TYPE, 405],
      ['text/html', 406],
      ['text/event-stream', 406],
    ] as const)
      expect(await rest.get(atQuery(CREATE), { ...PREFLIGHT, accept })).toMatchObject({ status });
    expect((await rest.get('/api/tasks/me')).body).toEqual([]);
  });
});

describe('Requests that a foreign page could send without a preflight', () => {
  it('are refused as queries by GET', async () => {
    const { status, body } = await (await world()).rest.get(atQuery('{ __typename }'));
    const errors = [expect.objectContaining({ message: expect.any(String) })];
    expect([status, body]).toEqual([400, { errors }]);
  });

  it('are refused whatever type they claim, and nothing happens', async () => {
    const { rest } = (await worldOf('ana')).ana;
    const asForm = `query=${encodeURIComponent(CREATE)}`;
    for (const type of [
      ...['text/plain;charset=UTF-8', 'message/http', '*/*', '', 'text/plain, application/json'],
      ...['application/x-www-form-urlencoded; application/json', 'text/plain\t;application/json'],
    ]) {
      for (const accept of ['application/json', 'text/event-stream']) {
        const answer = await rest.post('/graphql', { query: CREATE }, { accept, 'content-type': type });
        expect([answer.status, answer.body.errors.length], type).toEqual([415, 1]);
      }
      expect((await rest.post('/graphql', asForm, { 'content-type': type })).status, type).toBe(415);
    }
    expect((await rest.get('/api/tasks/me')).body).toEqual([]);
  });
});

describe('What is no GraphQL request', () => {
  const QUERY = '{"query":"{ me { id } }"}';
  const LARGE = JSON.stringify({ query: '{ me { id } }', more: 'a'.repeat(262_144) });
  const LIST = '{"query":"{ me { id } }","variables":["hunter2"]}';

  it.each<[what: string, status: number, body?: string, headers?: Record<string, string>, method?: string]>([
    ['malformed JSON', 400, '{"query":"hunter2'],
    ['JSON text', 400, '"hunter2"'],
    ['a query that is no text', 400, '{"query":{"hunter2":1}}'],
    ['variables that are no object', 400, LIST],
    ['an empty body', 400, ''],
    ['a body that is not compressed as it says', 400, QUERY, { 'content-encoding': 'gzip' }],
    ['malformed variables', 400, undefined, PREFLIGHT, 'GET ?query={me{id}}&variables=hunter2'],
    ['a body too large', 413, LARGE],
    ['a query as it is', 415, '{me{id}}', { 'content-type': 'application/graphql' }],
    ['an unknown charset', 415, QUERY, { 'content-type': 'application/json; charset=x' }],
    ['an unknown compression', 415, QUERY, { 'content-encoding': 'x' }],
    ['no body', 415],
    ['an answer that is not JSON', 406, QUERY, { accept: 'text/html' }],
    ['a header of 2,000 characters', 431, QUERY, { accept: 'a'.repeat(2_000) }],
    ['PUT', 405, QUERY, {}, 'PUT'],
  ])('is refused in JSON that repeats nothing: %s', async (_what, status, body, headers, how = 'POST') => {
    const [method = '', path = ''] = how.split(' ');
    const { newUser } = await world();
    const answer = await (await newUser()).rest.send(method, `/graphql${path}`, body, headers);
    expect([answer.status, typeOf(answer)]).toEqual([status, JSON_TYPE]);
    const error = {
      message: expect.any(String),
      extensions: { code: expect.stringMatching(/^[A-Z_]+$/), reason: 'INVALID_INPUT' },
    };
    expect(answer.body).toEqual({ errors: [error] });
    expect(answer.text).not.toMatch(/hunter2|node_modules|\bat \S+ \(|</);
  });
});

describe('The status', () => {
  it.each([
    ['*/*', JSON_TYPE, 200],
    [`${JSON_TYPE}; charset=utf-8`, JSON_TYPE, 200],
    [`${GRAPHQL_TYPE};q=0, ${JSON_TYPE}`, JSON_TYPE, 200],
    [GRAPHQL_TYPE.toUpperCase(), GRAPHQL_TYPE, 400],
    [`${JSON_TYPE};q=0.5, ${GRAPHQL_TYPE}`, GRAPHQL_TYPE, 400],
  ])('for %s is in %s, of failures before execution %i, of refusals and answers 200', async (...row) => {
    const [accept, type, status] = row;
    const { ana, rest } = await worldOf('ana');
    const unknown = 'mutation { completeTask(taskId: "0") { isReplayed } }';
    for (const [client, query, expected] of [
      [ana.rest, '{ me { id }', status],
      [rest, '{ nobody { id } }', status],
      [ana.rest, 'query ($id: ID!) { task(id: $id) { id } }', status],
      [ana.rest, '{ me { id } }', 200],
      [ana.rest, unknown, 200],
      [rest, unknown, 200],
      [ana.rest, '{ tasks(first: 0) { totalCount } }', 200],
    ] as const) {
      const answer = await client.post('/graphql', { query }, { accept });
      expect([typeOf(answer), answer.status], query).toEqual([type, expected]);
    }
  });
});

it('No answer may be stored by anyone on the way, nor its type be guessed, and none tells of the software', async () => {
  const { rest } = (await worldOf('ana')).ana;
  const refused = 'mutation { completeTask(taskId: "0") { isReplayed } }';
  for (const query of ['{ me { id } }', '{ task(id: "0") { id } }', refused, '{ nobody }', '{'])
    for (const { headers } of [await rest.post('/graphql', { query }), await rest.get(atQuery(query))]) {
      expect(headers.get('cache-control'), query).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.has('x-powered-by')).toBe(false);
    }
});

it('Batches are refused, and nothing happens', async () => {
  const { rest } = (await worldOf('ana')).ana;
  for (const accept of [JSON_TYPE, 'text/event-stream'])
    for (const count of [0, 1, 2]) {
      const answer = await rest.post('/graphql', Array(count).fill({ query: CREATE }), { accept });
      expect([answer.status, answer.body.errors.length]).toEqual([400, 1]);
    }
  expect((await rest.get('/api/tasks/me')).body).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { type Answer, world, worldOf } from '../support/world.js';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CREATE = 'mutation { createTask(input: { title: "Swim" }) { task { id } } }';
const PREFLIGHT = { 'apollo-require-preflight': 'true' };

const typeOf = ({ headers }: Answer) => headers.get('content-type')?.split(';')[0];
const atQuery = (query: string, more = '') => `/graphql?query=${encodeURIComponent(query)}${more}`;

describe('GET /graphql in a browser', () => {
  it('shows the playground, or how to build it, and never JSON', async () => {
    const { rest } = await world();
    const page = await rest.get('/graphql?theme=dark', { accept: BROWSER });
    if (page.status === 200) {
      expect(typeOf(page)).toBe('text/html');
      expect(page.text).toMatch(/^<!doctype html>.*<title>.*Steady.*<script/is);
    } else {
      expect([page.status, typeOf(page)]).toEqual([404, 'text/plain']);
      expect(page.text).toBe('The playground is not built yet: run `npm run build`.\n');
    }
  });

  it('answers a query rather than the page', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    const answer = await rest.get(atQuery('{ me { id } }'), { accept: BROWSER });
    expect(answer.body).toEqual({ data: { me: { id } } });
  });
});

describe('GET /graphql with a query', () => {
  it('is answered with a bearer token, which forces a preflight as well', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    expect((await rest.get(atQuery('{ me { id } }'))).body).toEqual({ data: { me: { id } } });
  });

  it('carries out no mutation, whatever is accepted', async () => {
    const { rest } = (await worldOf('ana')).ana;
    for (const [accept, refused] of [
      [JSON_TYPE, 405],
      ['text/html', 406],
      ['text/event-stream', 406],
    ] as const)
      expect(await rest.get(atQuery(CREATE), { ...PREFLIGHT, accept })).toMatchObject({ status: refused });
    expect((await rest.get('/api/tasks/me')).body).toEqual([]);
  });
});

describe('Requests that a foreign page could send without a preflight', () => {
  it('are refused as queries by GET', async () => {
    const { rest } = await world();
    const { status, body } = await rest.get(atQuery('{ __typename }'));
    expect(status).toBe(400);
    expect(body).toEqual({ errors: [expect.objectContaining({ message: expect.any(String) })] });
  });

  const types = [
    ...['text/plain;charset=UTF-8', 'message/http', '*/*', '', 'text/plain, application/json'],
    ...['application/x-www-form-urlencoded; application/json', 'text/plain\t;application/json'],
  ];
  it('are refused whatever type they claim, and nothing happens', async () => {
    const { rest } = (await worldOf('ana')).ana;
    const asForm = `query=${encodeURIComponent(CREATE)}`;
    for (const type of types) {
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
  const failures = ['{ me { id }', '{ nobody { id } }', 'query ($id: ID!) { task(id: $id) { id } }'];
  const negotiated = [
    ['*/*', JSON_TYPE, 200],
    [`${JSON_TYPE}; charset=utf-8`, JSON_TYPE, 200],
    [`${GRAPHQL_TYPE};q=0, ${JSON_TYPE}`, JSON_TYPE, 200],
    [GRAPHQL_TYPE.toUpperCase(), GRAPHQL_TYPE, 400],
    [`${JSON_TYPE};q=0.5, ${GRAPHQL_TYPE}`, GRAPHQL_TYPE, 400],
  ] as const;

  it.each(negotiated)('of failures before execution, for %s: %s, %i', async (accept, type, status) => {
    const { rest } = await world();
    for (const query of failures) {
      const answer = await rest.post('/graphql', { query }, { accept });
      expect([typeOf(answer), answer.status]).toEqual([type, status]);
      expect(JSON.parse(answer.text)).toEqual({ errors: [expect.anything()] });
    }
  });

  it.each([JSON_TYPE, GRAPHQL_TYPE])('of refusals and of answers is 200, for %s', async (accept) => {
    const { ana, rest } = await worldOf('ana');
    const unknown = 'mutation { completeTask(taskId: "0") { isReplayed } }';
    for (const [client, query] of [
      [ana.rest, '{ me { id } }'],
      [ana.rest, unknown],
      [rest, unknown],
      [ana.rest, '{ tasks(first: 0) { totalCount } }'],
    ] as const) {
      const answer = await client.post('/graphql', { query }, { accept });
      expect([typeOf(answer), answer.status]).toEqual([accept, 200]);
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

it.each([JSON_TYPE, 'text/event-stream'])(
  'Batches are refused, and nothing happens: for %s',
  async (accept) => {
    const { rest } = (await worldOf('ana')).ana;
    for (const count of [0, 1, 2]) {
      const answer = await rest.post('/graphql', Array(count).fill({ query: CREATE }), { accept });
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toHaveLength(1);
    }
    expect((await rest.get('/api/tasks/me')).body).toEqual([]);
  },
);

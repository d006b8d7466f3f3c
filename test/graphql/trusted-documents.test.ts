import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { temporaryFolder } from '../support/process.js';
import { type Answer, type RestClient, world } from '../support/world.js';

const hashOf = (document: string) => createHash('sha256').update(document).digest('hex');

const ME = 'query Me {\n  me {\n    id\n  }\n}';
const TASK = 'query Task($id: ID!) {\n  task(id: $id) {\n    title\n  }\n}';
const CREATE = 'mutation Create { createTask(input: { title: "Swim" }) { task { title } } }';

/** A service that carries out nothing else. */
function trusting() {
  const file = temporaryFolder();
  writeFileSync(
    file,
    JSON.stringify(Object.fromEntries([ME, TASK, CREATE].map((each) => [hashOf(each), each]))),
  );
  return world({ config: configOf({ GRAPHQL_TRUSTED_DOCUMENTS: file }) });
}

const byHash = (document: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(document) } },
});
const byId = (document: string) => ({ documentId: `sha256:${hashOf(document)}` });

const post = (rest: RestClient, request: object, headers = {}) => rest.post('/graphql', request, headers);
const get = (rest: RestClient, request: object) => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return rest.get(`/graphql?${parameters}`);
};
const ways = [
  ['GET', get],
  ['POST', post],
] as const;

/** Of a target that is sent as it is. */
const statusOf = (base: string, method: string, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(base);
    request({ hostname, port, method, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

const codeOf = ({ body }: Answer) => body.errors?.[0].extensions.code;

describe.each(ways)('With trusted documents, by %s', (_method, ask) => {
  it('a document of the manifest is carried out by its hash', async () => {
    const { newUser } = await trusting();
    const { rest, id } = await newUser();
    expect((await ask(rest, byId(ME))).body).toEqual({ data: { me: { id } } });
    expect((await ask(rest, byHash(ME))).body).toEqual({ data: { me: { id } } });
    expect((await ask(rest, { ...byHash(ME), query: ME })).body).toEqual({ data: { me: { id } } });
  });

  it('a document gets the variables of the request', async () => {
    const { newUser } = await trusting();
    const ana = await newUser();
    const { id } = await ana.hasTask({ title: 'Run' });
    const request = { ...byId(TASK), variables: { id: String(id) }, operationName: 'Task' };
    expect((await ask(ana.rest, request)).body).toEqual({ data: { task: { title: 'Run' } } });
  });

  it.each<[string, object]>([
    ['a query without a hash', { query: '{ me { id } }' }],
    ['a trusted query without its hash', { query: ME }],
    ['a query with its own hash', { query: '{ me { id } }', ...byHash('{ me { id } }') }],
    ['a query with the hash of a trusted one', { query: '{ me { id email } }', ...byHash(ME) }],
    ['an unknown hash', byHash('{ me { id } }')],
    ['an unknown document', byId('{ me { id } }')],
    ['an unknown document with a known hash', { ...byId('{ me { id } }'), ...byHash(ME) }],
    ['a document by another name', { documentId: hashOf(ME) }],
    ['the name of an inherited property', { extensions: { persistedQuery: { sha256Hash: 'constructor' } } }],
    ['introspection', { query: '{ __schema { queryType { name } } }' }],
    ['nothing', { operationName: 'Me' }],
  ])('every other request is refused: %s', async (_what, request) => {
    const { newUser } = await trusting();
    const answer = await ask((await newUser()).rest, request);
    expect([answer.status, codeOf(answer)]).toEqual([200, 'DOCUMENT_NOT_TRUSTED']);
    expect(answer.body).not.toHaveProperty('data');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('With trusted documents', () => {
  it('mutations are carried out by POST alone', async () => {
    const { newUser } = await trusting();
    const { rest } = await newUser();
    expect((await get(rest, byId(CREATE))).status).toBe(405);
    const { body } = await post(rest, byId(CREATE));
    expect(body).toEqual({ data: { createTask: { task: { title: 'Swim' } } } });
    expect((await rest.get('/api/tasks/me')).body).toHaveLength(1);
  });

  it('a foreign page can still ask nothing without a preflight', async () => {
    const { rest } = await trusting();
    expect((await get(rest, byId(ME))).status).toBe(400);
  });

  it('a refusal is a 400 where the media type of GraphQL is negotiated', async () => {
    const { rest } = await trusting();
    const accept = 'application/graphql-response+json';
    const { status, headers } = await post(rest, { query: ME }, { accept });
    expect([status, headers.get('content-type')]).toEqual([400, `${accept}; charset=utf-8`]);
  });

  it('an event stream carries out and refuses the same documents', async () => {
    const { newUser } = await trusting();
    const { rest, id } = await newUser();
    const headers = { accept: 'text/event-stream' };
    expect((await post(rest, byId(ME), headers)).text).toContain(JSON.stringify({ data: { me: { id } } }));
    const { text } = await post(rest, { query: ME }, headers);
    expect(text).toContain('DOCUMENT_NOT_TRUSTED');
  });

  it.each(['//', '//[', '///', '/%', '/\\', '//x:99999', '#', '//?#'])(
    'no path is odd enough for a fault: /graphql%s',
    async (rest) => {
      const { base } = await trusting();
      for (const method of ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'TRACE']) {
        expect(await statusOf(base, method, `/graphql${rest}`), method).toBeLessThan(500);
        expect(await statusOf(base, method, `http://x/graphql${rest}`), method).toBeLessThan(500);
      }
    },
  );

  it('batches are refused, too', async () => {
    const { newUser } = await trusting();
    const answer = await post((await newUser()).rest, [byId(ME), byId(ME)]);
    expect(codeOf(answer)).toBe('DOCUMENT_NOT_TRUSTED');
  });

  it('the playground and REST work as without them', async () => {
    const { newUser } = await trusting();
    const { rest } = await newUser();
    expect((await rest.get('/graphql', { accept: 'text/html' })).text).not.toMatch(/TRUSTED/);
    expect((await rest.get('/api/tasks/me')).status).toBe(200);
  });
});

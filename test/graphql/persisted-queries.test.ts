import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type RestClient, worldOf } from '../support/world.js';

const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
const extensionsOf = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });

/** A query that nobody has sent before: what is kept is kept for all. */
let queries = 0;
const newQuery = () => {
  queries += 1;
  return `query Persisted${process.pid}_${queries} { me { id } }`;
};

const get = (rest: RestClient, hash: string, more = '') => {
  const extensions = encodeURIComponent(JSON.stringify(extensionsOf(hash)));
  return rest.get(`/graphql?extensions=${extensions}${more}`);
};

describe('Automatic persisted queries', () => {
  it('are not found until the query has come with its hash, by GET and by POST', async () => {
    const { rest, id } = (await worldOf('ana')).ana;
    const query = newQuery();
    const extensions = extensionsOf(hashOf(query));
    const NOT_FOUND = [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }];
    expect(await get(rest, hashOf(query))).toMatchObject({ status: 200, body: { errors: NOT_FOUND } });
    expect((await rest.post('/graphql', { extensions })).body.errors).toMatchObject(NOT_FOUND);

    const answer = { data: { me: { id } } };
    expect((await rest.post('/graphql', { query, extensions })).body).toEqual(answer);

    expect((await get(rest, hashOf(query))).body).toEqual(answer);
    expect((await rest.post('/graphql', { extensions })).body).toEqual(answer);
  });

  it('are answered for each caller anew', async () => {
    const { ana, bea, rest } = await worldOf('ana', 'bea');
    const query = newQuery();
    await ana.rest.post('/graphql', { query, extensions: extensionsOf(hashOf(query)) });
    expect((await get(bea.rest, hashOf(query))).body).toEqual({ data: { me: { id: bea.id } } });
    const { body } = await get(rest.as('nonsense'), hashOf(query));
    expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it.each<[string, object]>([
    ['the hash of another query', { persistedQuery: { version: 1, sha256Hash: hashOf('{ __typename }') } }],
    ['no hash at all', { persistedQuery: { version: 1 } }],
    ['a hash that is no text', { persistedQuery: { version: 1, sha256Hash: { toString: 1 } } }],
    ['another version', { persistedQuery: { version: 2, sha256Hash: hashOf('{ me { id } }') } }],
  ])('are a bad request with %s, and nothing is kept', async (_what, extensions) => {
    const { rest } = (await worldOf('ana')).ana;
    const error = {
      message: expect.any(String),
      extensions: { code: 'BAD_REQUEST', reason: 'INVALID_INPUT' },
    };
    const answer = await rest.post('/graphql', { query: '{ me { id } }', extensions });
    expect([answer.status, answer.body]).toEqual([400, { errors: [error] }]);
    const { errors } = (await get(rest, hashOf('{ __typename }'))).body;
    expect(errors).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }]);
  });

  it('are not kept when they are not valid', async () => {
    const { rest } = (await worldOf('ana')).ana;
    const query = `query Bad${process.pid} { nobody }`;
    await rest.post('/graphql', { query, extensions: extensionsOf(hashOf(query)) });
    const { errors } = (await get(rest, hashOf(query))).body;
    expect(errors).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }]);
  });
});

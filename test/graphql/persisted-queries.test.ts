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
  const NOT_FOUND = { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] };

  it('are not found until the query has come with its hash, and answered for each caller anew, by GET and by POST', async () => {
    const { ana, bea, rest } = await worldOf('ana', 'bea');
    const query = newQuery();
    const hash = hashOf(query);
    const extensions = extensionsOf(hash);
    expect(await get(ana.rest, hash)).toMatchObject({ status: 200, body: NOT_FOUND });
    expect(await ana.rest.post('/graphql', { extensions })).toMatchObject({ body: NOT_FOUND });
    const answerOf = ({ id }: { id: string }) => ({ data: { me: { id } } });
    expect((await ana.rest.post('/graphql', { query, extensions })).body).toEqual(answerOf(ana));
    expect((await ana.rest.post('/graphql', { extensions })).body).toEqual(answerOf(ana));
    for (const user of [ana, bea]) expect((await get(user.rest, hash)).body).toEqual(answerOf(user));
    const { body } = await get(rest.as('nonsense'), hash);
    expect(body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it('are a bad request with another hash, version or none, and nothing is kept, nor of what is not valid', async () => {
    const { rest } = (await worldOf('ana')).ana;
    const other = hashOf('{ __typename }');
    for (const persistedQuery of [
      { version: 1, sha256Hash: other },
      { version: 1 },
      { version: 1, sha256Hash: { toString: 1 } },
      { version: 2, sha256Hash: hashOf('{ me { id } }') },
    ])
      expect(
        await rest.post('/graphql', { query: '{ me { id } }', extensions: { persistedQuery } }),
      ).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'BAD_REQUEST', reason: 'INVALID_INPUT' } }] },
      });
    const invalid = `query Bad${process.pid} { nobody }`;
    await rest.post('/graphql', { query: invalid, extensions: extensionsOf(hashOf(invalid)) });
    for (const hash of [other, hashOf(invalid)])
      expect(await get(rest, hash)).toMatchObject({ body: NOT_FOUND });
  });
});

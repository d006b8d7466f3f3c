import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

it('urql, as it comes, is answered though it asks by GET and would take an event stream too', async () => {
  const { ana } = await worldOf('ana');
  await ana.hasTask({ title: 'Swim 1 km' });
  const asked: unknown[] = [];
  const client = new Client({
    url: `${ana.base}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    fetch: (input, init) => {
      asked.push([init?.method, new Headers(init?.headers).get('accept')]);
      return fetch(input, init);
    },
    fetchOptions: { headers: { authorization: `Bearer ${ana.token}` } },
  });
  const query = 'query Tasks($first: Int) { tasks(first: $first) { nodes { title } } }';
  const { data, error } = await client.query(query, { first: 10 });
  expect(error).toBeUndefined();
  expect(data).toMatchObject({ tasks: { nodes: [{ title: 'Swim 1 km' }] } });
  expect(asked).toEqual([['GET', expect.stringContaining('text/event-stream')]]);
});

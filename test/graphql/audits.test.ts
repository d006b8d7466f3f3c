import { serverAudits } from 'graphql-http';
import { expect, it } from 'vitest';
import { world } from '../support/world.js';

/** Where the service listens is known only while a test runs, and each has a service of its own. */
let base = '';

/** A GET needs a header that a foreign page cannot send; the audits know nothing of that. */
const fetchFn: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  if ((init?.method ?? 'GET') === 'GET') headers.set('apollo-require-preflight', '1');
  return fetch(url, { ...init, headers });
};

const audits = serverAudits({ url: () => `${base}/graphql`, fetchFn });

it.each(audits)('GraphQL over HTTP is as the audits of graphql-http say: $name', async ({ id, name, fn }) => {
  base = (await world()).base;
  expect(await fn()).toEqual({ id, name, status: 'ok' });
});

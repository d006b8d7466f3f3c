import { isDeepStrictEqual } from 'node:util';
import { ApolloServer } from '@apollo/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { configOf } from '../support/database.js';
import { fuzz, watchedWorld } from '../support/fuzz.js';
import { graphqlOperations, send } from '../support/operations.js';
import { type Answer, RestClient, type World, world } from '../support/world.js';

async function known() {
  const { newUser } = await world({ config: { ...configOf(), fastPath: 'on' } });
  return { ana: await newUser() };
}

/** How many of the requests that `work` sends are answered by Apollo. */
async function byApollo(work: () => Promise<unknown>): Promise<number> {
  const execute = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
  await work();
  const { length } = execute.mock.calls;
  execute.mockRestore();
  return length;
}

const partsOf = ({ status, text, headers }: Answer) => {
  const { date: _, 'x-request-id': __, ...others } = Object.fromEntries(headers);
  return { status, text, headers: others };
};

const QUERY = 'query Tasks($first: Int) { tasks(first: $first) { nodes { id } } }';
const LARGE =
  'query ($first: Int) { tasks(first: $first) { nodes { completions(first: $first) { nodes { task { completions(first: $first) { nodes { id } } } } } } } }';

describe('A document that Apollo has carried out once', () => {
  it('is carried out without Apollo from then on, with the same answer', async () => {
    const { ana } = await known();
    await ana.hasTask({ title: 'Swim "far"\u2028' });
    const query =
      'query Tasks($first: Int) { tasks(first: $first) { nodes { id title createdAt } } me { __typename points } }';
    const ask = () => ana.rest.post('/graphql', { query, variables: { first: 3 } });
    const answers: Answer[] = [];
    const times = await byApollo(async () => {
      for (let time = 0; time < 3; time += 1) answers.push(await ask());
    });
    expect(times).toBe(1);
    const [first, ...others] = answers.map(partsOf);
    for (const other of others) expect(other).toEqual(first);
    expect(JSON.parse(first?.text ?? '').data.tasks.nodes[0].title).toBe('Swim "far"\u2028');
  });

  it('still goes to Apollo with what it has not seen to be in order', async () => {
    const { ana } = await known();
    for (const query of [QUERY, LARGE]) await ana.rest.ask(query, { first: 1 });
    const PREFLIGHT = { 'apollo-require-preflight': '1' };
    const byGet = () => ana.rest.get(`/graphql?query=${encodeURIComponent(QUERY)}`, PREFLIGHT);
    const byPost = (request: object, headers?: Record<string, string>) => () =>
      ana.rest.post('/graphql', { query: QUERY, ...request }, headers);
    for (const [what, ask] of Object.entries({
      'a variable of another type': byPost({ variables: { first: 'x' } }),
      'too large a page': byPost({ query: LARGE, variables: { first: 100 } }),
      'an operation that it does not have': byPost({ operationName: 'Other' }),
      'an operation without a name': byPost({ operationName: '' }),
      GET: byGet,
      'a media type that is not served': byPost({}, { accept: 'image/png' }),
      'a persisted query': byPost({ extensions: { persistedQuery: { version: 1 } } }),
      'variables that are a list': byPost({ variables: [] }),
    }))
      expect(await byApollo(ask), what).toBe(1);
  });

  it('has the cost of its variables', async () => {
    const { ana } = await known();
    const costWith = async (first: number) => {
      const request = { query: QUERY, variables: { first } };
      const { body } = await ana.rest.post('/graphql', request, { 'graphql-cost': '1' });
      return body.extensions.cost.requested;
    };
    await costWith(1);
    expect(await costWith(50)).toBeGreaterThan(await costWith(2));
  });
});

describe('With the fast path and without it', () => {
  it('every query is answered with the same status, headers and text', { timeout: 0 }, async () => {
    const here = await watchedWorld();
    const { database, clock } = here;
    const [fast, plain] = [
      await world({ database, clock, config: { ...configOf(), fastPath: 'always' } }),
      await world({ database, clock, config: { ...configOf(), fastPath: 'off' } }),
    ];
    const execute = vi.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
    onTestFinished(() => execute.mockRestore());
    let [compared, onPath] = [0, 0];
    const queries = graphqlOperations().filter(({ name }) => name.startsWith('Query.'));
    await fuzz(here, queries, async ({ request, headers }, { user }) => {
      const ask = async ({ base }: World) =>
        partsOf(await send(new RestClient(base, user.token), request, headers));
      execute.mockClear();
      let ours = await ask(fast);
      if (execute.mock.calls.length === 0 && ours.status === 200) onPath += 1;
      let apollos = await ask(plain);
      compared += 1;
      // Where two fields below a task are refused, the one that is first takes the task away, and either may be.
      for (let more = 0; more < 9 && !isDeepStrictEqual(ours, apollos); more += 1)
        [ours, apollos] = [await ask(fast), await ask(plain)];
      expect(ours).toEqual(apollos);
      return ours.text;
    });
    console.info(`${compared} queries compared, ${onPath} of them carried out on the fast path`);
    expect(onPath).toBeGreaterThan(compared / 5);
  });
});

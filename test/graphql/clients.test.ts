import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type TestUser, world, worldOf } from '../support/world.js';

/** What went over the wire, by method and name of the operation. */
class Wire {
  readonly sent: { method: string; operation: string; accept: string | null }[] = [];

  readonly fetch: typeof fetch = (input, init) => {
    const method = init?.method ?? 'GET';
    const text = method === 'GET' ? decodeURIComponent(String(input)) : String(init?.body);
    const operation = /(query|mutation)[\s+]+(\w+)/.exec(text)?.[2] ?? '';
    this.sent.push({ method, operation, accept: new Headers(init?.headers).get('accept') });
    return fetch(input, init);
  };

  get operations(): string[] {
    return this.sent.map(({ method, operation }) => `${method} ${operation}`);
  }
}

const authorization = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });

describe('urql, as it comes', () => {
  const urql = (user: TestUser, wire: Wire) =>
    new Client({
      url: `${user.base}/graphql`,
      exchanges: [cacheExchange, fetchExchange],
      fetch: wire.fetch,
      fetchOptions: { headers: authorization(user) },
    });

  it('is answered though it asks by GET and would take an event stream too', async () => {
    const { ana } = await worldOf('ana');
    await ana.hasTask({ title: 'Swim 1 km' });
    const wire = new Wire();
    const { data, error } = await urql(ana, wire).query(
      'query Tasks($first: Int) { tasks(first: $first) { nodes { title } } }',
      { first: 10 },
    );
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ tasks: { nodes: [{ title: 'Swim 1 km' }] } });
    expect(wire.sent).toEqual([
      { method: 'GET', operation: 'Tasks', accept: expect.stringContaining('text/event-stream') },
    ]);
  });
});

describe('The cache of Apollo Client', () => {
  interface Listed {
    tasks: { nodes: { id: string; completionCount: number }[] };
    me: { currentStreak: number; points: number };
  }
  const LIST: TypedDocumentNode<Listed> = gql`
    query List { tasks { nodes { id completionCount } } me { id currentStreak points } }
  `;
  const COMPLETE = gql`
    mutation Complete($taskId: ID!) {
      completeTask(taskId: $taskId) { task { id completionCount } user { id currentStreak points } }
    }
  `;
  const ME: TypedDocumentNode<{ me: { activeChallenge: { status: string } | null } }> = gql`
    query Me { me { id activeChallenge { id status template { id title } } } }
  `;
  const ACCEPT: TypedDocumentNode<{ acceptChallenge: { challenge: { id: string } } }> = gql`
    mutation Accept($templateId: ID!) {
      acceptChallenge(templateId: $templateId) {
        challenge { id status template { id title } }
        user { id activeChallenge { id status template { id title } } }
      }
    }
  `;
  const ABANDON = gql`
    mutation Abandon($id: ID!) {
      abandonChallenge(id: $id) { challenge { id status } user { id activeChallenge { id } } }
    }
  `;

  const apollo = (user: TestUser, wire: Wire) => {
    const link = new HttpLink({
      uri: `${user.base}/graphql`,
      headers: authorization(user),
      fetch: wire.fetch,
    });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    onTestFinished(() => client.stop());
    return client;
  };

  /** Watches a query as a screen does, which is redrawn whenever the cache has news. */
  function screenOf<Data>(client: ApolloClient, query: TypedDocumentNode<Data>) {
    let shown: unknown;
    const subscription = client.watchQuery({ query }).subscribe(({ data }) => {
      shown = data;
    });
    onTestFinished(() => subscription.unsubscribe());
    return {
      shows: (expected: object) => expect.poll(() => shown).toMatchObject(expected),
    };
  }

  it('shows a completed task, and what it earned, without asking again', async () => {
    const { ana } = await worldOf('ana');
    const [swim, run] = [await ana.hasTask({ points: 15 }), await ana.hasTask()];
    const wire = new Wire();
    const client = apollo(ana, wire);
    const screen = screenOf(client, LIST);
    await screen.shows({ tasks: { nodes: [{ completionCount: 0 }, { completionCount: 0 }] } });

    await client.mutate({ mutation: COMPLETE, variables: { taskId: swim.id } });

    await screen.shows({
      tasks: {
        nodes: [
          { id: String(swim.id), completionCount: 1 },
          { id: String(run.id), completionCount: 0 },
        ],
      },
      me: { currentStreak: 1, points: 15 },
    });
    expect(wire.operations).toEqual(['POST List', 'POST Complete']);
  });

  it('shows an accepted challenge, and that it was abandoned, without asking again', async () => {
    const { newUser } = await world();
    const wire = new Wire();
    const client = apollo(await newUser(), wire);
    const screen = screenOf(client, ME);
    await screen.shows({ me: { activeChallenge: null } });

    const { data } = await client.mutate({ mutation: ACCEPT, variables: { templateId: '1' } });
    await screen.shows({ me: { activeChallenge: { status: 'ACTIVE', template: { id: '1' } } } });

    await client.mutate({ mutation: ABANDON, variables: { id: data?.acceptChallenge.challenge.id } });
    await screen.shows({ me: { activeChallenge: null } });
    expect(wire.operations).toEqual(['POST Me', 'POST Accept', 'POST Abandon']);
  });
});

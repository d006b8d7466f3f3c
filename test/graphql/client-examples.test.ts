import { randomUUID } from 'node:crypto';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as apollo from '../../examples/clients/apollo.ts';
import { COMPLETE, LOG_IN, TASKS } from '../../examples/clients/documents.ts';
import * as openapiFetch from '../../examples/clients/openapi-fetch.ts';
import * as urql from '../../examples/clients/urql.ts';
import * as websocket from '../../examples/clients/websocket.ts';
import { graphcache } from '../../examples/first-screen/graphcache.ts';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { world, worldOf } from '../support/world.js';

const NO_TOKEN = 'none of ours';

async function swimmer() {
  const { ana, base, clock } = await worldOf('ana');
  const { id } = await ana.hasTask({ title: 'Swim 1 km' });
  return { base, clock, ana, token: ana.token, id, taskId: String(id) };
}

/** What the service said, as urql and Apollo Client hand it on. */
function refusalIn(error: unknown): unknown {
  const { graphQLErrors, errors } = error as Record<string, { extensions?: unknown }[] | undefined>;
  return (graphQLErrors ?? errors)?.[0]?.extensions;
}

/** What the promise is rejected with. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('The example with urql', () => {
  it('lists the tasks and completes one, after which the list is a new one', async () => {
    const { base, token, taskId } = await swimmer();
    const client = urql.connect(base, token);
    expect(await urql.listTasks(client)).toMatchObject([{ id: taskId, today: { completionCount: 0 } }]);
    expect(await urql.complete(client, taskId, randomUUID())).toMatchObject({ isReplayed: false });
    expect(await urql.listTasks(client)).toMatchObject([{ id: taskId, today: { completionCount: 1 } }]);
  });

  it('hears of what other devices do', async () => {
    const { base, ana, token, id, taskId } = await swimmer();
    const heard: unknown[] = [];
    onTestFinished(urql.watch(urql.connect(base, token), (task) => heard.push(task)));
    await eventually(async () => {
      await ana.completes({ id });
      return heard.length > 0;
    });
    expect(heard[0]).toBe(taskId);
  });
});

describe('The example with Apollo Client', () => {
  const connect = (base: string, token: string) => {
    const loggedOut = vi.fn();
    const client = apollo.connect(base, { token: () => token, loggedOut });
    onTestFinished(() => client.stop());
    return { client, loggedOut };
  };

  it('sends the token and reads', async () => {
    const { base, token, taskId } = await swimmer();
    const { client, loggedOut } = connect(base, token);
    const { data } = await client.query({ query: TASKS });
    expect(data?.tasks.nodes).toMatchObject([{ id: taskId, title: 'Swim 1 km' }]);
    expect(loggedOut).not.toHaveBeenCalled();
  });

  it('says so when the token is worth nothing any more', async () => {
    const { base } = await swimmer();
    const { client, loggedOut } = connect(base, NO_TOKEN);
    await errorOf(client.query({ query: TASKS }));
    expect(loggedOut).toHaveBeenCalledOnce();
  });

  it('takes a wrong password for no log-out', async () => {
    const { base, ana, token } = await swimmer();
    const { client, loggedOut } = connect(base, token);
    const input = { email: ana.account.email, password: 'wrong password' };
    const error = await errorOf(client.mutate({ mutation: LOG_IN, variables: { input } }));
    expect(refusalIn(error)).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'INVALID_CREDENTIALS' });
    expect(loggedOut).not.toHaveBeenCalled();
  });
});

describe('The cache configuration for urql', () => {
  it('shows a tap everywhere without reading again, and reads the list again when it has changed', async () => {
    const { base, token, taskId, ana } = await swimmer();
    const asked: string[] = [];
    const client = new Client({
      url: `${base}/graphql`,
      exchanges: [cacheExchange(graphcache), fetchExchange],
      preferGetMethod: false,
      fetch: (input, init) => {
        asked.push(/(?:query|mutation) (\w+)/.exec(String(init?.body))?.[1] ?? '');
        return fetch(input, { ...init, headers: { ...init?.headers, authorization: `Bearer ${token}` } });
      },
    });
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const completions = async () =>
      (await client.query(TASKS, {})).data?.tasks.nodes.map(({ today }) => today.completionCount);
    expect(await completions()).toEqual([0]);
    await client.mutation(COMPLETE, { taskId, key: randomUUID() });
    expect(await completions()).toEqual([1]);
    expect(asked).toEqual(['Tasks', 'Complete']);
    await client.mutation('mutation Add { createTask(input: { title: "Run" }) { task { id } } }', {});
    expect(await completions()).toEqual([1, 0]);
    expect(asked).toEqual(['Tasks', 'Complete', 'Add', 'Tasks']);
    expect(warned).not.toHaveBeenCalled();
    expect((await ana.query('{ tasks { totalCount } }')).tasks.totalCount).toBe(2);
  });
});

describe('The example with openapi-fetch', () => {
  it('makes a task of a title alone, and completes it once for each key', async () => {
    const { base, token } = await swimmer();
    const client = openapiFetch.connect(base, token);
    const task = await openapiFetch.addTask(client, 'Run');
    expect(task).toMatchObject({ title: 'Run', points: 10, is_daily_routine: false });
    const key = randomUUID();
    const first = await openapiFetch.complete(client, task.id, key);
    expect(first).toMatchObject({ completion: { task_id: task.id }, replayed: false });
    expect(await openapiFetch.complete(client, task.id, key)).toEqual({ ...first, replayed: true });
  });

  it('reaches the files of an account like every other path', async () => {
    const { base, token } = await swimmer();
    const client = openapiFetch.connect(base, token);
    const { data } = await client.GET('/account/export');
    expect(data).toMatchObject({ tasks: [{ title: 'Swim 1 km' }] });
    expect((await client.GET('/account/completions.csv', { parseAs: 'text' })).response.status).toBe(200);
    const given = { body: {}, bodySerializer: () => '{}', headers: { 'content-type': 'application/json' } };
    const { response } = await client.POST('/account/import', given);
    expect([response.status, response.headers.get('error-reason')]).toEqual([400, 'ACCOUNT_NOT_EMPTY']);
  });

  it('throws what the service says', async () => {
    const { base, token } = await swimmer();
    await expect(openapiFetch.addTask(openapiFetch.connect(base, token), ' ')).rejects.toThrow(
      'Title must not be blank',
    );
    const stranger = openapiFetch.connect(base, NO_TOKEN);
    await expect(openapiFetch.addTask(stranger, 'Run')).rejects.toThrow('User not authenticated');
  });
});

describe('The example with a WebSocket', () => {
  const connect = (base: string, token: string) => {
    const [connected, loggedOut] = [vi.fn(), vi.fn()];
    const client = websocket.connect(base, { token: () => token, connected, loggedOut });
    onTestFinished(() => client.dispose());
    return { client, connected, loggedOut };
  };

  it('brings every change from the moment on which it says that it is connected', async () => {
    const { base, ana, token, id, taskId } = await swimmer();
    const { client, connected } = connect(base, token);
    const change = websocket.changes(client).next();
    await eventually(() => connected.mock.calls.length > 0);
    await ana.completes({ id });
    expect((await change).value).toMatchObject({ kind: 'COMPLETION_RECORDED', task: { id: taskId } });
    expect(connected).toHaveBeenCalledOnce();
  });

  it('says when the token is not valid, and does not try again', async () => {
    const { base } = await swimmer();
    const { client, connected, loggedOut } = connect(base, NO_TOKEN);
    await expect(websocket.changes(client).next()).rejects.toMatchObject({ code: 4401 });
    expect([connected.mock.calls.length, loggedOut.mock.calls.length]).toEqual([0, 1]);
  });
});

describe('A refusal', () => {
  it('is found in what each client throws', async () => {
    const { base } = await swimmer();
    const refused = { code: 'UNAUTHENTICATED' };
    expect(refusalIn(await errorOf(urql.listTasks(urql.connect(base, NO_TOKEN))))).toMatchObject(refused);
    const client = apollo.connect(base, { token: () => NO_TOKEN, loggedOut: () => {} });
    onTestFinished(() => client.stop());
    expect(refusalIn(await errorOf(client.query({ query: TASKS })))).toMatchObject(refused);
  });

  it('by admission says with each client that nothing was done, and when to send it again', async () => {
    const { base, newUser } = await world({ config: { ...configOf(), maxRequests: 1 } });
    const { token } = await newUser();
    const byUrql = () => urql.listTasks(urql.connect(base, token));
    const link = new HttpLink({ uri: `${base}/graphql`, headers: { authorization: `Bearer ${token}` } });
    const byApollo = () => new ApolloClient({ link, cache: new InMemoryCache() }).query({ query: TASKS });
    for (const ask of [byUrql, byApollo] as (() => Promise<unknown>)[]) {
      const refusal = await eventually(async () => {
        const results = await Promise.allSettled(Array.from({ length: 10 }, ask));
        return results
          .map((result) => result.status === 'rejected' && result.reason)
          .find((reason) => reason);
      });
      expect(refusalIn(refusal)).toMatchObject({
        ...{ code: 'SERVICE_UNAVAILABLE', outcome: 'NOT_APPLIED', retryAfter: expect.any(Number) },
      });
    }
  });
});

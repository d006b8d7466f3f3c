import { randomUUID } from 'node:crypto';
import { Client, fetchExchange } from '@urql/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as apollo from '../../examples/clients/apollo.ts';
import { LOG_IN, TASKS } from '../../examples/clients/documents.ts';
import * as openapiFetch from '../../examples/clients/openapi-fetch.ts';
import * as urql from '../../examples/clients/urql.ts';
import * as websocket from '../../examples/clients/websocket.ts';
import { eventually } from '../support/eventually.js';
import { worldOf } from '../support/world.js';

const NO_TOKEN = 'none of ours';

async function swimmer() {
  const { ana, base } = await worldOf('ana');
  const { id } = await ana.hasTask({ title: 'Swim 1 km' });
  return { base, ana, token: ana.token, id, taskId: String(id) };
}

it('The example with urql lists the tasks, completes one, and hears of what other devices do', async () => {
  const { base, ana, token, id, taskId } = await swimmer();
  const client = urql.connect(base, token);
  const listed = (completionCount: number) => [
    { id: taskId, title: 'Swim 1 km', today: { completionCount } },
  ];
  expect(await urql.listTasks(client)).toMatchObject(listed(0));
  expect(await urql.complete(client, taskId, randomUUID())).toMatchObject({ isReplayed: false });
  expect(await urql.listTasks(client)).toMatchObject(listed(1));
  const heard: unknown[] = [];
  onTestFinished(urql.watch(client, (task) => heard.push(task)));
  await eventually(async () => {
    await ana.completes({ id });
    return heard.length > 0;
  });
  expect(heard[0]).toBe(taskId);
});

it('urql as it comes is answered, though it asks by GET and would take an event stream too', async () => {
  const { base, token } = await swimmer();
  const asked: unknown[] = [];
  const client = new Client({
    url: `${base}/graphql`,
    exchanges: [fetchExchange],
    fetch: (input, init) => {
      asked.push([init?.method, new Headers(init?.headers).get('accept')]);
      return fetch(input, init);
    },
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
  });
  const { data } = await client.query('query ($first: Int) { tasks(first: $first) { totalCount } }', {
    first: 1,
  });
  expect(data).toEqual({ tasks: { totalCount: 1 } });
  expect(asked).toEqual([['GET', expect.stringContaining('text/event-stream')]]);
});

it('The example with Apollo Client reads, is logged out by a token that is worth nothing, and by no wrong password', async () => {
  const { base, ana, token, taskId } = await swimmer();
  const loggedOut = vi.fn();
  const [client, stranger] = [token, NO_TOKEN].map((of) =>
    apollo.connect(base, { token: () => of, loggedOut }),
  ) as [ReturnType<typeof apollo.connect>, ReturnType<typeof apollo.connect>];
  onTestFinished(() => {
    for (const each of [client, stranger]) each.stop();
  });
  const { data } = await client.query({ query: TASKS });
  expect(data?.tasks.nodes).toMatchObject([{ id: taskId, title: 'Swim 1 km' }]);
  const input = { email: ana.account.email, password: 'wrong password' };
  const extensions = { code: 'UNAUTHENTICATED', reason: 'INVALID_CREDENTIALS' };
  await expect(client.mutate({ mutation: LOG_IN, variables: { input } })).rejects.toMatchObject({
    errors: [{ extensions }],
  });
  expect(loggedOut).not.toHaveBeenCalled();
  await expect(stranger.query({ query: TASKS })).rejects.toThrow('User not authenticated');
  expect(loggedOut).toHaveBeenCalledOnce();
});

it('The example with openapi-fetch makes a task of a title alone, and completes it once for each key', async () => {
  const { base, token } = await swimmer();
  const client = openapiFetch.connect(base, token);
  const task = await openapiFetch.addTask(client, 'Run');
  expect(task).toMatchObject({ title: 'Run', points: 10, is_daily_routine: false });
  const key = randomUUID();
  const first = await openapiFetch.complete(client, task.id, key);
  expect(first).toMatchObject({ completion: { task_id: task.id }, replayed: false });
  expect(await openapiFetch.complete(client, task.id, key)).toEqual({ ...first, replayed: true });
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

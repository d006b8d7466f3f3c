import { readFileSync } from 'node:fs';
import createClient from 'openapi-fetch';
import { expect, it } from 'vitest';
import type { paths } from '../../examples/clients/api.d.ts';
import { operationsIn } from '../support/api-document.js';
import { world } from '../support/world.js';

const api = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** Every operation of the document, with the status of its success. */
const promised = operationsIn(api).map(
  ({ endpoint, responses }) => `${endpoint} ${Object.keys(responses).find((status) => status < '300')}`,
);

/** A client as anybody would make it, from openapi.json alone, and what it has met. */
async function stranger() {
  const here = await world();
  const met: string[] = [];
  let token = '';
  const client = createClient<paths>({ baseUrl: `${here.base}/api` });
  client.use({
    onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${token}`),
    onResponse: ({ request, response, schemaPath }) => {
      met.push(`${request.method} ${schemaPath} ${response.status}`);
    },
  });
  const signUp = async (name: string) => {
    const account = { name, email: `${crypto.randomUUID()}@example.com`, password: 'secret1' };
    const { data } = await client.POST('/auth/signup', { body: account });
    token = data?.token ?? '';
    return account;
  };
  return { here, client, met, signUp, tokenOf: () => token };
}

it('A client that is generated from openapi.json reaches every path, and each gives what it says', async () => {
  const { here, client, met, signUp, tokenOf } = await stranger();
  const { email, password } = await signUp('Ana');
  expect((await client.POST('/auth/login', { body: { email, password } })).data?.token).toBeTypeOf('string');
  expect((await client.GET('/user/profile')).data).toMatchObject({ email, points: 0 });
  expect((await client.PUT('/user/profile', { body: { name: 'Ana B.' } })).data?.name).toBe('Ana B.');

  const { data: task } = await client.POST('/tasks', { body: { title: 'Swim' } });
  const taskId = task?.id ?? 0;
  await client.PUT('/tasks/{taskId}', { params: { path: { taskId } }, body: { points: 15 } });
  const done = await client.POST('/task-completions', {
    params: { header: { 'Idempotency-Key': 'tap' } },
    body: { task_id: taskId },
  });
  expect(done.data).toMatchObject({ task_id: taskId });
  expect((await client.GET('/tasks/me')).data).toMatchObject([
    { task: { id: taskId, points: 15 }, completion_count: 1 },
  ]);

  const templates = (await client.GET('/challenge-templates')).data ?? [];
  const [first = 0, second = 0] = templates.map(({ id }) => id);
  const template = await client.GET('/challenge-templates/{id}', { params: { path: { id: first } } });
  expect(template.data).toEqual(templates[0]);
  const accept = async (templateId: number) =>
    (await client.POST('/user-challenges/accept', { body: { templateId } })).data?.id ?? 0;
  const completed = { params: { path: { id: await accept(first) } } };
  await client.PUT('/user-challenges/{id}/notes', { ...completed, body: { notes: 'On it' } });
  expect((await client.GET('/user-challenges/active')).data).toMatchObject({ notes: 'On it' });
  await client.PUT('/user-challenges/{id}/complete', completed);
  const abandoned = { params: { path: { id: await accept(second) } } };
  await client.PUT('/user-challenges/{id}/abandon', abandoned);
  const statuses = (await client.GET('/user-challenges')).data?.map(({ status }) => status);
  expect(statuses?.sort()).toEqual(['ABANDONED', 'COMPLETED']);

  const document = 'mutation ($id: ID!) { createCheckInLink(taskId: $id, name: "Door") { url } }';
  const { data: link } = await here.rest.as(tokenOf()).ask(document, { id: taskId });
  const door = { params: { path: { token: link.createCheckInLink.url.split('/').at(-1) } } };
  expect((await client.GET('/check-in/{token}', door)).data).toMatchObject({ task: 'Swim', counted: false });
  expect((await client.POST('/check-in/{token}', { ...door, body: { key: 'a' } })).data?.counted).toBe(true);
  expect((await client.POST('/check-in/{token}/undo', door)).data).toMatchObject({ task: 'Swim' });

  const csv = await client.GET('/account/completions.csv', { parseAs: 'text' });
  expect(csv.data).toContain('Swim');
  const { data: file } = await client.GET('/account/export');
  await signUp('Bea');
  const brought = await client.POST('/account/import', { body: file ?? expect.unreachable() });
  expect(brought.data).toMatchObject({ tasks: 1 });

  expect([...new Set(met)].sort()).toEqual(promised.sort());
});

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { declaredApi, declaredRoutes } from '../../src/app.js';
import { reasons } from '../../src/features.js';
import { apiDocument } from '../../src/rest/documentation.js';
import { documentOf } from '../../src/rest/openapi.js';
import type { Route } from '../../src/rest/route.js';

const routes = declaredRoutes();

// biome-ignore lint/suspicious/noExplicitAny: what a client parses, of which these tests are to find out the form
type Json = any;

const document: Json = JSON.parse(JSON.stringify(documentOf(routes, reasons)));
const { schemas } = document.components;

/** Part 4 of the spec: what succeeds, the fields of the body (`!`: required), the errors. */
const spec: [endpoint: string, status: number, body: string[], errors: number[]][] = [
  ['post /auth/signup', 201, ['name!', 'email!', 'password!'], [400, 500]],
  ['post /auth/login', 200, ['email!', 'password!'], [400, 401, 429]],
  ['get /user/profile', 200, [], [401]],
  ['put /user/profile', 200, ['name', 'profile_picture', 'email', 'newPassword'], [400, 401]],
  [
    'post /tasks',
    201,
    ['title!', 'points', 'description', 'is_daily_routine', 'challenge_template_id'],
    [400, 401, 404],
  ],
  ['get /tasks/me', 200, [], [401]],
  ['put /tasks/{taskId}', 200, ['title', 'description', 'points', 'is_daily_routine'], [400, 401, 404]],
  ['post /task-completions', 201, ['task_id!'], [400, 401, 404]],
  ['get /challenge-templates', 200, [], [401]],
  ['get /challenge-templates/{id}', 200, [], [401, 404]],
  ['post /user-challenges/accept', 201, ['templateId!'], [400, 401, 404]],
  ['get /user-challenges', 200, [], [401]],
  ['get /user-challenges/active', 200, [], [401]],
  ['put /user-challenges/{id}/notes', 200, ['notes!'], [401, 404]],
  ['put /user-challenges/{id}/complete', 200, [], [401, 404]],
  ['put /user-challenges/{id}/abandon', 200, [], [401, 404]],
];

/** Part 2 of the spec. */
const resources: Record<string, string> = {
  User: 'id name email profile_picture points current_streak max_streak created_at updated_at',
  SignedInUser: 'id name email points current_streak max_streak',
  Task: 'id user_id challenge_template_id title description points is_daily_routine created_at updated_at',
  TaskCompletion: 'id task_id user_id completed_at',
  ChallengeTemplate: 'id title description duration_days created_at updated_at',
  UserChallenge: 'id user_id template_id status start_date completed_at notes created_at updated_at',
};

const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({
    endpoint: `${method} ${path}`,
    ...operation,
  })),
);

const operationOf = (endpoint: string) => operations.find((operation) => operation.endpoint === endpoint);

const schemaIn = (content: Json): Json => content['application/json'].schema;

const resolved = ({ $ref }: { $ref: string }): Json => schemas[$ref.replace('#/components/schemas/', '')];

describe('The API document', () => {
  it('lists the endpoints of the spec, files and check-in links, all below one address', () => {
    const others = [
      ...['get /account/export', 'get /account/completions.csv', 'post /account/import'],
      ...['get /check-in/{token}', 'post /check-in/{token}', 'post /check-in/{token}/undo'],
    ];
    const all = [...spec.map(([endpoint]) => endpoint), ...others];
    expect(operations.map(({ endpoint }) => endpoint).sort()).toEqual(all.sort());
    expect(operations.filter(({ servers }) => servers)).toEqual([]);
    expect(document.servers).toEqual([{ url: '/api' }]);
  });

  it('names each operation once, and refers only to what it holds', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, kind = '', name = ''] of JSON.stringify(document).matchAll(
      /"#\/components\/(\w+)\/([\w-]+)"/g,
    ))
      expect(document.components[kind]).toHaveProperty(name);
  });

  it('is the one in openapi.json', () => {
    const file = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    expect(file).toBe(`${JSON.stringify(declaredApi(), null, 2)}\n`);
    expect(JSON.parse(file)).toEqual(document);
  });

  it.each(spec)(
    'has for %s the status %i, the body and the errors of the spec',
    (endpoint, status, body, errors) => {
      const { requestBody, responses } = operationOf(endpoint);
      const statuses = Object.keys(responses).map(Number);
      expect(statuses.filter((given) => given < 400)).toEqual([status]);
      expect(statuses).toEqual(expect.arrayContaining(errors));
      if (body.length === 0) return expect(requestBody).toBeUndefined();
      const { properties, required } = resolved(schemaIn(requestBody.content));
      expect(Object.keys(properties).map((key) => (required.includes(key) ? `${key}!` : key))).toEqual(body);
      expect(requestBody.required).toBe(required.length > 0);
    },
  );

  it.each(Object.entries(resources))('gives a %s the fields of the spec, always present', (name, fields) => {
    expect(Object.keys(schemas[name].properties)).toEqual(fields.split(' '));
    expect(schemas[name].required).toEqual(fields.split(' '));
  });

  it('asks for a token everywhere but at sign-up and log-in, and where the address lets in', () => {
    const open = operations.filter(({ security }) => security.length === 0);
    expect(open.map(({ endpoint }) => endpoint).filter((each) => !each.includes(' /check-in/'))).toEqual([
      ...['post /auth/signup', 'post /auth/login'],
    ]);
    const schemes = operations.flatMap(({ security }) => security.flatMap(Object.keys));
    expect([...new Set(schemes)]).toEqual(Object.keys(document.components.securitySchemes));
    expect(document.components.securitySchemes.token).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  it('is not made at all when two different schemas have one name', () => {
    const another = (title: string) =>
      ({ ...routes[0], path: '/another', answer: { schema: { title, type: 'null' } } }) as unknown as Route;
    expect(() => documentOf([...routes, another('Task')], reasons)).toThrow('Two schemas are called Task');
    expect(() => documentOf([...routes, another('Nothing')], reasons)).not.toThrow();
  });
});

it('The page of the API document serves nothing else of the package that it comes from', async () => {
  const server = express().use('/api', apiDocument(routes, reasons)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const get = (path: string) => fetch(`http://127.0.0.1:${port}/api/${path}`);
  expect(await (await get('openapi.json')).json()).toEqual(document);
  for (const file of ['index.html', 'package.json', 'swagger-ui-bundle.js.map', '..%2fpackage.json'])
    expect((await get(`docs/${file}`)).status, file).toBe(404);
});

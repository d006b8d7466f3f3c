import { describe, expect, it } from 'vitest';
import { declaredApi } from '../../src/app.js';
import { formRefusals } from '../../src/http/server.js';
import { operationsIn } from '../support/api-document.js';
import { ownDatabase } from '../support/database.js';
import type { Result } from '../support/live.js';
import { world } from '../support/world.js';

const successIn = (responses: Result): Result =>
  Object.entries<Result>(responses).find(([status]) => Number(status) < 300)?.[1].content['application/json'];

/** When the answers of the document were given. */
const AT = '2026-11-21T08:30:00.000Z';

/** What is other in every service: ids of users, and tokens. */
const comparable = (answer: Result, example: Result): string => {
  const shown = Array.isArray(example) ? answer.slice(0, example.length) : answer;
  return JSON.stringify(shown)
    .replaceAll(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"<user>"')
    .replaceAll(/"eyJ[\w.-]+"/g, '"<token>"');
};

const document: Result = JSON.parse(JSON.stringify(declaredApi()));
const operations = operationsIn(document);

/** What the page offers to send, in the order of the document. The addresses of check-in links are secret: test/check-in tries them. */
const offered = operations
  .filter(({ isOfFile, endpoint }) => !isOfFile && !endpoint.includes(' /check-in/'))
  .map(({ endpoint, method, address, security, parameters, requestBody, responses }) => {
    const exampleOf = (name: string) => parameters.find((each: Result) => each.name === name).example;
    return {
      endpoint,
      method,
      path: address.replace(/{(\w+)}/, (_all, name) => exampleOf(name)),
      isOpen: security.length === 0,
      body: requestBody?.content['application/json'].example,
      answer: successIn(responses).example,
    };
  });

describe('What the page of the API document offers to send', () => {
  it('shows the file of an export, which a new account can import as it stands, and exports again', async () => {
    const { newUser } = await world();
    const operationOf = (endpoint: string) => operations.find((each) => each.endpoint === endpoint) as Result;
    const { requestBody, responses } = operationOf('POST /account/import');
    const file = requestBody.content['application/json'].example;
    const ana = await newUser();
    expect(await ana.rest.post('/account/import', file)).toMatchObject({
      status: 201,
      body: successIn(responses).example,
    });
    const { example } = successIn(operationOf('GET /account/export').responses);
    const { tasks, completions } = (await ana.rest.get('/account/export')).body;
    const kept = { tasks: [{ ...tasks[0], id: 1 }], completions: [{ ...completions[0], task: 1 }] };
    expect(kept).toEqual({ tasks: example.tasks, completions: example.completions });
  });

  // A challenge ends once.
  it.each([
    ['completes', '/abandon'],
    ['abandons', '/complete'],
  ])(
    'succeeds as it stands, one after the other, with the answers of the document, for whoever comes first and %s a challenge',
    async (_how, left) => {
      const { rest, clock } = await world({ database: await ownDatabase() });
      clock.set(AT);
      let token = '';
      for (const { endpoint, method, path, isOpen, body, answer: example } of offered) {
        if (endpoint.endsWith(left)) continue;
        const answer = await rest.as(isOpen ? '' : token).send(method, path, body);
        token = answer.body.token ?? token;
        expect(answer.status, `${endpoint}: ${answer.text}`).toBeOneOf([200, 201]);
        const shown = comparable(answer.body, example);
        expect(JSON.parse(shown), endpoint).toEqual(JSON.parse(comparable(example, example)));
      }
    },
  );
});

it('The API document names what a request is refused with for its form, in the words of the server', () => {
  for (const [status, error] of Object.values(formRefusals))
    expect(document.info.description).toContain(`\n- ${status} \`${JSON.stringify({ error })}\``);
});

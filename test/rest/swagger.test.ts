import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { formRefusals } from '../../src/http/server.js';
import { operationsIn } from '../support/api-document.js';
import { ownDatabase } from '../support/database.js';
import type { Result } from '../support/live.js';
import { type RestClient, refusal, type TestUser, world } from '../support/world.js';

/** As the page of the API document makes up what it sends: an example as it stands, else by the schema. */
function pageSamples() {
  const { plugins } = createRequire(import.meta.url)('swagger-ui-dist/swagger-ui-bundle.js');
  const system: { fn?: Result } = {};
  system.fn = plugins.JSONSchema202012Samples({ getSystem: () => system }).fn;
  return ({ schema, example }: Result): string =>
    system.fn.jsonSchema202012.getSampleSchema(
      schema,
      'application/json',
      { includeWriteOnly: true },
      example,
    );
}

interface Offered {
  endpoint: string;
  method: string;
  /** With the examples of its parameters. */
  path: string;
  isOpen: boolean;
  body: string | undefined;
  /** What a new service answers at `AT`; of a list its first entries. */
  answer: Result;
  statuses: number[];
}

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

/** Every operation with the body that the page offers to send, in the order of the document. */
async function offeredBy(rest: RestClient): Promise<Offered[]> {
  const document = (await rest.get('/api/openapi.json')).body;
  const sampleOf = pageSamples();
  return (
    operationsIn(document)
      // The addresses of check-in links are secret: test/check-in tries them.
      .filter(({ isOfFile, endpoint }) => !isOfFile && !endpoint.includes(' /check-in/'))
      .map(({ endpoint, method, address, security, parameters, requestBody, responses }) => {
        const content = requestBody?.content['application/json'];
        const schema = document.components.schemas[content?.schema.$ref.split('/').at(-1)];
        const exampleOf = (name: string) => parameters.find((each: Result) => each.name === name).example;
        return {
          endpoint,
          method,
          path: address.replace(/{(\w+)}/, (_all, name) => exampleOf(name)),
          isOpen: security.length === 0,
          body: content && sampleOf({ ...content, schema }),
          answer: successIn(responses).example,
          statuses: Object.keys(responses).map(Number),
        };
      })
  );
}

async function newService() {
  const database = await ownDatabase();
  const here = await world({ database });
  return { ...here, offered: await offeredBy(here.rest) };
}

/** With the ids of her own rows, which the page fills in. */
async function filledIn({ endpoint, path, body }: Offered, ana: TestUser) {
  const [task, challenge] = [await ana.hasTask(), await ana.hasAccepted(2)];
  if (endpoint.endsWith('/accept')) await ana.rest.put(`/api/user-challenges/${challenge.id}/complete`);
  return {
    path: path.replace('tasks/1', `tasks/${task.id}`).replace('challenges/1', `challenges/${challenge.id}`),
    body: body?.replace('"task_id": 1', `"task_id": ${task.id}`),
  };
}

describe('What the page of the API document offers to send', () => {
  it('is an example for every body, without what may be missing or would lock somebody out', async () => {
    const { offered } = await newService();
    const bodies = offered.filter(({ body }) => body !== undefined);
    expect(bodies.length).toBe(8);
    expect(bodies.map(({ body }) => body).join()).not.toMatch(/"string"|challenge_template_id|newPassword/);
  });

  it('shows the file of an export, which a new account can import as it stands, and exports again', async () => {
    const { rest, newUser } = await newService();
    const operations = operationsIn((await rest.get('/api/openapi.json')).body);
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

  it('leaves no JSON body without an example', async () => {
    const { rest } = await newService();
    const operations = operationsIn((await rest.get('/api/openapi.json')).body);
    const bodies = operations.flatMap(({ endpoint, requestBody, responses }) =>
      [requestBody, ...Object.values<Result>(responses)].map((each) => [endpoint, each?.content]),
    );
    const without = bodies.filter(([, content]) => {
      const { example, examples } = content?.['application/json'] ?? { example: {} };
      return example === undefined && examples === undefined;
    });
    expect(without.map(([endpoint]) => endpoint)).toEqual([]);
  });

  // A challenge ends once.
  it.each([
    ['completes', '/abandon'],
    ['abandons', '/complete'],
  ])(
    'succeeds as it stands, one after the other, with the answers of the document, for whoever comes first and %s a challenge',
    async (_how, left) => {
      const { rest, offered, clock } = await newService();
      clock.set(AT);
      let token = '';
      for (const { endpoint, method, path, isOpen, body, answer: example } of offered) {
        if (endpoint.endsWith(left)) continue;
        const answer = await rest.as(isOpen ? '' : token).send(method, path, body);
        token = answer.body.token ?? token;
        expect(answer.status, `${endpoint} ${body}: ${answer.text}`).toBeOneOf([200, 201]);
        const shown = comparable(answer.body, example);
        expect(JSON.parse(shown), endpoint).toEqual(JSON.parse(comparable(example, example)));
      }
    },
  );

  it('succeeds for a new user among others, with the ids that the page fills in', async () => {
    const { newUser, offered } = await newService();
    const stranger = await newUser();
    await stranger.hasTask();
    await stranger.hasAccepted();
    for (const offer of offered.filter(({ isOpen }) => !isOpen)) {
      const ana = await newUser();
      const { path, body } = await filledIn(offer, ana);
      const answer = await ana.rest.send(offer.method, path, body);
      expect(answer.status, `${offer.endpoint} ${body}: ${answer.text}`).toBeOneOf([200, 201]);
    }
  });
});

describe('The errors of the API document', () => {
  it('are some for every operation; apis/refusals.test.ts meets them', async () => {
    const { offered } = await newService();
    for (const { endpoint, isOpen, statuses } of offered)
      expect(statuses, endpoint).toEqual(expect.arrayContaining([...(isOpen ? [] : [401]), 500, 503]));
  });

  it('name what a request is refused with for its form, in the words of the server', async () => {
    const { rest } = await newService();
    const { description } = (await rest.get('/api/openapi.json')).body.info;
    for (const [status, error] of Object.values(formRefusals)) {
      expect(description).toContain(`\n- ${status} \`${JSON.stringify({ error })}\``);
    }
    expect(await rest.get('/api/nothing')).toEqual(refusal(...formRefusals.notFound));
  });
});

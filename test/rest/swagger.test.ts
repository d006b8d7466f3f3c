import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formRefusals } from '../../src/http/server.js';
import { ApiScope } from '../../src/scopes.js';
import { operationsIn } from '../support/api-document.js';
import { freshDatabase } from '../support/database.js';
import type { Result } from '../support/live.js';
import { type Answer, type RestClient, refusal, type TestUser, world } from '../support/world.js';

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
  errors: [status: number, message: string][];
}

const errorsIn = (responses: Result): Offered['errors'] =>
  Object.entries<Result>(responses).flatMap(([status, { content }]) =>
    Object.values<Result>(content['application/json'].examples ?? {}).map(({ value }): [number, string] => [
      Number(status),
      value.error,
    ]),
  );

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
          errors: errorsIn(responses),
        };
      })
  );
}

async function newService() {
  const database = await freshDatabase();
  onTestFinished(() => database.close());
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
    challenge,
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

interface Try {
  token?: string;
  headers?: Record<string, string>;
  /** In place of the id in the path. */
  id?: unknown;
  body?: string;
  /** In place of fields of the body. */
  fields?: Record<string, unknown>;
}

interface Place {
  send: (change?: Try) => Promise<Answer>;
  ana: TestUser;
  stranger: TestUser;
  challenge: { id: number };
}

const NONE = 9_007_199_254_740_000;

const withFields =
  (fields: Record<string, unknown>) =>
  ({ send }: Place) =>
    send({ fields });

/** How a client comes to meet each error. */
const ways: Record<string, (place: Place) => Promise<Answer>> = {
  'User not authenticated': ({ send }) => send({ token: 'none' }),
  'The request could not be read': ({ send }) => send({ id: '%' }),
  'The body is not valid JSON': ({ send }) => send({ body: '{' }),
  'The body must be a JSON object': ({ send }) => send({ body: '[]' }),
  'The body is too large': ({ send }) => send({ body: `{"name":"${'n'.repeat(2 ** 21)}"}` }),
  'The body must be JSON in UTF-8 (Content-Type: application/json)': ({ send }) =>
    send({ headers: { 'content-type': 'text/plain' } }),
  'Email already in use': ({ send, stranger }) => send({ fields: { email: stranger.account.email } }),
  'Invalid email or password': withFields({ password: 'another' }),
  'Too many failed log-ins, try again later': async ({ send }) => {
    for (let tries = 0; tries < 100; tries += 1) {
      const answer = await send({ fields: { password: 'another' } });
      if (answer.status !== 401) return answer;
    }
    throw new Error('Failed log-ins are not limited');
  },
  'Password must be at least 6 characters long': withFields({ password: '12345' }),
  'Password must be text': withFields({ password: 123_456 }),
  'Profile picture must be an http or https URL': withFields({ profile_picture: 'me.png' }),
  'Points must be greater than zero': withFields({ points: -1 }),
  'Title must not be blank': withFields({ title: ' ' }),
  'Task id must be a whole number': withFields({ task_id: '1' }),
  'Template id must be a whole number': withFields({ templateId: 1.5 }),
  'Notes must be text': withFields({ notes: 1 }),
  'Idempotency key must be 1 to 255 visible ASCII characters': ({ send }) =>
    send({ headers: { 'idempotency-key': 'a b' } }),
  'Idempotency key was used for another task': async ({ send, ana }) => {
    const headers = { 'idempotency-key': 'tap' };
    await ana.completes(await ana.hasTask(), headers);
    return send({ headers });
  },
  'This task is archived': async ({ send, ana }) => {
    const { id } = await ana.hasTask();
    await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    return send({ fields: { task_id: id } });
  },
  'Task not found': ({ send }) => send({ id: NONE, fields: { task_id: NONE } }),
  "This task doesn't belong to you": async ({ send, stranger }) => {
    const { id } = await stranger.hasTask();
    return send({ id, fields: { task_id: id } });
  },
  'Challenge template not found': ({ send }) =>
    send({ id: NONE, fields: { templateId: NONE, challenge_template_id: NONE } }),
  "You don't have an active challenge for this template": withFields({ challenge_template_id: 7 }),
  'Você já possui um desafio ativo': async ({ send, ana }) => {
    await ana.hasAccepted();
    return send();
  },
  'Challenge not found': ({ send }) => send({ id: NONE }),
  'Challenge is already abandoned': async ({ send, ana, challenge }) => {
    await ana.rest.put(`/api/user-challenges/${challenge.id}/abandon`);
    return send();
  },
  'Challenge is already completed': async ({ send, ana, challenge }) => {
    await ana.rest.put(`/api/user-challenges/${challenge.id}/complete`);
    return send();
  },
};

/** A client cannot bring them about, or only with thousands of requests. Other tests do. */
const beyondReach = [
  'Sign-up is closed here: ask the operator for an account',
  'Internal server error',
  'Service unavailable, nothing was changed',
  'The outcome is unknown',
  'You can have at most 2000 tasks',
  'You can have at most 10000 challenges',
  'An API token cannot do this: log in, and use the token of that session',
  ...Object.values(ApiScope).map((scope) => `The API token lacks the scope ${scope}`),
];

const without = (id: unknown, path: string) =>
  id === undefined ? path : path.replace(/(?<=\/)\d+/, String(id));

describe('The errors of the API document', () => {
  it('are those that the service answers, word for word', async () => {
    const { rest, newUser, offered } = await newService();
    const stranger = await newUser();
    const meetAll = async (offer: (typeof offered)[number]) => {
      for (const [status, message] of offer.errors.filter(([, text]) => !beyondReach.includes(text))) {
        const ana = await newUser();
        const { path, body, challenge } = await filledIn(offer, ana);
        const send = ({
          token = offer.isOpen ? '' : ana.token,
          headers,
          id,
          fields,
          ...change
        }: Try = {}) => {
          const changed = body && JSON.stringify({ ...JSON.parse(body), ...fields });
          return rest.as(token).send(offer.method, without(id, path), change.body ?? changed, headers);
        };
        const answer = await ways[message]?.({ send, ana, stranger, challenge });
        expect(answer, `${offer.endpoint} ${status} ${message}`).toEqual(refusal(status, message));
        expect(answer?.headers.has('retry-after'), message).toBe(status === 429);
      }
    };
    await Promise.all(offered.map(meetAll));
  });

  it('are all met by somebody, and every operation has some', async () => {
    const { offered } = await newService();
    const documented = new Set(offered.flatMap(({ errors }) => errors.map(([, message]) => message)));
    expect([...documented].sort()).toEqual([...Object.keys(ways), ...beyondReach].sort());
    for (const { endpoint, isOpen, errors } of offered) {
      const statuses = errors.map(([status]) => status);
      expect(statuses, endpoint).toEqual(expect.arrayContaining([...(isOpen ? [] : [401]), 500, 503]));
    }
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

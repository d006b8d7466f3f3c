import { createRequire } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import type { Result } from '../support/live.js';
import { type RestClient, world } from '../support/world.js';

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
  path: string;
  isOpen: boolean;
  body: string | undefined;
}

/** Every operation with the body that the page offers to send, in the order of the document. */
async function offeredBy(rest: RestClient): Promise<Offered[]> {
  const { paths, components } = (await rest.get('/api/openapi.json')).body;
  const sampleOf = pageSamples();
  return Object.entries<Result>(paths).flatMap(([path, methods]) =>
    Object.entries<Result>(methods).map(([method, { security, requestBody }]) => {
      const content = requestBody?.content['application/json'];
      const schema = components.schemas[content?.schema.$ref.split('/').at(-1)];
      return {
        endpoint: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: `/api${path}`,
        isOpen: security.length === 0,
        body: content && sampleOf({ ...content, schema }),
      };
    }),
  );
}

async function newService() {
  const database = await freshDatabase();
  onTestFinished(() => database.close());
  const here = await world({ database });
  return { ...here, offered: await offeredBy(here.rest) };
}

describe('What the page of the API document offers to send', () => {
  it('is an example for every body, without what may be missing or would lock somebody out', async () => {
    const { offered } = await newService();
    const bodies = offered.filter(({ body }) => body !== undefined);
    expect(bodies.length).toBe(8);
    expect(bodies.map(({ body }) => body).join()).not.toMatch(/"string"|challenge_template_id|newPassword/);
  });

  it('succeeds, one after the other, for whoever comes first', async () => {
    const { rest, offered } = await newService();
    let token = '';
    for (const { endpoint, method, path, isOpen, body } of offered) {
      const target = path.replace(/{\w+}/, '1'); // of all there is, the first is hers
      const answer = await rest.as(isOpen ? '' : token).send(method, target, body);
      token = answer.body.token ?? token;
      // It was completed just before; and the task is to be filled in.
      const refused = endpoint.endsWith('/abandon') ? [400] : endpoint.includes('completions') && [404];
      expect(answer.status, `${endpoint} ${body}: ${answer.text}`).toBeOneOf(refused || [200, 201]);
    }
  });

  it('succeeds for a new user among others, save where the id of a task is to be filled in', async () => {
    const { newUser, offered } = await newService();
    const stranger = await newUser();
    await stranger.hasTask();
    await stranger.hasAccepted();
    for (const { endpoint, method, path, body } of offered.filter(({ isOpen }) => !isOpen)) {
      const ana = await newUser();
      const own = [(await ana.hasTask()).id, (await ana.hasAccepted(2)).id];
      if (endpoint.endsWith('/accept')) await ana.rest.put(`/api/user-challenges/${own[1]}/complete`);
      const target = path.replace('{taskId}', `${own[0]}`).replace('challenges/{id}', `challenges/${own[1]}`);
      const answer = await ana.rest.send(method, target.replace('{id}', '1'), body);
      const expected = endpoint.includes('completions') ? [404] : [200, 201];
      expect(answer.status, `${endpoint} ${body}: ${answer.text}`).toBeOneOf(expected);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { declaredApi } from '../../src/app.js';
import {
  type Asked,
  assertKeepsSecrets,
  assertTellsNothing,
  fuzz,
  type Scene,
  Tally,
  watchedWorld,
} from '../support/fuzz.js';
import type { Result } from '../support/live.js';
import { graphqlOperations, type Operation, restOperations, schemaIn, send } from '../support/operations.js';
import type { Answer } from '../support/world.js';

const document = declaredApi();

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** Whether a value is what its schema says. */
function fits(given: Result, value: Result): boolean {
  const schema = schemaIn(document, given);
  if (schema.anyOf) return schema.anyOf.some((each: Result) => fits(each, value));
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const types: string[] = [schema.type].flat();
  if (!types.includes(type) && !(types.includes('integer') && Number.isSafeInteger(value))) return false;
  if (type === 'array') return value.every((each: unknown) => fits(schema.items, each));
  if (type === 'object') {
    const keys = Object.keys(schema.properties);
    return (
      `${Object.keys(value)}` === `${keys}` && keys.every((key) => fits(schema.properties[key], value[key]))
    );
  }
  if (type !== 'string') return true;
  return (schema.enum?.includes(value) ?? true) && (FORMATS[schema.format]?.test(value) ?? true);
}

/** What HTTP says before any endpoint is asked. */
const BY_HTTP = [400, 404, 413, 415, 431];
const UNAVAILABLE = ['Service unavailable, nothing was changed', 'The outcome is unknown'];

/** Throws unless it is a good answer. */
function judgeRest({ operation }: Asked, { status, body }: Answer): void {
  const documented = operation.responses[status];
  expect(documented !== undefined || BY_HTTP.includes(status), `${status}`).toBe(true);
  if (status < 400) {
    expect(fits(documented?.content['application/json'].schema, body)).toBe(true);
    return;
  }
  expect(body).toEqual({ error: expect.stringMatching(/^\p{Lu}[^\n]+$/u) });
  assertTellsNothing(body.error);
  if (status >= 500) expect([status, UNAVAILABLE]).toEqual([503, expect.arrayContaining([body.error])]);
}

const CODES = [
  ...['UNAUTHENTICATED', 'BAD_USER_INPUT', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'QUERY_TOO_COMPLEX'],
  ...['SERVICE_UNAVAILABLE', 'BAD_REQUEST', 'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
  'OPERATION_RESOLUTION_FAILURE',
];

function judgeGraphql(_asked: Asked, { status, body }: Answer): void {
  expect(status < 500 || status === 503, `${status}`).toBe(true);
  const { data, errors = [], error, ...more } = body;
  if (error !== undefined) {
    assertTellsNothing(error); // by HTTP
    return;
  }
  expect(Object.keys(more).filter((key) => key !== 'extensions')).toEqual([]);
  expect(data !== undefined || errors.length > 0).toBe(true);
  for (const each of errors) {
    expect(CODES).toContain(each.extensions?.code);
    expect(each.message).not.toBe('');
    assertTellsNothing(JSON.stringify(each));
  }
}

const isCarriedOut = ({ status, body }: Answer) => status < 300 && !body?.errors;

describe('Whatever is sent is answered in the form of its API, and touches nobody else:', {
  timeout: 0,
}, () => {
  it.each<[string, Operation[], (asked: Asked, answer: Answer) => void]>([
    ['REST', restOperations(), judgeRest],
    [
      'GraphQL',
      graphqlOperations().filter(({ name }) => !/^Subscription|signOut|deleteMyAccount/.test(name)),
      judgeGraphql,
    ],
  ])('%s', async (_api, operations, judge) => {
    const here = await watchedWorld();
    const tally = new Tally();
    await fuzz(here, operations, async (asked: Asked, scene: Scene) => {
      const answer = await send(scene.user.rest, asked.request, asked.headers);
      assertKeepsSecrets(answer.text, scene);
      expect(answer.headers.get('content-type')).toMatch(
        /^application\/(json|graphql-response\+json); charset=utf-8$/,
      );
      judge(asked, answer);
      scene.learn(answer.body, asked.operation.name);
      tally.add(asked.operation.name, isCarriedOut(answer));
      return `${answer.status} ${answer.text}`;
    });
    // Which mutations succeed is up to the state they meet.
    tally.assertEnough(operations.map(({ name }) => name).filter((name) => !name.startsWith('Mutation.')));
  });
});

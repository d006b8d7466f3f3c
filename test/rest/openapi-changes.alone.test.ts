import { describe, expect, it } from 'vitest';
import { apiChangesBetween } from '../../scripts/openapi-changes.js';

// biome-ignore lint/suspicious/noExplicitAny: parts of a document, as they are parsed
type Json = any;

const NONE = { breaking: [], surprising: [], added: [] };

const json = (schema: Json) => ({ content: { 'application/json': { schema } } });

const KIND = { type: 'string', enum: ['A', 'B'] };
const THING = {
  type: 'object',
  properties: { id: { type: 'integer' }, kind: KIND },
  required: ['id', 'kind'],
};
const INPUT = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 9 },
    points: { type: 'number', default: 10 },
  },
  required: ['title'],
};
const PARAMETER = { name: 'Key', in: 'header', required: false, schema: { type: 'string' } };
const TOKEN = { type: 'http', scheme: 'bearer' };
const REF = { $ref: '#/components/schemas/Thing' };
const INPUT_REF = { $ref: '#/components/schemas/Input' };

/** A small API, of which each example changes one part. */
function api({
  input = INPUT as Json,
  thing = THING as Json,
  answer = REF as Json,
  ...change
}: Json = {}): Json {
  const operation = {
    operationId: 'putThing',
    security: [{ token: [] }],
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }, PARAMETER],
    requestBody: { required: true, ...json(INPUT_REF) },
    responses: { 200: json(answer), 404: json({ type: 'object' }) },
    ...change.operation,
  };
  return {
    servers: [{ url: '/api' }],
    paths: { '/things/{id}': { put: operation }, '/more': { get: { responses: {} } }, ...change.paths },
    components: { schemas: { Input: input, Thing: thing }, securitySchemes: { token: TOKEN } },
    ...change.document,
  };
}

const withInput = (properties: Json, required = INPUT.required) =>
  api({ input: { ...INPUT, properties: { ...INPUT.properties, ...properties }, required } });

const withThing = (properties: Json, required = THING.required) =>
  api({ thing: { ...THING, properties: { ...THING.properties, ...properties }, required } });

const withParameters = (...parameters: Json[]) =>
  api({ operation: { parameters: [api().paths['/things/{id}'].put.parameters[0], ...parameters] } });

const put = 'put /things/{id}';

describe('A change of the REST API', () => {
  it('is none when only prose, examples, order and the names of schemas and path parameters change', () => {
    const { '/things/{id}': thing, ...rest } = api().paths;
    const renamed = JSON.parse(
      JSON.stringify(api({ paths: { ...rest, '/things/{thingId}': thing } })).replaceAll('/Thing"', '/Item"'),
    );
    delete renamed.paths['/things/{id}'];
    const { Thing, Input } = renamed.components.schemas;
    renamed.components.schemas = { Input: { ...Input, description: 'In.', example: {} }, Item: Thing };
    expect(apiChangesBetween(api(), renamed)).toEqual(NONE);
  });

  it.each<[string, Json, string]>([
    ['a path goes', api({ paths: { '/more': {} } }), 'get /more was removed.'],
    [
      'a method becomes another',
      api({ paths: { '/more': { get: { responses: {} } }, '/things/{id}': {} } }),
      `${put} was removed.`,
    ],
    ['a status goes', api({ operation: { responses: { 200: json(REF) } } }), `${put} 404 was removed.`],
    [
      'a property of an answer goes',
      api({ thing: { ...THING, properties: { id: { type: 'integer' } } } }),
      'Thing.kind was removed.',
    ],
    ['a property of an answer may be missing', withThing({}, ['id']), 'Thing.kind is not always there now.'],
    [
      'a property of an answer may be null',
      withThing({ id: { type: ['integer', 'null'] } }),
      'Thing.id has changed its type from "integer" to ["integer","null"].',
    ],
    [
      'a property of an answer may have a fraction',
      withThing({ id: { type: 'number' } }),
      'Thing.id has changed its type from "integer" to "number".',
    ],
    [
      'a property of an answer may have any value',
      withThing({ kind: { type: 'string' } }),
      'Thing.kind has changed its enum from ["A","B"] to none.',
    ],
    [
      'a whole answer may be null',
      api({ answer: { anyOf: [REF, { type: 'null' }] } }),
      'Thing has changed its type from "object" to ["object","null"].',
    ],
    [
      'an answer is another media type',
      api({ operation: { responses: { 200: { content: {} }, 404: json({ type: 'object' }) } } }),
      `${put} 200 as application/json was removed.`,
    ],
    [
      'a new property is required',
      withInput({ unit: { type: 'string' } }, ['title', 'unit']),
      'Input.unit was added and is required.',
    ],
    ['a property becomes required', withInput({}, ['title', 'points']), 'Input.points is required now.'],
    [
      'a property would no longer be looked at',
      api({ input: { ...INPUT, properties: { title: INPUT.properties.title } } }),
      'Input.points was removed.',
    ],
    [
      'a text may be less long',
      withInput({ title: { type: 'string', minLength: 1, maxLength: 8 } }),
      'Input.title has changed its maxLength from 9 to 8.',
    ],
    [
      'a text must be longer',
      withInput({ title: { type: 'string', minLength: 2, maxLength: 9 } }),
      'Input.title has changed its minLength from 1 to 2.',
    ],
    [
      'a number gets a limit',
      withInput({ points: { type: 'number', default: 10, maximum: 99 } }),
      'Input.points has changed its maximum from none to 99.',
    ],
    [
      'a number must be whole',
      withInput({ points: { type: 'integer', default: 10 } }),
      'Input.points has changed its type from "number" to "integer".',
    ],
    ['a header goes', withParameters(), `${put} header key was removed.`],
    [
      'a header becomes required',
      withParameters({ ...PARAMETER, required: true }),
      `${put} header key is required now.`,
    ],
    [
      'a new header is required',
      withParameters(PARAMETER, { ...PARAMETER, name: 'Other', required: true }),
      `${put} header other was added and is required.`,
    ],
    [
      'a header has to have a form',
      withParameters({ ...PARAMETER, schema: { type: 'string', pattern: '^a' } }),
      `${put} header key has changed its pattern from none to "^a".`,
    ],
    [
      'a body becomes required',
      api({ paths: { '/more': { get: { responses: {}, requestBody: { required: true } } } } }),
      'get /more body was added and is required.',
    ],
    [
      'a token becomes necessary',
      api({ paths: { '/more': { get: { responses: {}, security: [{ token: [] }] } } } }),
      'get /more has changed the token it needs.',
    ],
    [
      'the whole API moves',
      api({ document: { servers: [{ url: '/v2' }] } }),
      'The address of the API was changed.',
    ],
  ])('is breaking when %s', (_what, next, sentence) => {
    expect(apiChangesBetween(api(), next)).toEqual({ ...NONE, breaking: [sentence] });
  });

  it.each<[string, Json, string]>([
    [
      'a default changes',
      withInput({ points: { type: 'number', default: 5 } }),
      'Input.points has changed its default from 10 to 5.',
    ],
    [
      'a default changes, however it is said',
      withInput({ points: { type: 'number', 'x-default': 5 } }),
      'Input.points has changed its default from 10 to 5.',
    ],
    [
      'an answer may have a new value',
      withThing({ kind: { ...KIND, enum: ['A', 'B', 'C'] } }),
      'Thing.kind has changed its enum from ["A","B"] to ["A","B","C"].',
    ],
    [
      'generated clients would call it otherwise',
      api({ operation: { operationId: 'changeThing' } }),
      `${put}: the operation putThing is called changeThing now.`,
    ],
  ])('is named when it may surprise: %s', (_what, next, sentence) => {
    expect(apiChangesBetween(api(), next)).toEqual({ ...NONE, surprising: [sentence] });
  });

  it.each<[string, Json, string]>([
    ['a path', api({ paths: { '/new': { get: { responses: {} } } } }), 'get /new was added.'],
    [
      'a property of an answer',
      withThing({ more: { type: 'string' } }, ['id', 'kind', 'more']),
      'Thing.more was added.',
    ],
    ['an optional property', withInput({ unit: { type: 'string' } }), 'Input.unit was added.'],
    ['a property that is optional now', withInput({}, []), 'Input.title is optional now.'],
    [
      'a longer text',
      withInput({ title: { type: 'string', minLength: 1, maxLength: 99 } }),
      'Input.title has changed its maxLength from 9 to 99.',
    ],
    [
      'null where it was refused',
      withInput({ points: { type: ['number', 'null'], default: 10 } }),
      'Input.points has changed its type from "number" to ["number","null"].',
    ],
    [
      'a status',
      api({ operation: { responses: { 200: json(REF), 404: json({ type: 'object' }), 429: json({}) } } }),
      `${put} 429 was added.`,
    ],
    [
      'an optional header',
      withParameters(PARAMETER, { ...PARAMETER, name: 'Other' }),
      `${put} header other was added.`,
    ],
    ['a way without a token', api({ operation: { security: [] } }), `${put} needs no token any more.`],
  ])('is listed when it only adds: %s', (_what, next, sentence) => {
    expect(apiChangesBetween(api(), next)).toEqual({ ...NONE, added: [sentence] });
  });

  it('is found in what lists and objects hold', () => {
    const nested = (type: string) => {
      const inner = { type: 'object', properties: { x: { type } }, required: ['x'] };
      return api({ answer: { type: 'array', items: inner } });
    };
    expect(apiChangesBetween(nested('integer'), nested('string')).breaking).toEqual([
      `${put} 200[].x has changed its type from "integer" to "string".`,
    ]);
  });

  it('counts in both directions where one schema is both sent and answered: wider breaks readers, narrower breaks senders', () => {
    const both = (schema: Json) => api({ thing: schema, input: schema, answer: INPUT_REF });
    const [short, long] = [5, 9].map((maxLength) => both({ type: 'string', maxLength }));
    for (const [released, next] of [
      [short, long],
      [long, short],
    ]) {
      const { breaking, added } = apiChangesBetween(released, next);
      expect([breaking.length, added.length]).toEqual([1, 1]);
    }
  });
});

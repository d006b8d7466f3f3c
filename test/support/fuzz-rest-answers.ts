import { operationsIn } from './api-document.js';
import { assertKeepsSecrets, assertTellsNothing, type Scene } from './fuzz.js';
import type { RawAnswer, RawRequest } from './fuzz-http.js';
import type { Schema } from './fuzz-values.js';

/** An endpoint as the API document describes it. */
export interface Operation {
  endpoint: string;
  method: string;
  path: string;
  parameters: { name: string; in: string; required: boolean; schema: Schema }[];
  body?: { properties: Record<string, Schema>; required: string[] };
  responses: Record<string, { content: { 'application/json': { schema: Schema } } }>;
}

/** What the API document says, in a form that can be asked. */
export class Api {
  readonly operations: Operation[];

  constructor(private readonly document: Schema) {
    this.operations = operationsIn(document)
      // Files have no properties to vary, and check-in links answer with a page unless they are asked for JSON.
      .filter(({ isOfFile, endpoint }) => !isOfFile && !endpoint.includes(' /check-in/'))
      .map(({ endpoint, method, address, parameters, requestBody, responses }) => ({
        endpoint,
        method,
        path: address,
        parameters,
        body: requestBody && this.resolved(requestBody.content['application/json'].schema),
        responses,
      }));
  }

  /** Throws where a value is not what its schema says, and learns the ids in it. */
  match(given: Schema, value: unknown, scene: Scene, place = '$'): void {
    const schema = this.resolved(given);
    if (schema.anyOf) {
      this.matchAny(schema.anyOf, value, scene, place);
      return;
    }
    const assert = (isRight: boolean) => {
      if (!isRight) throw new Error(`${place} is not what the API document says: ${JSON.stringify(value)}`);
    };
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    const types: string[] = [schema.type].flat();
    assert(types.includes(type) || (types.includes('integer') && Number.isSafeInteger(value)));
    if (typeof value === 'string') {
      assert(!schema.enum || schema.enum.includes(value));
      assert(!schema.format || FORMATS[schema.format]?.test(value) === true);
    }
    if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) this.match(schema.items, each, scene, `${place}[${at}]`);
    } else if (typeof value === 'object' && value !== null) {
      const fields = new Map(Object.entries(value));
      const keys = Object.keys(schema.properties);
      assert(`${[...fields.keys()]}` === `${keys}`);
      for (const key of keys) this.match(schema.properties[key], fields.get(key), scene, `${place}.${key}`);
      const id: unknown = fields.get('id');
      if (given.$ref && typeof id === 'number') scene.learn(given.$ref, id);
      if (id === scene.user.id && fields.has('email')) scene.email = fields.get('email');
    }
  }

  private matchAny(schemas: Schema[], value: unknown, scene: Scene, place: string): void {
    const errors = schemas.map((each) => {
      try {
        this.match(each, value, scene, place);
        return undefined;
      } catch (error) {
        return error;
      }
    });
    if (!errors.includes(undefined)) throw errors[0];
  }

  private resolved(schema: Schema): Schema {
    return schema.$ref ? this.document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  }
}

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** What HTTP says before any endpoint is asked. */
const BY_HTTP = [400, 404, 408, 413, 415, 417, 431];

/** Throws unless it is a good answer: whatever was asked, and the more so if an endpoint was. */
export function judge(
  api: Api,
  operation: Operation | null,
  { method, headers }: RawRequest,
  { status, headers: told, text }: RawAnswer,
  scene: Scene,
): void {
  assertKeepsSecrets(text, scene);
  const hasCondition = headers.some(([name]) => name === 'if-none-match');
  const isEmpty = method === 'HEAD' || (method === 'OPTIONS' && status === 204);
  if (text === '' && (isEmpty || (status === 304 && hasCondition))) return;

  const type = told.get('content-type');
  if (type !== 'application/json; charset=utf-8') throw new Error(`An answer of the type ${type}`);
  const body: unknown = JSON.parse(text);
  if (status >= 400) assertRefusal(status, body);
  if (!operation) return;
  const documented = operation.responses[status];
  if (!documented && !BY_HTTP.includes(status))
    throw new Error('A status that the API document does not know');
  if (status < 400) api.match(documented?.content['application/json'].schema, body, scene);
}

const UNAVAILABLE = ['Service unavailable, nothing was changed', 'The outcome is unknown'];

function assertRefusal(status: number, body: unknown): void {
  const { error, ...more } = Object(body);
  if (typeof error !== 'string' || Object.keys(more).length > 0 || !/^\p{Lu}[^\n]+$/u.test(error))
    throw new Error('A refusal that is not one sentence');
  assertTellsNothing(error);
  if (status >= 500 && !(status === 503 && UNAVAILABLE.includes(error)))
    throw new Error('A fault of the service');
}

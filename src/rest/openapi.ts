import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { ReasonTable } from '../base/errors.js';
import { manifest } from '../base/files/project.js';
import { describeInput, type InputProperty, idSchema, type JsonSchema } from '../base/validation.js';
import { ERROR_REASON, IGNORED_FIELDS } from '../http/answers.js';
import { formRefusals } from '../http/server.js';
import { errorResponsesOf, sharedHeader, sharedHeaders } from './documented-errors.js';
import {
  type AnyRoute,
  FIRST_ID,
  IMPORT_TYPES,
  isDownload,
  isLink,
  isUpload,
  type Names,
  pathBelowApi,
  type Route,
} from './route.js';
import { descriptionOf, propertyDescriptionOf } from './serializer.js';

type Json = Record<string, unknown>;

type Body = new () => object;

/** The route table as an OpenAPI 3.1 document. */
export function documentOf(routes: AnyRoute[], reasons: ReasonTable, publicPath = ''): Json {
  const schemas: Record<string, JsonSchema> = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = pathBelowApi(route).replaceAll(PARAMETER, '{$1}');
    paths[path] = { ...paths[path], [route.method]: withReferences(operationOf(route), schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Steady', ...about() },
    servers: [{ url: `${publicPath}/api` }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      headers: withReferences(sharedHeaders(reasons), schemas),
      securitySchemes: { token: TOKEN },
    },
  };
}

const TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'The `token` in the response to sign-up or log-in, or an API token with the scope that the operation names.',
};

const PARAMETER = /:(\w+)/g;

function about() {
  const { version, description } = manifest();
  return { version, description: `${description}\n\n${BESIDES}\n\n${OTHER_ERRORS}` };
}

const BESIDES =
  'REST makes and changes tasks, records completions, and has challenges and the profile. GraphQL has all else: it lists completions and takes them back, reads one task, and takes idempotency keys for new tasks, which REST does not.';

/** Errors of the HTTP server, which knows no operations. */
const OTHER_ERRORS = `Every error has the same form, and its reason in the header \`${ERROR_REASON}\`. Besides those listed for an operation, any request may be refused for its form:

${Object.values(formRefusals)
  .map(([status, error]) => `- ${status} \`${JSON.stringify({ error })}\``)
  .join('\n')}

A method that a path does not have is refused with 405, such as \`{"error":"Use POST here"}\`, and the header \`Allow\` names those that it has. A body may have 262,144 bytes.`;

/** The first part of its path. */
const tagOf = (route: AnyRoute) => pathBelowApi(route).split('/')[1] ?? '';

type Described = Pick<Route, 'idOf' | 'body' | 'names' | 'headers'>;

function operationOf(route: AnyRoute): Json {
  const { path, summary, access } = route;
  const described: Partial<Described> = isDownload(route) || isUpload(route) ? {} : route;
  const { idOf, body, names, headers } = described;
  const ofPath = isLink(route) ? TOKEN_OF_LINK : { ...idSchema, description: `The id of the ${idOf}.` };
  const inputs = body ? inputsOf(body) : [];
  const headerOf = outerNames(headers);
  const inHeaders = inputs.filter(({ name }) => headerOf.has(name));
  const inBody = inputs.filter(({ name }) => !headerOf.has(name));
  return {
    operationId: operationIdOf(route),
    summary,
    tags: [tagOf(route)],
    security: access === 'OPEN' ? [] : [{ token: [access] }],
    parameters: [
      ...[...path.matchAll(PARAMETER)].map(([, name]) => ({
        ...parameter('path', name, ofPath),
        ...(!isLink(route) && { example: FIRST_ID }),
      })),
      ...inHeaders.map(({ name, schema, isOptional }) =>
        parameter('header', headerOf.get(name), schema, !isOptional),
      ),
      ...Object.entries(isUpload(route) ? route.query : {}).map(([name, { description, schema }]) =>
        parameter('query', name, { description, ...schema }, false),
      ),
    ],
    requestBody: isUpload(route)
      ? {
          required: true,
          content: {
            ...fileOf(IMPORT_TYPES[0], route.example.body),
            [IMPORT_TYPES[1]]: { schema: { type: 'string', format: 'binary' } },
          },
        }
      : body && {
          required: inBody.some(({ isOptional }) => !isOptional),
          content: jsonOf(objectOf(body, inBody, outerNames(names)), exampleIn(route, outerNames(names))),
        },
    responses: responsesOf(route),
  };
}

/** The rules of each property, with what GraphQL says about it. */
const inputsOf = (body: Body) =>
  describeInput(body).map((input) => {
    const description = propertyDescriptionOf(body, input.name);
    return { ...input, schema: { description, ...input.schema } };
  });

const TOKEN_OF_LINK = { type: 'string', description: 'The last part of the address of the link.' };

/** `put /tasks/:taskId` → `putTasksByTaskId` */
const operationIdOf = (route: AnyRoute) =>
  `${route.method}${pathBelowApi(route).replaceAll(PARAMETER, 'by-$1')}`.replaceAll(
    /[/.-](\w)/g,
    (_all, first) => first.toUpperCase(),
  );

/** The JSON keys or headers of properties that have another name outside. */
const outerNames = (names: Names = {}) =>
  new Map(Object.entries(names).map(([outer, property]) => [property, outer]));

const parameter = (
  place: string,
  name: string | undefined,
  { description, ...schema }: JsonSchema,
  required = true,
) => ({ name, in: place, description, required, schema });

function objectOf(body: Body, inputs: InputProperty[], keys: Map<string, string>): JsonSchema {
  const keyOf = ({ name }: InputProperty) => keys.get(name) ?? name;
  return {
    title: body.name,
    description: descriptionOf(body),
    type: 'object',
    properties: Object.fromEntries(inputs.map((input) => [keyOf(input), schemaOf(input)])),
    required: inputs.filter(({ isOptional }) => !isOptional).map(keyOf),
  };
}

const schemaOf = ({ schema, isNullable, default: absent }: InputProperty): JsonSchema => ({
  ...schema,
  type: isNullable ? [schema.type, 'null'] : schema.type,
  ...(absent !== undefined && defaultOf(absent, schema)),
});

/** Not by the keyword `default`: generators of types then take the property to be always there. */
const defaultOf = (value: unknown, { description }: JsonSchema) => ({
  description: `${description} ${JSON.stringify(value)} when left out.`,
  'x-default': value,
});

const responsesOf = (route: AnyRoute): Json => ({
  ...errorResponsesOf(route),
  [route.status]: {
    description: STATUS_CODES[route.status],
    ...('body' in route && { headers: { ...sharedHeader(IGNORED_FIELDS), ...answerHeadersOf(route) } }),
    content: isDownload(route)
      ? fileOf(route.type.split(';', 1)[0] ?? '', route.example.answer)
      : jsonOf(route.answer.schema, route.example.answer),
  },
});

const answerHeadersOf = (route: AnyRoute): Json =>
  Object.fromEntries(
    Object.entries('answerHeaders' in route ? (route.answerHeaders ?? {}) : {}).map(
      ([name, { description, schema }]) => [name, { description, schema }],
    ),
  );

const fileOf = (type: string, example: unknown) => ({
  [type]: { schema: { type: type === 'application/json' ? 'object' : 'string' }, example },
});

/** Without an example, the page makes one up, which the rules refuse. */
function exampleIn({ example: { body } }: AnyRoute, keys: Map<string, string>): Json | undefined {
  return (
    body && Object.fromEntries(Object.entries(body).map(([name, value]) => [keys.get(name) ?? name, value]))
  );
}

const jsonOf = (schema: JsonSchema, example?: unknown) => ({ 'application/json': { schema, example } });

/**
 * Moves every schema with a title to `schemas` and replaces it by a reference. Leaves examples alone: they may
 * contain a title.
 */
function withReferences(node: unknown, schemas: Record<string, JsonSchema>): unknown {
  if (Array.isArray(node)) return node.map((item) => withReferences(item, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const { title, ...rest } = node as { title?: unknown };
  if (typeof title !== 'string') {
    return Object.fromEntries(
      Object.entries(node).map(([key, value]) => [
        key,
        key === 'example' || key === 'examples' ? value : withReferences(value, schemas),
      ]),
    );
  }
  const described = withReferences(rest, schemas) as JsonSchema;
  if (!isDeepStrictEqual(schemas[title] ?? described, described)) {
    throw new Error(`Two schemas are called ${title}`);
  }
  schemas[title] = described;
  return { $ref: `#/components/schemas/${title}` };
}

import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { declaredApi, declaredSchema } from '../../src/app.js';
import { operationsIn } from './api-document.js';
import type { Result } from './live.js';
import type { Answer, RestClient } from './world.js';

// Every operation of both APIs with requests for it, made from the two descriptions, so that whatever is new is asked too.

/** Chooses one of several. */
export type Draw = <T>(options: readonly T[]) => T;

/** What may be left out usually is. */
const SELDOM = [false, false, false, true];

/** The first option is always the plainest that is right. */
export const plainly: Draw = (options) => options[0] as (typeof options)[number];

/** Who asks: knows ids by kind, such as `task`. */
export interface Asker {
  idOf: (kind: string, draw: Draw) => unknown;
  email: (draw: Draw) => unknown;
}

type Value = (asker: Asker, draw: Draw) => unknown;

/** Where a value is put in. */
export interface Place {
  name: string;
  isRequired: boolean;
  value: Value;
  /** The word for what it is an id of; empty where its name says none. */
  kind?: string;
  isList?: boolean;
  /** What is put into an object that is put in. */
  fields: Place[];
  isOneOf?: boolean;
}

export interface Request {
  method: string;
  path: string;
  body?: string;
}

export interface Operation {
  /** `POST /tasks`, `Mutation.createTask` */
  name: string;
  isOpen: boolean;
  places: Place[];
  /** By places, which are given as JSON; `draw` chooses what GraphQL shows. */
  request: (given: ReadonlyMap<string, string>, asker: Asker, draw: Draw) => Request;
  /** By status; of REST only. */
  responses: Record<string, { content: { 'application/json': { schema: Result } } }>;
}

export const send = (rest: RestClient, { method, path, body }: Request, headers = {}): Promise<Answer> =>
  rest.send(method, path, body, headers);

/** A value for each place that needs one, and for others as they are drawn. */
export const valuesFor = (places: Place[], asker: Asker, draw: Draw): Map<string, string> =>
  new Map(
    places.flatMap(({ name, isRequired, value }) =>
      isRequired || draw(SELDOM) ? [[name, JSON.stringify(value(asker, draw))]] : [],
    ),
  );

/** The same with something else in one place, or in one field of what is put in there. */
export function requestWith(operation: Operation, asker: Asker, place: Place, field: Place, put: unknown) {
  const around = field !== place && [place.value(asker, plainly)].flat()[0];
  const whole = field === place ? put : { ...Object(around), [field.name]: put };
  const values = valuesFor(operation.places, asker, plainly);
  values.set(place.name, JSON.stringify(place.isList ? [whole] : whole));
  return operation.request(values, asker, plainly);
}

export const plainRequest = (operation: Operation, asker: Asker): Request =>
  operation.request(valuesFor(operation.places, asker, plainly), asker, plainly);

const objectOf =
  (fields: Place[], isOneOf: boolean): Value =>
  (asker, draw) => {
    const chosen = isOneOf ? [draw(fields)] : fields.filter(({ isRequired }) => isRequired || draw(SELDOM));
    return Object.fromEntries(chosen.map(({ name, value }) => [name, value(asker, draw)]));
  };

/** The word for a row by the name of a column, a path or a field: `task_id`, `/tasks/{id}` and `updateTask` are of a task. */
const KINDS = 'task completion challenge template pause link channel calendar token webhook'.split(' ');
export const kindIn = (text: string) =>
  KINDS.filter((kind) => text.toLowerCase().includes(kind)).sort(
    (one, other) => text.toLowerCase().lastIndexOf(other) - text.toLowerCase().lastIndexOf(one),
  )[0];

const TEXTS: Record<string, string[]> = {
  from: ['2026-11-20', '2026-11-01', '2026-12-24'],
  to: ['2026-11-22', '2026-11-30'],
  until: ['2026-12-31'],
  day: ['2026-11-21', '2026-11-20'],
  time: ['08:00', '23:59'],
  instant: ['2026-11-20T13:00:00.000Z', '2026-11-21T12:00:00.000Z'],
  password: ['secret1'],
  uri: ['https://example.com/a', 'https://example.com/é?a=1#b'],
  icon: ['🏊', '👩‍👩‍👧', 'é'],
  unit: ['glasses', 'km', '水'],
  topic: ['steady'],
  text: ['Swim', 'é', '😀 \u202e', 'x'.repeat(200), '  two  words '],
};

/** Texts that fit the name of a place and the format that is told of it. */
function textFor(name: string, format = ''): Value {
  if (/^e-?mail|newEmail/i.test(name)) return (asker, draw) => asker.email(draw);
  const told = [
    [/password/i, 'password'],
    [/picture|url/i, 'uri'],
    [/^DateTime|^at$/, 'instant'],
    [/^Date$/, 'day'],
    [/Time|reminder/i, 'time'],
  ] as const;
  const found = told.find(([pattern]) => pattern.test(format) || pattern.test(name))?.[1] ?? 'text';
  const kind = name in TEXTS ? name : found;
  return (_asker, draw) => draw(TEXTS[kind] ?? []);
}

const isSpecial: Record<string, readonly unknown[]> = {
  timeZone: ['Europe/Berlin', 'Pacific/Auckland', 'UTC'],
  language: [null],
  first: [2, 1, 3],
  last: [3, 7],
  amount: [1, 2.5, 0.001, 1_000_000_000],
  points: [1, 0.1, 1_000_000_000],
  dayReminder: ['20:00', null],
};

function ofGraphql(name: string, type: GraphQLInputType, of: string): Omit<Place, 'name' | 'isRequired'> {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const { value, ...item } = ofGraphql(name, nullable.ofType, of);
    return {
      ...item,
      isList: true,
      value: (asker, draw) => (draw([1, 1, 2, 0]) === 1 ? [value(asker, draw)] : []),
    };
  }
  const named = getNamedType(type);
  const orNull = (value: Value): Value =>
    isNonNullType(type) ? value : (asker, draw) => (draw([0, 0, 0, 0, 0, 1]) ? null : value(asker, draw));
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields()).map((field) =>
      placeOf(field, isRequiredInputField(field), of),
    );
    return { fields, isOneOf: named.isOneOf, value: orNull(objectOf(fields, named.isOneOf)) };
  }
  const options = isSpecial[name];
  if (options) return { fields: [], value: (_asker, draw) => draw(options) };
  if (isEnumType(named)) {
    const names = named.getValues().map((each) => each.name);
    return { fields: [], value: orNull((_asker, draw) => draw(names)) };
  }
  if (named.name === 'ID') {
    const kind = kindIn(name) ?? kindIn(of) ?? '';
    return { fields: [], kind, value: orNull((asker, draw) => String(asker.idOf(kind, draw) ?? '1')) };
  }
  if (/^(Int|Float)$/.test(named.name))
    return { fields: [], value: orNull((_asker, draw) => draw([2, 1, 3])) };
  if (named.name === 'Boolean') return { fields: [], value: orNull((_asker, draw) => draw([true, false])) };
  if (name === 'after') return { fields: [], value: (asker, draw) => asker.idOf('cursor', draw) ?? null };
  return { fields: [], value: orNull(textFor(name, named.name)) };
}

const placeOf = (
  { name, type }: GraphQLArgument | GraphQLInputField,
  isRequired: boolean,
  of: string,
): Place => ({ name, isRequired, ...ofGraphql(name, type, of) });

type Field = GraphQLField<unknown, unknown>;

/** Given to a field below the root, where it has it. */
const GIVEN: Record<string, string> = { first: '2', last: '3', period: 'WEEK' };

const given = ({ args }: Field) => {
  const all = args.flatMap(({ name }) => (name in GIVEN ? [`${name}: ${GIVEN[name]}`] : []));
  return all.length > 0 ? `(${all.join(', ')})` : '';
};

/** What is read of an object, and of what hangs on it as deep as that; nothing leads back to where it came from. */
function selectionOf(type: GraphQLObjectType, draw: Draw, depth: number, above: string[] = []): string {
  const parts = Object.values(type.getFields()).flatMap((field) => {
    const below = getNamedType(field.type);
    if (field.args.some((each) => isRequiredArgument(each) && !(each.name in GIVEN))) return [];
    if (isLeafType(below))
      return field.name === 'id' || draw([true, false]) ? [`${field.name}${given(field)}`] : [];
    if (!isObjectType(below) || depth === 0 || above.includes(below.name) || !draw([true, false])) return [];
    return [`${field.name}${given(field)} ${selectionOf(below, draw, depth - 1, [...above, type.name])}`];
  });
  return `{ __typename ${parts.join(' ')} }`;
}

export function graphqlOperations(schema: GraphQLSchema = declaredSchema()): Operation[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map((field): Operation => {
      const isNeeded = (each: GraphQLArgument) => isRequiredArgument(each) || each.name === 'password'; // of who has one
      const places = field.args.map((each) => placeOf(each, isNeeded(each), field.name));
      const type = getNamedType(field.type) as GraphQLObjectType;
      return {
        name: `${root?.name}.${field.name}`,
        isOpen: false,
        places,
        request: (values, _asker, draw) => {
          const args = field.args.filter(({ name }) => values.has(name));
          const declared = args.map((each) => `$${each.name}: ${each.type}`).join(', ');
          const used = args.map(({ name }) => `${name}: $${name}`).join(', ');
          const query = `${root?.name.toLowerCase()} ${declared && `(${declared})`} { ${field.name}${used && `(${used})`} ${selectionOf(type, draw, draw([2, 1, 0, 3]))} }`;
          const variables = [...values].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join();
          const body = `{"query":${JSON.stringify(query)},"variables":{${variables}}}`;
          return { method: 'POST', path: '/graphql', body };
        },
        responses: {},
      };
    }),
  );
}

function ofJsonSchema(name: string, schema: Result, path: string): Omit<Place, 'name' | 'isRequired'> {
  const types: string[] = [schema.type].flat();
  const orNull = (value: Value): Value =>
    types.includes('null') ? (asker, draw) => (draw([0, 0, 0, 0, 1]) ? null : value(asker, draw)) : value;
  const plain = (options: readonly unknown[]) => ({
    fields: [],
    value: orNull((_asker, draw) => draw(options)),
  });
  if (schema.enum) return plain(schema.enum);
  if (name in isSpecial) return plain(isSpecial[name] ?? []);
  if (types.includes('integer')) {
    const kind = kindIn(name) ?? kindIn(path) ?? '';
    return { fields: [], kind, value: orNull((asker, draw) => asker.idOf(kind, draw) ?? 1) };
  }
  if (types.includes('boolean')) return plain([true, false]);
  if (types.includes('number')) return plain([1, 0.1, schema.maximum ?? 1_000_000_000]);
  if (schema.pattern) return plain(['a', 'a'.repeat(200)]);
  return { fields: [], value: orNull(textFor(name, schema.format)) };
}

// biome-ignore lint/suspicious/noExplicitAny: the document is as wide as JSON
export const schemaIn = (document: any, { $ref, ...own }: Result): Result =>
  $ref ? document.components.schemas[$ref.split('/').at(-1)] : own;

/** But those of files, which have no properties to vary. */
export function restOperations(document: Result = declaredApi()): Operation[] {
  return operationsIn(document)
    .filter(({ isOfFile, endpoint }) => !isOfFile && !endpoint.includes(' /check-in/'))
    .map(({ endpoint, method, address, parameters, requestBody, responses, security }) => {
      const body = requestBody && schemaIn(document, requestBody.content['application/json'].schema);
      const inBody = Object.entries<Result>(body?.properties ?? {}).map(([name, schema]) => ({
        name,
        isRequired: body.required?.includes(name) ?? false,
        ...ofJsonSchema(name, schema, address),
      }));
      const inPath = (parameters as Result[])
        .filter((each) => each.in === 'path')
        .map(({ name, schema }) => ({ name, isRequired: true, ...ofJsonSchema(name, schema, address) }));
      return {
        name: endpoint,
        isOpen: security.length === 0,
        places: [...inPath, ...inBody],
        request: (values) => {
          const path = inPath.reduce(
            (made, { name }) => made.replace(`{${name}}`, values.get(name) ?? ''),
            address,
          );
          const members = [...values].filter(([name]) => !inPath.some((each) => each.name === name));
          const text = `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`;
          return { method, path, ...(body && { body: text }) };
        },
        responses,
      };
    });
}

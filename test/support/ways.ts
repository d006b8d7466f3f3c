import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { expect } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { streamOf } from './live.js';
import type { Answer, TestUser, World } from './world.js';

type Field = GraphQLField<unknown, unknown>;

const schema = declaredSchema();

/** What is asked of a user who has two of everything. */
export interface Known {
  here: World;
  ana: TestUser;
  task: number;
  other: number;
  completion: number;
  challenge: number;
  /** With a schedule of so many times a week, a target and an amount that was done. */
  planned: number;
  /** Archived. */
  old: number;
  /** A task of somebody else. */
  foreign: number;
}

export type Way = (known: Known) => Promise<Answer>;

const GIVEN: Record<string, string> = {
  from: '"2026-11-01"',
  to: '"2026-11-30"',
  period: 'MONTH',
  first: '1',
};

const argumentsOf = ({ args }: Field) => {
  const given = args.flatMap(({ name }) => (GIVEN[name] ? [`${name}: ${GIVEN[name]}`] : []));
  return given.length > 0 ? `(${given.join(', ')})` : '';
};

const isAskable = ({ args }: Field) =>
  args.every((argument) => !isRequiredArgument(argument) || argument.name in GIVEN);

/** All that can be read of an object, and of what hangs on it. */
function selectionOf(type: GraphQLObjectType, above: string[] = []): string {
  const parts = Object.values(type.getFields()).flatMap((field) => {
    const below = getNamedType(field.type);
    if (!isAskable(field)) return [];
    if (isLeafType(below)) return [field.name];
    if (!isObjectType(below) || above.includes(below.name) || above.length > 3) return [];
    const inside = selectionOf(below, [...above, type.name]);
    return inside ? [`${field.name}${argumentsOf(field)} ${inside}`] : [];
  });
  return parts.length > 0 ? `{ ${parts.join(' ')} }` : '';
}

export function documentOf(kind: 'query' | 'mutation', name: string, given: string): string {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const type = getNamedType((root as GraphQLObjectType).getFields()[name]?.type) as GraphQLObjectType;
  return `${kind} { ${name}${given && `(${given})`} ${selectionOf(type)} }`;
}

/** Everything of that query or mutation. */
const all =
  (kind: 'query' | 'mutation', name: string, given: (known: Known) => string = () => ''): Way =>
  (known) =>
    known.ana.rest.post('/graphql', { query: documentOf(kind, name, given(known)) });

export const put =
  (path: (known: Known) => string, body?: object): Way =>
  (known) =>
    known.ana.rest.put(`/api${path(known)}`, body);

export const get =
  (path: string): Way =>
  ({ ana }) =>
    ana.rest.get(`/api${path}`);

export const post =
  (path: string, body: (known: Known) => object): Way =>
  (known) =>
    known.ana.rest.post(`/api${path}`, body(known));

export const query = (name: string, given?: (known: Known) => string) => all('query', name, given);
export const mutation = (name: string, given?: (known: Known) => string) => all('mutation', name, given);

/** The first page of a list, and a later one. */
export const pages = (name: string, given: (known: Known) => string): Way[] => [
  query(name, (known) => `first: 1 ${given(known)}`),
  async (known) => {
    const list = `${name}(first: 1 ${given(known)}) { edges { cursor } }`;
    const { cursor } = (await known.ana.query(`{ ${list} }`))[name].edges[0];
    return query(name, () => `first: 1 ${given(known)} after: "${cursor}"`)(known);
  },
];

/** What a subscription says of `work`. */
export const heard =
  (field: string, work: (known: Known) => Promise<Answer>): Way =>
  async (known) => {
    const stream = await streamOf(known.ana, `subscription { ${field} }`);
    const answer = await work(known);
    expect((await stream.next()).errors, field).toBeUndefined();
    stream.close();
    return answer;
  };

/** A later page of the list that hangs on one row. */
export const below =
  (row: (known: Known) => string, list: string, type: string): Way =>
  async (known) => {
    const first = await known.ana.query(`{ row: ${row(known)} { ${list}(first: 1) { edges { cursor } } } }`);
    const given = `first: 1, after: "${first.row[list].edges[0].cursor}"`;
    const inside = selectionOf(schema.getType(type) as GraphQLObjectType);
    return known.ana.rest.post('/graphql', { query: `{ ${row(known)} { ${list}(${given}) ${inside} } }` });
  };

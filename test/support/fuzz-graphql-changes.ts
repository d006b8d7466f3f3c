import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { MARK, MARKED_NUMBER, mix } from './fuzz.js';
import { anyOf, type Change, changing, messageChange } from './fuzz-messages.js';
import { lines, oddInPlace, oddJson } from './fuzz-values.js';

/** What goes with a document, each as JSON. */
export interface Operation {
  query: string;
  variables: Map<string, string>;
  /** In the place of all of them. */
  allVariables?: string;
  operationName?: string;
  extensions?: string;
}

type OperationChange = Change<Operation>;

type AnyChange = { ofMessage: Change } | { ofOperation: OperationChange };

/** Of all kinds, right nowhere or almost nowhere. */
const literals = [
  ...lines`
    null true -1 0 -0 01 1.5 1e400 ${MARKED_NUMBER} -${MARKED_NUMBER} 9007199254740993
    "" "${MARK}" "${MARK}\u0000" "${MARK}\ud800" "${MARK}\q" "${MARK} """${MARK}"\""" "2026-02-30" "0000-01-01"
    ${MARK} [${MARK}] ["${MARK}"] [] {} {a:"${MARK}"} {__proto__:{a:${MARK}}} ["a",["b",["c"]]] $nowhere $id
    "9999-12-31"
  `.flatMap((line) => line.split(' ')),
  `"${MARK.repeat(10_000)}"`,
];

const snippets = [
  ...['{', '}', '(', ')', '[', '$', '!', '@', '&', '|', '-', '#', '"', '"""', '...', '1', ', ,', '😀'],
  ...['\0', '\ufeff', '\u2028', '\ud800'],
  ...lines`
    on
    id
    query
    nowhere
    __typename
    "${MARK}"
    ...Nowhere
    ...A
    @skip(if: true)
    @include(if: false)
    @include(if: "${MARK}")
    @skip
    @deprecated
    @nowhere(a: 1)
    a: id
    id: __typename
    ... on Query { me { id } }
    __schema { types { name } }
    fragment A on User { ...A }
  `,
];

const many = (count: number, make: (number: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ');

/** Made for nothing good. */
const documents = [
  ...['', ' ', '\ufeff{ me { id } }', '{ me { id } }\0', '\u0007', getIntrospectionQuery()],
  ...lines`
    {
    {}
    #
    "
    ${MARK}
    query
    { me }
    { me { } }
    { me { id { id } } }
    { me { id } } extra
    { me { id } } 1
    { me { id } } "${MARK}"
    { me @skip { id } }
    { me @skip(if: true) @skip(if: true) { id } }
    { me { constructor } }
    { __proto__ }
    { nowhere { id } }
    { task { id } }
    { task(id: ) { id } }
    { task(id: 1, id: 2) { id } }
    { a: me { id } a: tasks { totalCount } }
    { __type(name: "${MARK}") { name } }
    { __schema { directives { args { defaultValue } } } }
    query A { me { id } } query B { me { name } }
    query A { me { id } } query A { me { id } }
    query Fuzz { me { id } } mutation B { abandonChallenge(id: 1) { challenge { id } } }
    query ($a: [[[[ID!]!]!]!]!) { me { id } }
    query ($a: User) { me { id } }
    query ($a: ID = $b) { me { id } }
    query ($a: ID!, $a: ID!) { task(id: $a) { id } }
    query ($id: ID! = null) { task(id: $id) { id } }
    query ($id: String) { task(id: $id) { id } }
    subscription { __typename }
    subscription { nowhere }
    subscription { progressChanged { kind } challengeChanged { id } }
    subscription { progressChanged @skip(if: true) { kind } }
    subscription Fuzz($a: Boolean!) { challengeChanged @include(if: $a) { id } }
    subscription { ...A } fragment A on Subscription { challengeChanged { id } }
    subscription { ...A } fragment A on Subscription { ...B } fragment B on Subscription { ...A }
    { ...A } fragment A on Query { ...B } fragment B on Query { ...A }
    { ...A } fragment A on Nowhere { id }
    fragment A on Query { me { id } }
    type A { b: Int }
    extend type Query { x: Int }
    schema { query: A }
    mutation { a: acceptChallenge(templateId: 1) { __typename } b: acceptChallenge(templateId: 2) { __typename } }
  `,
  `{ ${many(100, (at) => `a${at}: me { id }`)} }`,
  `{ me { ${many(2_500, () => 'id')} } }`,
  `{ ${'me { activeChallenge { template { '.repeat(30)}`,
  '{ tasks(first: 100) { nodes { completions(first: 100) { nodes { task { completions(first: 100) { totalCount } } } } } } }',
  `{ task(id: ${'['.repeat(1_980)}`,
  `{ task(id: ${'{ a: '.repeat(450)}1${' }'.repeat(450)}) { id } }`,
  `{ ...F0 } ${many(60, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`)} fragment F60 on Query { me { id } }`,
  `{ __schema { types { fields { type { ${'ofType { '.repeat(20)}name${' }'.repeat(20)} } } } } }`,
];

/** A value that holds no others, in a document or in JSON. */
const LEAF =
  /(?<=^|[:[(,] ?)("(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false|null|[A-Z]{4,}|\$\w+)(?=[,)}\]\s]|$)/g;

function withOther(text: string, number: number, otherFor: (leaf: string) => string): string {
  const leaf = anyOf([...text.matchAll(LEAF)], number);
  return leaf ? spliced(text, leaf.index, leaf[0].length, otherFor(leaf[0])) : text;
}

const types = ['ID', 'String!', '[ID!]!', 'Int', 'User', 'UpdateTaskInput!', 'Nowhere', '__Type'];

const persisted = (version: unknown, sha256Hash: unknown) =>
  JSON.stringify({ persistedQuery: { version, sha256Hash } });

const extensions = fc.oneof(
  fc.constantFrom<((query: string) => string)[]>(
    (query) => persisted(1, createHash('sha256').update(query).digest('hex')),
    () => persisted(1, MARK),
    () => persisted(2, MARK),
    () => persisted('1', 1),
    () => '{"persistedQuery":null}',
    () => '{"persistedQuery":[]}',
    () => '{"__proto__":{"persistedQuery":{}}}',
  ),
  oddJson.map((value) => () => value),
  oddJson.map((value) => () => `{"persistedQuery":${value}}`),
);

const spliced = (text: string, at: number, length: number, instead = '') =>
  text.slice(0, at) + instead + text.slice(at + length);

const some = fc.nat(2_000);

const operationChange = mix<OperationChange>(
  [
    8,
    changing(fc.tuple(some, some, oddInPlace), ({ variables }, [number, at, oddFor]) => {
      const name = anyOf([...variables.keys()], number);
      if (name !== undefined) variables.set(name, withOther(variables.get(name) ?? '', at, oddFor));
    }),
  ],
  [
    6,
    changing(fc.tuple(some, oddInPlace), (made, [number, oddFor]) => {
      made.query = withOther(made.query, number, oddFor);
    }),
  ],
  [
    3,
    changing(fc.tuple(some, fc.constantFrom(...literals)), (made, [number, literal]) => {
      made.query = withOther(made.query, number, () => literal);
    }),
  ],
  [
    3,
    changing(fc.tuple(some, fc.constantFrom(...snippets)), (made, [number, snippet]) => {
      const words = made.query.split(' ');
      words.splice(number % (words.length + 1), 0, snippet);
      made.query = words.join(' ');
    }),
  ],
  [
    2,
    changing(fc.tuple(some, fc.integer({ min: 1, max: 20 })), (made, [number, length]) => {
      made.query = spliced(made.query, number % (made.query.length + 1), length);
    }),
  ],
  [
    4,
    changing(fc.constantFrom(...documents), (made, document) => {
      made.query = document;
    }),
  ],
  [
    1,
    changing(some, (made, number) => {
      made.query = made.query.replace(/: [\w[\]!]+(?=[,)])/, `: ${anyOf(types, number)}`);
    }),
  ],
  [
    1,
    changing(some, ({ variables }, number) => {
      variables.delete(anyOf([...variables.keys()], number) ?? '');
    }),
  ],
  [
    2,
    changing(fc.tuple(fc.constantFrom('nowhere', '', '__proto__', 'id'), oddJson), ({ variables }, added) => {
      variables.set(...added);
    }),
  ],
  [
    1,
    changing(oddJson, (made, value) => {
      made.allVariables = value;
    }),
  ],
  [
    1,
    changing(fc.constantFrom('"Nowhere"', '""', '"__proto__"', 'null', '1', '[]', '{}'), (made, name) => {
      made.operationName = name;
    }),
  ],
  [
    2,
    changing(extensions, (made, make) => {
      made.extensions = make(made.query);
    }),
  ],
);

export const change = mix<AnyChange>(
  [5, operationChange.map((ofOperation) => ({ ofOperation }))],
  [2, messageChange.map((ofMessage) => ({ ofMessage }))],
);

export type Frame = string | Buffer;

/** What comes before an operation on a WebSocket. */
export const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.constantFrom<Frame[]>(
    '',
    ...lines`
      {
      {}
      []
      1
      null
      "${MARK}"
      {"type":1}
      {"type":"${MARK}"}
      {"type":"ping"}
      {"type":"ping","payload":1}
      {"type":"pong","payload":{"__proto__":1}}
      {"type":"connection_init"}
      {"type":"connection_ack"}
      {"type":"next","id":"a","payload":{}}
      {"type":"error","id":"a","payload":[]}
      {"type":"complete"}
      {"type":"complete","id":"nowhere"}
      {"type":"complete","id":"__proto__"}
      {"type":"subscribe"}
      {"type":"subscribe","id":1,"payload":{}}
      {"type":"subscribe","id":"","payload":{"query":"{ me { id } }"}}
      {"type":"subscribe","id":"a","payload":null}
      {"type":"subscribe","id":"a","payload":{"query":1}}
      {"type":"subscribe","id":"__proto__","payload":{"query":"{ me { id } }"}}
      {"type":"subscribe","id":"a","payload":{"query":"{ me { id } }","variables":[]}}
      {"type":"subscribe","id":"a","payload":{"query":"{ me { id } }","operationName":1,"extensions":1}}
    `,
    Buffer.from('{"type":"ping"}'),
    Buffer.from([0xff, 0xc0]),
    `{"type":"ping","payload":{"a":"${MARK.repeat(70_000)}"}}`,
  ),
  oddJson,
  oddJson.map((payload) => `{"type":"subscribe","id":"a","payload":${payload}}`),
  oddJson.map((payload) => `{"type":"connection_init","payload":${payload}}`),
  oddJson.map(
    (value) => `{"type":"subscribe","id":"a","payload":{"query":"{ me { id } }","variables":${value}}}`,
  ),
);

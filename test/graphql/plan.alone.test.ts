import fc from 'fast-check';
import { buildSchema, execute, GraphQLObjectType, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type Plan, planOf } from '../../src/graphql/execution.js';

const FIELDS = `
  number: Int word: String! flag: Boolean choice: Choice
  nothing: Int nothingRequired: Int! wrong: Int wrongRequired: Int! error: Int
  fails: Int failsRequired: Int! failsLater: Int failsLaterRequired: Int!
  same: Node! later: Node! nullable: Node laterNothing: Node laterNothingRequired: Node!
  nodes: [Node!]! nodesLater: [Node] words: [String!] holes: [Int!] holesAllowed: [Int] promises: [Int!]
  promisesFail: [Int] noList: [Int] promised: Int promisedFails: Int pair: [Int] pairRequired: [Int!] throwsText: Int someFail: [Int!] withArguments(first: Int = 3, after: String): Int`;

const schema = buildSchema(`
  enum Choice { ONE TWO }
  interface Named { word: String! }
  type Node { ${FIELDS} }
  type Other implements Named { word: String! }
  type Query { ${FIELDS} named: Named }
  type Mutation { ${FIELDS} }
`);

const later = async <T>(value: T): Promise<T> => value;
const failLater = () => Promise.reject(new Error('Later'));
const fail = () => {
  throw new Error('At once');
};
const node = {
  ...{ number: 7, word: 'a "word"', flag: false, choice: 'ONE', nothing: null, nothingRequired: null },
  ...{
    wrong: 'x',
    wrongRequired: {},
    error: new Error('As a value'),
    pair: [1, 'x'],
    pairRequired: [1, null],
  },
  get promised() {
    return later(4);
  },
  get promisedFails() {
    return failLater(); // anew for each reader
  },
};

const resolvers: Record<string, (source: unknown, given: Record<string, unknown>) => unknown> = {
  fails: fail,
  failsRequired: fail,
  throwsText: () => {
    throw 'Text'; // not an error
  },
  failsLater: failLater,
  failsLaterRequired: failLater,
  same: () => node,
  later: () => later(node),
  nullable: () => node,
  laterNothing: () => later(null),
  laterNothingRequired: () => later(null),
  nodes: () => [node, node],
  nodesLater: () => later([later(node), null, node]),
  words: () => new Set(['a', 'b']),
  holes: () => [1, null, 3],
  holesAllowed: () => [1, null, 'x'],
  promises: () => [later(1), 2],
  promisesFail: () => [failLater(), later(2), failLater()],
  noList: () => 5,
  someFail: () => [failLater(), null],
  withArguments: (_source, given) => Number(given.first) + String(given.after ?? '').length,
};
for (const type of Object.values(schema.getTypeMap())) {
  if (!(type instanceof GraphQLObjectType) || type.name.startsWith('__')) continue;
  for (const field of Object.values(type.getFields())) {
    const resolve = resolvers[field.name];
    if (!resolve) continue;
    field.resolve = (source, given) => {
      called.push(field.name);
      return resolve(source, given);
    };
  }
}

/** The resolvers, in the order in which they were called. */
let called: string[] = [];

const LEAVES = [
  ...'number word flag choice nothing nothingRequired wrong wrongRequired error fails'.split(' '),
  ...'failsRequired failsLater failsLaterRequired words holes holesAllowed promises'.split(' '),
  ...'promisesFail noList pair pairRequired promised promisedFails throwsText __typename'.split(' '),
  ...['withArguments', 'withArguments(first: $n)', 'withArguments(first: null, after: "xx")'],
];
const PARENTS = ['same', 'later', 'nullable', 'laterNothing', 'laterNothingRequired', 'nodes', 'nodesLater'];
const AROUND = ['... ', '... on Node ', '... @include(if: false) ', '... @skip(if: false) '];
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));

const { selection } = fc.letrec<{ selection: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    joined(fc.constantFrom('', 'a: ', 'b: '), fc.constantFrom(...LEAVES)),
    fc.constantFrom(...LEAVES),
    joined(fc.constantFrom(...PARENTS.map((parent) => `${parent} `)), tie('selection')),
    joined(fc.constantFrom(...AROUND), tie('selection')),
    fc.constant('...Parts'),
  ),
  selection: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map((parts) => `{ ${parts.join(' ')} }`),
}));

const documentOf = (kind: string, body: string) =>
  parse(
    `${kind} ($n: Int) ${body} fragment Parts on Node { word later { number failsLater } nodes { ...More } } fragment More on Node { flag failsRequired }`,
    { noLocation: false },
  );

function planFor(document: ReturnType<typeof parse>, most = 10_000): Plan | undefined {
  return planOf(schema, document, document.definitions[0] as OperationDefinitionNode, most);
}

/** As text, which keeps the order of fields, with the resolvers that it took. */
async function seen(carryOut: () => unknown) {
  called = [];
  const { data, errors } = JSON.parse(JSON.stringify(await carryOut()));
  return { data: JSON.stringify(data), errors, called };
}

const rootValue = node;
const variables = { n: 9 };

describe('The plan of an operation', () => {
  it.each(['query', 'mutation'])('gives what graphql-js gives, whatever fails in a %s', async (kind) => {
    await fc.assert(
      fc.asyncProperty(selection, async (body) => {
        const document = documentOf(kind, body);
        const plan = planFor(document);
        expect(plan).toBeDefined();
        const ours = await seen(() => plan?.carryOut({}, variables, rootValue));
        const theirs = await seen(() =>
          execute({ schema, document, rootValue, variableValues: variables, contextValue: {} }),
        );
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['introspection', '{ __schema { types { name } } }'],
    ['an abstract type', '{ named { word } }'],
    ['a condition that depends on a variable', '{ number @include(if: $n) }'],
    ['a key that an object cannot have', '{ __proto__: number }'],
  ])('is not made for %s', (_what, body) => {
    expect(planFor(documentOf('query', body))).toBeUndefined();
  });

  it('leaves no failure of an item unheard because another one fails at once', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on('unhandledRejection', hear);
    const answer = await planFor(documentOf('query', '{ someFail }'))?.carryOut({}, variables, rootValue);
    await new Promise(setImmediate);
    process.off('unhandledRejection', hear);
    expect(answer?.errors).toHaveLength(1);
    expect(unheard).toEqual([]);
  });

  it('is not made for more fields than it may have', () => {
    const document = documentOf('query', '{ same { word number } nodes { flag } }');
    expect(planFor(document, 5)).toBeDefined();
    expect(planFor(document, 4)).toBeUndefined();
  });
});

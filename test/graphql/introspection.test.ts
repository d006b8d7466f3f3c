import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { transports } from '../support/transports.js';
import { world } from '../support/world.js';

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');
const aliased = (count: number, part: string) => many(count, (i) => `a${i}: ${part}`);

/** All that can be asked of a type, as deep as graphql-js lets it nest. */
const TYPE = `
  fragment t on __Type { fields { ...f } }
  fragment f on __Field { name args { name type { ...w } } type { ...w fields { ...g } } }
  fragment g on __Field { name description args { name type { ...w } } type { ...w } }
  fragment w on __Type { name kind ofType { name kind ofType { name kind ofType { name } } } }`;

/** A few hundred bytes that would keep the service busy, and answer with megabytes. */
const attacks: [name: string, limit: string, query: string][] = [
  [
    'aliases on four levels',
    'aliases',
    `{ ${aliased(10, '__schema { ...s }')} }
     fragment s on __Schema { ${aliased(30, 'types { ...t }')} }
     fragment t on __Type { ${aliased(30, 'fields { ...f }')} }
     fragment f on __Field { ${aliased(30, 'name')} }`,
  ],
  ['aliases of a type', 'cost', `{ ${aliased(20, '__type(name: "Query") { ...t ...t ...t }')} } ${TYPE}`],
  ['fields said again', 'cost', `{ __schema { ${many(10, () => 'types { ...t }')} } } ${TYPE}`],
  [
    'fragments that double',
    'cost',
    `{ __schema { ...f0 } } ${many(40, (i) => `fragment f${i} on __Schema { ...f${i + 1} ...f${i + 1} }`)}
     fragment f40 on __Schema { types { name } }`,
  ],
];

const everything = {
  ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
  ...{ inputValueDeprecation: true, oneOf: true },
};

/** What tools ask when they meet a service. */
const honest: [name: string, query: string][] = [
  ['graphql-js', getIntrospectionQuery()],
  [
    'Apollo Client, which adds __typename to every selection',
    getIntrospectionQuery(everything).replaceAll(/\{(?!\s*__schema)/g, '{ __typename '),
  ],
  ['types wrapped in many others', getIntrospectionQuery({ ...everything, typeDepth: 20 })],
];

/** Fields of an answer. */
const fieldsIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const below = Object.values(value).reduce<number>((sum, each) => sum + fieldsIn(each), 0);
  return below + (Array.isArray(value) ? 0 : Object.keys(value).length);
};

describe.each(transports)('Introspection, over %s', (_way, ask) => {
  it.each(attacks)('is refused when it asks for too much: %s', async (_name, limit, query) => {
    const { base } = await world();
    const { data, errors } = await ask(base, { query });
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', limit } }]);
  });
});

it.each(honest)(
  'Introspection is answered when tools ask, at a cost of about the number of its fields: %s',
  async (_name, query) => {
    const { rest } = await world();
    const { body } = await rest.post('/graphql', { query }, { 'GraphQL-Cost': '1' });
    expect(body.data.__schema.types.length).toBeGreaterThan(50);
    const ratio = body.extensions.cost.requested / fieldsIn(body.data);
    expect(ratio).toBeGreaterThan(0.3);
    expect(ratio).toBeLessThan(3);
  },
);

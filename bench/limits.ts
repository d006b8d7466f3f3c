import { getIntrospectionQuery, getOperationAST, parse, validate } from 'graphql';
import { declaredSchema } from '../dist/modules/src/app.js';
import { readConfig } from '../dist/modules/src/config.js';
import { assertWithinLimits, measure } from '../dist/modules/src/graphql/limits.js';

// `npm run bench -- limits`: the CPU time it takes to refuse requests that were built to use a lot of it. The baseline
// is the largest request that is accepted: a home screen with 100 tasks.

const schema = declaredSchema();
const { limits } = readConfig({});
const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

const requests: Record<string, { query: string; variables?: Record<string, unknown> }> = {
  'baseline: a home screen': {
    query: `{ me { name points streak { days } activeChallenge { progress { daysDone } } }
      tasks(first: 100) { totalCount nodes { id title points completionCount completions(first: 3) { nodes { id points } } } } }`,
  },
  'a megabyte of fields': { query: `{ me { ${repeat(60_000, () => 'id')} } }` },
  'deep nesting': {
    query: `{ tasks ${repeat(180, () => '{ nodes { completions { nodes { task')} { id } ${'} '.repeat(720)}`,
  },
  '60,000 nested lists': {
    query: `mutation { logIn(input: ${'['.repeat(60_000)}${']'.repeat(60_000)}) { token } }`,
  },
  'a fragment bomb': {
    query: `{ ...f0 } ${repeat(100, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} fragment f100 on Query { me { id } }`,
  },
  'a cycle of fragments': { query: '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }' },
  'aliases that may conflict': { query: `{ me { ${repeat(600, (i) => `a: name a${i}: id`)} } }` },
  'many fields of the same name with other arguments': {
    query: `{ ${repeat(150, (i) => `tasks(first: ${(i % 100) + 1}) { totalCount }`)} }`,
  },
  'huge lists by variable': {
    query:
      'query ($n: Int) { tasks(first: $n) { nodes { completions(first: $n) { nodes { task { completions(first: $n) { nodes { id } } } } } } } }',
    variables: { n: 100 },
  },
  'a megabyte in a variable': {
    query: 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }',
    variables: { input: { email: 'x'.repeat(1_000_000), password: 1 } },
  },
  introspection: { query: getIntrospectionQuery() },
  'introspection with aliases': {
    query: `{ ${repeat(10, (i) => `a${i}: __schema { ...s }`)} }
      fragment s on __Schema { ${repeat(30, (i) => `a${i}: types { ...t }`)} }
      fragment t on __Type { ${repeat(30, (i) => `a${i}: fields { name }`)} }`,
  },
  'introspection that says the same again': {
    query: `{ __schema { types { fields { ${repeat(380, () => 'type { name }')} } } } }`,
  },
  'keys that no input has': {
    query: 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }',
    variables: { input: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1])) },
  },
  'repeated directives': { query: `{ me { id ${repeat(600, () => '@include(if: true)')} } }` },
};

function refuse({ query, variables = {} }: { query: string; variables?: Record<string, unknown> }): string {
  try {
    const document = parse(query, { maxTokens: limits.tokens });
    const [fault] = validate(schema, document);
    if (fault) return 'by validation';
    const operation = getOperationAST(document);
    if (operation) assertWithinLimits(measure(schema, document, operation, variables), limits);
    return 'let through';
  } catch (error) {
    const { limit } = (error as { extensions?: { limit?: string } }).extensions ?? {};
    return limit ? `by ${limit}` : 'by the parser';
  }
}

const milliseconds = (usage: NodeJS.CpuUsage) => (usage.user + usage.system) / 1_000;

console.log('CPU in ms: first time | median of 20 | outcome');
for (const [name, request] of Object.entries(requests)) {
  const times: number[] = [];
  let outcome = '';
  for (let run = 0; run <= 20; run += 1) {
    const before = process.cpuUsage();
    outcome = refuse(request);
    times.push(milliseconds(process.cpuUsage(before)));
  }
  const [first = 0, ...rest] = times;
  const median = rest.sort((a, b) => a - b)[10] ?? 0;
  console.log(
    `${first.toFixed(1).padStart(7)} | ${median.toFixed(1).padStart(7)} | ${outcome.padEnd(14)} | ${name}`,
  );
}

import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { apiChangesBetween } from './openapi-changes.ts';
import { changesBetween } from './schema-changes.ts';

// `node scripts/compare-schema.ts`: lists what changed for clients in schema.graphql and openapi.json since the last
// release; exit code 1 if a change breaks clients. With --release, both files are kept as those of the last release,
// and so is its commit.
// The rules are in docs/schema-changes.md.

const SCHEMA = { next: 'schema.graphql', released: 'docs/schema/released.graphql' };
const API = { next: 'openapi.json', released: 'docs/schema/released-openapi.json' };

const schemaIn = (file: string) => buildSchema(readFileSync(file, 'utf8'));
const apiIn = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

const ofGraphql = changesBetween(schemaIn(SCHEMA.released), schemaIn(SCHEMA.next), new Date());
const ofRest = apiChangesBetween(apiIn(API.released), apiIn(API.next));
const of = (kind: 'breaking' | 'surprising' | 'added') => [
  ...ofGraphql[kind].map((change) => `GraphQL: ${change}`),
  ...ofRest[kind].map((change) => `REST: ${change}`),
];

const print = (title: string, changes: string[]) => {
  if (changes.length > 0) console.log([title, ...changes.map((change) => `  ${change}`)].join('\n'));
};
print('Added since the last release:', of('added'));
print('Changed defaults, new enum values and the like, to be named in the release notes:', of('surprising'));
print('Removed from GraphQL after six months of @deprecated:', ofGraphql.expired);
print('BREAKING:', of('breaking'));

if (of('breaking').length > 0) {
  console.log('Nothing is removed or narrowed without notice: see docs/schema-changes.md.');
  process.exitCode = 1;
} else if (process.argv.includes('--release')) {
  for (const { next, released } of [SCHEMA, API]) copyFileSync(next, released);
  writeFileSync('docs/schema/released.json', `${JSON.stringify(release(), null, 2)}\n`);
}

/** Which release it is, and where in the history its tests are found. */
function release() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  return { version, commit: execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim() };
}

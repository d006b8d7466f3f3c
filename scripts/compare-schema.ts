import { copyFileSync, readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { changesBetween } from './schema-changes.ts';

// `node scripts/compare-schema.ts`: what schema.graphql would change for clients of the last release; exit
// code 1 if that breaks any. With --release it becomes the schema of the last release. The rules are in
// docs/schema-changes.md.

const RELEASED = 'docs/schema/released.graphql';
const NEXT = 'schema.graphql';

const schemaIn = (file: string) => buildSchema(readFileSync(file, 'utf8'));

const { breaking, expired, surprising, added } = changesBetween(
  schemaIn(RELEASED),
  schemaIn(NEXT),
  new Date(),
);

const print = (title: string, changes: string[]) => {
  if (changes.length > 0) console.log([title, ...changes.map((change) => `  ${change}`)].join('\n'));
};
print('Added since the last release:', added);
print('Changed defaults and new enum values, to be named in the release notes:', surprising);
print('Removed after six months of @deprecated:', expired);
print('BREAKING, without six months of @deprecated:', breaking);

if (breaking.length > 0) {
  console.log('Nothing is removed or narrowed without notice: see docs/schema-changes.md.');
  process.exitCode = 1;
} else if (process.argv.includes('--release')) {
  copyFileSync(NEXT, RELEASED);
}

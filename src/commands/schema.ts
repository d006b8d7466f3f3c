import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { declaredSchema } from '../app.js';

// `npm run schema`: writes what the classes declare to schema.graphql, or checks with --check that it is there.

const FILE = 'schema.graphql';
const declared = `${printSchema(lexicographicSortSchema(declaredSchema()))}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, declared);
} else if (readFileSync(FILE, 'utf8') !== declared) {
  console.error(`${FILE} is not what the code declares: run \`npm run schema\` and commit the result.`);
  process.exit(1);
}

import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { declaredApi, declaredSchema } from '../../app.js';
import { argumentsOf } from '../../base/commands/arguments.js';
import { carryOut } from './command.js';

const HELP = `npm run generate -- [--check]

Writes what the code declares: schema.graphql, of the GraphQL API, and openapi.json, of the REST API; then the types
of the examples, and docs/errors.md.

--check  only compares schema.graphql and openapi.json

Examples:
  npm run generate

Exit codes:
  0  the files are what the code declares
  1  with --check: one is not`;

const declared: Record<string, () => string> = {
  'schema.graphql': () => `${printSchema(lexicographicSortSchema(declaredSchema()))}\n`,
  'openapi.json': () => `${JSON.stringify(declaredApi(), null, 2)}\n`,
};

await carryOut(
  HELP,
  () => argumentsOf({ options: { check: { type: 'boolean' } } }).values,
  async ({ check }) => {
    const stale = Object.entries(declared).filter(([file, text]) => readFileSync(file, 'utf8') !== text());
    for (const [file, text] of stale) {
      if (!check) writeFileSync(file, text());
      else console.error(`${file} is not what the code declares: run \`npm run generate\` and commit it.`);
    }
    return check && stale.length > 0 ? 1 : 0;
  },
);

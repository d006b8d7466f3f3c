import { readFileSync, writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { declaredSchema } from '../app.js';
import { options, saysHelp } from './arguments.js';
import { understood } from './command.js';

const FILE = 'schema.graphql';

const HELP = `npm run schema -- [--check]

Writes the GraphQL schema that the code declares to ${FILE}.

--check  only compares; exit code 1 when the file is not what the code declares`;

function writeOrCheck(): void {
  const { check } = understood(() => options([], ['check']));
  const declared = `${printSchema(lexicographicSortSchema(declaredSchema()))}\n`;
  if (!check) {
    writeFileSync(FILE, declared);
  } else if (readFileSync(FILE, 'utf8') !== declared) {
    console.error(`${FILE} is not what the code declares: run \`npm run schema\` and commit the result.`);
    process.exit(1);
  }
}

if (!saysHelp(HELP)) writeOrCheck();

import { lexicographicSortSchema, printSchema } from 'graphql';
import { declaredSchema } from '../app.js';
import { printedHelp } from './arguments.js';
import { writeOrCheck } from './generated.js';

const FILE = 'schema.graphql';

const HELP = `npm run schema -- [--check]

Writes the GraphQL schema that the code declares to ${FILE}.

--check  only compares; exit code 1 when the file is not what the code declares`;

const declared = () => `${printSchema(lexicographicSortSchema(declaredSchema()))}\n`;

if (!printedHelp(HELP)) writeOrCheck(FILE, 'npm run schema', declared);

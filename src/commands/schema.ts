import { lexicographicSortSchema, printSchema } from 'graphql';
import { declaredSchema } from '../app.js';
import { generating, writeOrCheck } from './generated.js';

const FILE = 'schema.graphql';

const declared = () => `${printSchema(lexicographicSortSchema(declaredSchema()))}\n`;

await writeOrCheck(generating('schema', FILE, 'the GraphQL schema'), FILE, declared);

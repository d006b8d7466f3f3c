import { lexicographicSortSchema, printSchema } from 'graphql';
import { declaredSchema } from '../../app.js';
import { writeOrCheck } from './generated.js';

await writeOrCheck({
  script: 'schema',
  file: 'schema.graphql',
  what: 'the GraphQL schema',
  declared: () => `${printSchema(lexicographicSortSchema(declaredSchema()))}\n`,
});

import { readFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema, validateSchema } from 'graphql';
import { expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';

it('The GraphQL schema is valid, and the one in schema.graphql', () => {
  const declared = declaredSchema();
  expect(validateSchema(declared)).toEqual([]);
  const printed = printSchema(lexicographicSortSchema(declared));
  expect(readFileSync('schema.graphql', 'utf8')).toBe(`${printed}\n`);
});

import { readFileSync } from 'node:fs';
import { type GraphQLSchema, lexicographicSortSchema, printSchema, validateSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { elementsOf } from '../support/schema-elements.js';

const declared = declaredSchema();
const table = (schema: GraphQLSchema) => Object.fromEntries(elementsOf(schema).map(({ at, is }) => [at, is]));

describe('The GraphQL schema', () => {
  it('is valid', () => {
    expect(validateSchema(declared)).toEqual([]);
  });

  it('shows nothing of a user that is secret or internal to the storage', () => {
    const user = Object.keys(table(declared)).filter((at) => at.startsWith('User.'));
    expect(user.filter((at) => /password|hash|lastActive|runStarted|longestRun/i.test(at))).toEqual([]);
  });

  it('knows instants by the name DateTime alone', () => {
    expect(declared.getType('DateTimeISO')).toBeUndefined();
    const instants = elementsOf(declared).filter(({ at }) => /At$|Date$/.test(at) && /^[A-Z]\w+\./.test(at));
    const hours = /\.dayStartsAt$/;
    expect(instants.filter(({ at, is }) => !/^DateTime!?$/.test(is) && !hours.test(at))).toEqual([]);
  });

  it('is the one in schema.graphql', () => {
    expect(readFileSync('schema.graphql', 'utf8')).toBe(
      `${printSchema(lexicographicSortSchema(declared))}\n`,
    );
  });
});

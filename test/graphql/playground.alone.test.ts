import { type DefinitionNode, Kind, parse, validate } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { examples } from '../../src/graphql/playground/examples.js';

const schema = declaredSchema();

const isOperation = (definition: DefinitionNode) => definition.kind === Kind.OPERATION_DEFINITION;

describe('The examples of the playground', () => {
  const named = examples.map((example) => ({
    ...example,
    name: /^(query|mutation|subscription) (\w+)/m.exec(example.query)?.[2],
  }));

  it.each(named)('are valid: $name', ({ query }) => {
    expect(validate(schema, parse(query))).toEqual([]);
  });

  it.each(named)('have variables that fit and are all used: $name', ({ query, variables = {} }) => {
    const operations = parse(query).definitions.filter(isOperation);
    const declared = operations.flatMap(
      (each) => ('variableDefinitions' in each && each.variableDefinitions) || [],
    );
    expect(getVariableValues(schema, declared, variables).errors).toBeUndefined();
    expect(declared.map(({ variable }) => variable.name.value).sort()).toEqual(Object.keys(variables).sort());
  });

  it('each have a name of their own, for the tab', () => {
    const names = named.map(({ name }) => name);
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(examples.length);
  });

  it('begin with signing up, and logging in for who was here before', () => {
    expect(named.slice(0, 2).map(({ name }) => name)).toEqual(['SignUp', 'LogIn']);
  });
});

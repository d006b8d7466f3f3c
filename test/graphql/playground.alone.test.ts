import { getOperationAST, parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { documents } from '../../src/graphql/playground/tabs.js';

it('The tabs of the playground are valid, and begin with signing up', () => {
  for (const document of documents) expect(validate(declaredSchema(), parse(document)), document).toEqual([]);
  expect(getOperationAST(parse(documents[0] ?? ''), 'SignUp')).toBeTruthy();
});

import { getOperationAST, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { documents } from '../../src/graphql/playground/tabs.js';

describe('The tabs of the playground', () => {
  it.each(documents)('are valid: %s', (document) => {
    expect(validate(declaredSchema(), parse(document))).toEqual([]);
  });

  it.each(documents)('say what to do within the width of their pane: %s', (document) => {
    const comments = document.split('\n').filter((line) => line.startsWith('#'));
    expect(comments.filter((line) => line.length > 50)).toEqual([]);
  });

  it('begin with signing up', () => {
    expect(getOperationAST(parse(documents[0] ?? ''), 'SignUp')).toBeTruthy();
  });
});

import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../scripts/schema-changes.js';

const TODAY = new Date('2026-11-21');

const compare = (released: string, next: string) => {
  const types = 'scalar Date\n';
  return changesBetween(buildSchema(types + released), buildSchema(types + next), TODAY);
};

const NONE = { breaking: [], expired: [], surprising: [], added: [] };

describe('A change of the schema', () => {
  it('is none when nothing but descriptions, order and deprecations change', () => {
    const released = 'type Query { a: Int b(c: Int = 1): Int }';
    const next =
      '"All." type Query { "This." b(c: Int = 1): Int a: Int @deprecated(reason: "Since 2026-11-21.") }';
    expect(compare(released, next)).toEqual(NONE);
  });

  it.each([
    ['type Query { a: Int b: Int }', 'type Query { a: Int }', 'Query.b was removed.'],
    ['type Query { a: Int! }', 'type Query { a: Int }', 'Query.a changed type from Int! to Int.'],
    ['type Query { a(b: Int): Int }', 'type Query { a: Int }', 'Query.a arg b was removed.'],
    [
      'type Query { a(b: Int): Int }',
      'type Query { a(b: Int!): Int }',
      'Query.a arg b has changed type from Int to Int!.',
    ],
    ['type Query { a: Int }', 'type Query { a(b: Int!): Int }', 'A required arg b on Query.a was added.'],
    [
      'enum E { A B } type Query { e: E }',
      'enum E { A } type Query { e: E }',
      'B was removed from enum type E.',
    ],
    [
      'input I { a: Int } type Query { a(i: I): Int }',
      'input I { a: Int b: Int! } type Query { a(i: I): Int }',
      'A required field b on input type I was added.',
    ],
    [
      'input I { a: Int! = 1 } type Query { a(i: I): Int }',
      'input I { a: Int! } type Query { a(i: I): Int }',
      'I.a has changed its default from 1 to none.',
    ],
    [
      'type Query { a(b: Int! = 1): Int }',
      'type Query { a(b: Int!): Int }',
      'Query.a(b:) has changed its default from 1 to none.',
    ],
  ])('is breaking when a request can fail by it: %s becomes %s', (released, next, sentence) => {
    expect(compare(released, next)).toEqual({ ...NONE, breaking: [sentence] });
  });

  it.each([
    [
      'type Query { a(b: Int = 1): Int }',
      'type Query { a(b: Int = 2): Int }',
      'Query.a(b:) has changed its default from 1 to 2.',
    ],
    [
      'type Query { a(b: Int): Int }',
      'type Query { a(b: Int = 2): Int }',
      'Query.a(b:) has changed its default from none to 2.',
    ],
    [
      'input I { a: [Int!] = [1] } type Query { a(i: I): Int }',
      'input I { a: [Int!] = [1, 2] } type Query { a(i: I): Int }',
      'I.a has changed its default from [1] to [1, 2].',
    ],
    ['enum E { A } type Query { e: E }', 'enum E { A B } type Query { e: E }', 'B was added to enum type E.'],
  ])('is named when it may surprise: %s becomes %s', (released, next, sentence) => {
    expect(compare(released, next)).toEqual({ ...NONE, surprising: [sentence] });
  });

  it('is listed when it only adds, a new type as one', () => {
    const released = 'input I { a: Int } type Query { a(i: I): Int }';
    const next =
      'input I { a: Int b: Int } type Query { a(i: I, j: Int): Int t: T } type T { x: Int y: Int }';
    expect(compare(released, next)).toEqual({
      ...NONE,
      added: ['I.b was added.', 'Query.a(j:) was added.', 'Query.t was added.', 'T was added.'],
    });
  });
});

describe('What was deprecated', () => {
  const since = (day: string) => `@deprecated(reason: "Since ${day}: use a.")`;
  const HALF_A_YEAR_AGO = since('2026-05-21');
  const LATER = since('2026-05-22');

  it.each([
    ['a field', (d: string) => `type Query { a: Int b: Int ${d} }`, 'type Query { a: Int }'],
    ['an argument', (d: string) => `type Query { a(b: Int ${d}): Int }`, 'type Query { a: Int }'],
    [
      'an input field',
      (d: string) => `input I { a: Int b: Int ${d} } type Query { a(i: I): Int }`,
      'input I { a: Int } type Query { a(i: I): Int }',
    ],
    [
      'an enum value',
      (d: string) => `enum E { A B ${d} } type Query { e: E }`,
      'enum E { A } type Query { e: E }',
    ],
    [
      'a field with all its types',
      (d: string) =>
        `type Query { a: Int t(i: I): T ${d} } type T { u: U } type U { t: T x: E } enum E { A } input I { a: Int }`,
      'type Query { a: Int }',
    ],
  ])('may go after six months, and not a day before: %s', (_what, released, next) => {
    expect(compare(released(HALF_A_YEAR_AGO), next)).toMatchObject({ breaking: [] });
    expect(compare(released(HALF_A_YEAR_AGO), next).expired).not.toEqual([]);
    expect(compare(released(LATER), next).breaking).not.toEqual([]);
  });

  it('stays when it does not say since when', () => {
    const { breaking } = compare('type Query { a: Int b: Int @deprecated }', 'type Query { a: Int }');
    expect(breaking).toEqual(['Query.b was removed.']);
  });

  it('may not change its type instead of going', () => {
    const { breaking } = compare(
      `type Query { a: Int b: Int ${HALF_A_YEAR_AGO} }`,
      'type Query { a: Int b: String }',
    );
    expect(breaking).toEqual(['Query.b changed type from Int to String.']);
  });

  it('may be a whole root type, which may not go without notice', () => {
    const query = 'type Query { a: Int }';
    expect(compare(`${query} type Mutation { b: Int ${HALF_A_YEAR_AGO} }`, query).breaking).toEqual([]);
    const { breaking } = compare(`${query} type Mutation { b: Int ${LATER} }`, query);
    expect(breaking).toEqual(['Mutation was removed.']);
  });

  it('takes no type with it that others still lead to', () => {
    const released = `type Query { a: T b: T ${HALF_A_YEAR_AGO} } type T { x: Int }`;
    expect(compare(released, 'type Query { c: Int }').breaking).toEqual([
      'T was removed.',
      'Query.a was removed.',
    ]);
  });
});

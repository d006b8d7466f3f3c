import { describe, expect, it } from 'vitest';
import { breaksBetween } from '../../scripts/schema-changes.js';

const before = `
  type Query { me: User! days(first: Int): [Day!]! }
  type User { id: ID! name: String! picture: String @deprecated(reason: "Use portrait.") }
  type Day { state: State! }
  enum State { OPEN KEPT OLD @deprecated(reason: "Is KEPT.") }
`;

describe('The schema only grows', () => {
  it.each([
    ['a field was removed', 'name: String! ', '', ['User.name was removed.']],
    ['null came where there was none', 'id: ID!', 'id: ID', ['User.id changed type from ID! to ID.']],
    ['what was deprecated is gone', ' picture: String @deprecated(reason: "Use portrait.")', '', []],
    ['a deprecated value is gone', ' OLD @deprecated(reason: "Is KEPT.")', '', []],
    ['an input was widened', 'first: Int', 'first: Int, last: Int', []],
  ])('so it is a fault that %s, or none', (_what, part, instead, breaks) => {
    expect(before).toContain(part);
    expect(breaksBetween(before, before.replace(part, instead))).toEqual(breaks);
  });
});

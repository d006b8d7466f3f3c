import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withinAnswerLimit } from '../../src/graphql/limits.js';

const text = fc.string({ unit: 'binary' });
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.double({ noNaN: false }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(text, fc.oneof(tie('value'), fc.constant(undefined))),
  ),
})).value;

const printed = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

it('An answer is let through up to the limit of its bytes as JSON, and not a byte beyond', () => {
  fc.assert(
    fc.property(values, (value) => {
      const answer = { data: { value } };
      expect(withinAnswerLimit(answer, printed(answer))).toBe(answer);
      expect(withinAnswerLimit(answer, printed(answer) - 1)).toEqual({ errors: [expect.anything()] });
    }),
  );
});

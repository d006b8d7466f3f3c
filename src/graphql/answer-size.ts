import { type FormattedExecutionResult, OperationTypeNode } from 'graphql';
import { tooComplex } from './limits.js';

type Operation = `${OperationTypeNode}`;

/**
 * Replaces an answer larger than `limit` bytes by a refusal. It measures the values, before they are serialised: a
 * text that occurs a thousand times is in memory once until then.
 */
export function withinAnswerLimit(
  result: FormattedExecutionResult,
  limit: number,
  operation?: Operation,
): FormattedExecutionResult {
  if (bytesAsJson(result, limit, AT_MOST) <= limit) return result;
  const size = bytesAsJson(result, limit, EXACTLY);
  if (size <= limit) return result;
  const { message, extensions } = tooComplex('answer size', limit, size);
  const { http: _, ...rest } = extensions;
  const hasBegun = operation === OperationTypeNode.MUTATION && result.data !== undefined;
  return { errors: [{ message: hasBegun ? mutationApplied(result, limit) : message, extensions: rest }] };
}

/**
 * Says so, lest the client take the mutation for undone and repeat it. If one part failed, the state of the others is
 * unknown.
 */
const mutationApplied = ({ data }: FormattedExecutionResult, limit: number) =>
  `The mutation ${data ? 'was' : 'may have been'} carried out, but its answer is over the limit of ${limit} bytes`;

interface Rule {
  text: (text: string) => number;
  number: (number: number) => number;
}

/**
 * A cheap upper bound without looking into texts: a character takes at most six bytes, and no number is longer than
 * this one.
 */
const AT_MOST: Rule = {
  text: (text) => 2 + 6 * text.length,
  number: () => '-2.2250738585072014e-308'.length,
};

const EXACTLY: Rule = {
  text: (text) => Buffer.byteLength(JSON.stringify(text)),
  number: (number) => JSON.stringify(number).length,
};

/** The size of a value as JSON in UTF-8. Stops counting once it is over the limit. */
export function bytesAsJson(value: unknown, limit: number, { text, number }: Rule = EXACTLY): number {
  let bytes = 0;
  const count = (value: unknown): void => {
    if (bytes > limit) return;
    if (typeof value === 'string') bytes += text(value);
    else if (typeof value === 'number') bytes += number(value);
    else if (Array.isArray(value)) {
      bytes += 2 + Math.max(0, value.length - 1);
      for (const item of value) count(item ?? null);
    } else if (typeof value === 'object' && value !== null) countObject(value);
    else bytes += value === false ? 5 : 4; // `true` or `null`
  };
  const countObject = (object: object): void => {
    let separator = 0;
    bytes += 2;
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      bytes += separator + text(key) + 1;
      separator = 1;
      count(value);
    }
  };
  count(value);
  return bytes;
}

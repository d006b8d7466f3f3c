import { createHash } from 'node:crypto';

/** Tells inputs apart, whatever the order of their fields: null, an empty list and what is omitted are the same. */
export const digestOf = (input: object): string =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(input)))
    .digest('base64url');

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, each]) => !isNothing(each));
  return given.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, inOrder(each)]);
}

const isNothing = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

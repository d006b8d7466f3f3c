import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/**
 * Tells inputs apart, whatever the order of their fields: null, an empty list, a default and what is omitted are the
 * same. So a field that comes with a later release changes no digest of what was sent without it.
 */
export function digestOf(input: object, defaults: object = {}): string {
  const given = Object.entries(input).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(defaults, name)),
  );
  return createHash('sha256')
    .update(JSON.stringify(inOrder(Object.fromEntries(given))))
    .digest('base64url');
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, each]) => !isNothing(each));
  return given.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, inOrder(each)]);
}

const isNothing = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

import { invalid } from '../../base/errors.js';
import type { JsonSchema } from '../../base/validation.js';
import type { ObjectSchema } from './schemas.js';

const LONGEST_NAME = 50;

/**
 * The arguments of a call. What nobody knows is refused: an agent that makes up a name, such as `date` for `day`, would
 * otherwise take for done what was passed over.
 */
export function argumentsOf(schema: ObjectSchema, given: unknown): object {
  const value = given ?? {};
  if (!isObject(value)) throw invalid('The arguments must be an object');
  refuseUnknown(schema, value, '');
  return value;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function refuseUnknown(schema: JsonSchema, value: unknown, path: string): void {
  if (Array.isArray(value) && schema.items) {
    for (const each of value) refuseUnknown(schema.items as JsonSchema, each, path);
    return;
  }
  const properties = schema.properties as Record<string, JsonSchema> | undefined;
  if (!properties || !isObject(value)) return;
  const known = Object.keys(properties);
  const names = Object.keys(value).filter((name) => value[name] !== null);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const name = unknown.slice(0, LONGEST_NAME).toWellFormed();
    const taker = path ? `${path} takes` : 'the tool takes';
    throw invalid(`There is no argument ${name} here: ${taker} ${known.join(', ')}`, path || name);
  }
  if (schema.maxProperties === 1 && names.length !== 1)
    throw invalid(`${path} takes exactly one of ${known.join(', ')}`, path);
  for (const name of names)
    refuseUnknown(properties[name] ?? {}, value[name], path ? `${path}.${name}` : name);
}

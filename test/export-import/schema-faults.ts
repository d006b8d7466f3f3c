import type { Shape } from '../../src/base/carried-schema.js';

const typeOf = (value: unknown) => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const isOfType = (value: unknown, types: unknown) => {
  const type = typeOf(value);
  return [types].flat().some((each) => each === type || (each === 'number' && type === 'integer'));
};

type Keyword = (value: unknown, given: never) => boolean;

const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
const characters = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined);
const entries = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const atLeast = (of: (value: unknown) => number | undefined) => (value: unknown, least: number) =>
  (of(value) ?? least) >= least;
const atMost = (of: (value: unknown) => number | undefined) => (value: unknown, most: number) =>
  (of(value) ?? most) <= most;

/** As much of JSON Schema as ours uses. */
const keywords: Record<string, Keyword> = {
  type: isOfType,
  const: (value, only: unknown) => value === only,
  enum: (value, known: unknown[]) => known.includes(value),
  pattern: (value, pattern: string) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  minimum: atLeast(number),
  maximum: atMost(number),
  exclusiveMinimum: (value, bound: number) => (number(value) ?? Infinity) > bound,
  minLength: atLeast(characters),
  maxLength: atMost(characters),
  minItems: atLeast(entries),
  maxItems: atMost(entries),
};

const NO_LIMITS = new Set([
  '$schema',
  'title',
  'description',
  'required',
  'additionalProperties',
  'properties',
  'items',
]);

/** Where a value is not as the schema says. */
export function faultsIn(value: unknown, schema: Shape, at = '$'): string[] {
  const broken = Object.entries(schema).filter(([name, given]) => {
    if (given === undefined || NO_LIMITS.has(name)) return false;
    const keyword = keywords[name];
    if (!keyword) throw new Error(`A schema says ${name}, which is not looked at`);
    return !keyword(value, given as never);
  });
  const own = broken.length > 0 ? [at] : [];
  if (Array.isArray(value))
    return [...own, ...value.flatMap((each, index) => faultsIn(each, schema.items ?? {}, `${at}[${index}]`))];
  if (typeof value !== 'object' || value === null) return own;
  const required = (schema.required ?? []) as string[];
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name}`);
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const property = schema.properties?.[name];
    return property ? faultsIn(part, property, `${at}.${name}`) : [`${at}.${name}`];
  });
  return [...own, ...missing, ...parts];
}

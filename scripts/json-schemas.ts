import { isDeepStrictEqual } from 'node:util';

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, read only where a part is known to exist
export type Json = any;

/** How the set of values that a schema allows has changed. */
export type Relation = 'wider' | 'narrower' | 'different';

/** Prose, and keywords that are compared elsewhere. */
const LEFT_OUT = new Set(
  'title description summary example examples $ref properties required items default x-default'.split(' '),
);

/** Keywords that list the allowed values. */
const VALUES = new Set(['type', 'enum']);
const AT_MOST = new Set(['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems']);
const AT_LEAST = new Set(['minLength', 'minimum', 'exclusiveMinimum', 'minItems']);

/** The keywords that have changed, each compared by itself. A missing keyword allows everything. */
export const relationsOf = (before: Json, after: Json): [keyword: string, Relation][] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((keyword) => !LEFT_OUT.has(keyword))
    .flatMap((keyword) => {
      const relation = relationOf(keyword, before[keyword], after[keyword]);
      return relation ? [[keyword, relation]] : [];
    });

export const nameOf = ({ $ref }: Json): string | undefined => $ref?.replace('#/components/schemas/', '');

/**
 * Follows references. There are two spellings for "a value or null": `type: [..., 'null']`, and `anyOf` with a
 * reference.
 */
export function resolved(schema: Json, document: Json): Json {
  const name = nameOf(schema);
  if (name !== undefined) return resolved(document.components.schemas[name], document);
  const { anyOf, ...rest } = schema;
  const parts: Json[] = anyOf?.filter((part: Json) => part.type !== 'null') ?? [];
  if (parts.length !== 1 || anyOf.length !== 2) return schema;
  const [part] = parts;
  const { type, ...alone } = resolved(part, document);
  return { ...rest, ...alone, type: [type, 'null'].flat() };
}

export const isRequired = ({ required = [] }: Json, name: string): boolean => required.includes(name);

function relationOf(keyword: string, before: Json, after: Json): Relation | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  if (before === undefined) return 'narrower';
  if (after === undefined) return 'wider';
  if (VALUES.has(keyword)) return relationOfSets(valuesOf(before), valuesOf(after));
  if (AT_MOST.has(keyword)) return after > before ? 'wider' : 'narrower';
  if (AT_LEAST.has(keyword)) return after < before ? 'wider' : 'narrower';
  if (keyword === 'additionalProperties' && typeof before === 'boolean' && typeof after === 'boolean') {
    return after ? 'wider' : 'narrower';
  }
  return 'different'; // a pattern, a format, or a keyword that is not used yet
}

/** An integer is also a number. */
const valuesOf = (given: Json): Set<Json> =>
  new Set([given].flat().flatMap((value) => (value === 'number' ? ['integer', 'number'] : [value])));

function relationOfSets(before: Set<Json>, after: Set<Json>): Relation | undefined {
  const [isWider, isNarrower] = [
    [...after].some((value) => !before.has(value)),
    [...before].some((value) => !after.has(value)),
  ];
  if (isWider) return isNarrower ? 'different' : 'wider';
  return isNarrower ? 'narrower' : undefined;
}

import type { JsonSchema } from './validation.js';

/**
 * The keys of an object, or of each object of a list: null for what has none. All of them may be in a file of a version
 * that is read; what an import passes over is among them.
 */
export interface Keys {
  [name: string]: Keys | null;
}

/** How docs/export.schema.json describes a value. */
export interface Shape extends JsonSchema {
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** What several fields are. */
export const definitions = {
  time: { type: ['string', 'null'], pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
  day: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  weekday: { enum: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] },
  instant: {
    description: 'Since 1970, with a zone.',
    type: 'string',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
  },
  instantOrNull: {
    type: ['string', 'null'],
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
  },
};

const ref = (name: keyof typeof definitions): Shape => ({ $ref: `#/$defs/${name}` });

export const shared = {
  time: ref('time'),
  day: ref('day'),
  weekday: ref('weekday'),
  instant: ref('instant'),
  instantOrNull: ref('instantOrNull'),
};

/** Of an object, or of each object of a list, by their names. */
export function keysIn({ properties, items }: Shape): Keys | null {
  if (items) return keysIn(items);
  if (!properties) return null;
  return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, keysIn(each)]));
}

export const objectOf = (properties: Record<string, Shape>, required: readonly string[] = []): Shape => ({
  type: 'object',
  ...(required.length > 0 && { required: [...required] }),
  additionalProperties: false,
  properties,
});

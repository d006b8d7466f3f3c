import { INSTANT } from './clock.js';
import { describeInput, type JsonSchema } from './validation.js';

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

/** What fields mean, in words; a shape only of what has no rules, or is more than they say. */
export type Said = Record<string, string | Shape>;

export const instantShape: Shape = { type: 'string', pattern: INSTANT.source };

export const orNull = (shape: Shape): Shape => ({
  ...shape,
  ...(shape.type !== undefined && { type: [shape.type, 'null'].flat() }),
  ...(Array.isArray(shape.enum) && { enum: [...shape.enum, null] }),
});

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

/** An object as the rules of its class have it. */
export function shapeOf(type: new () => object, said: Said = {}): Shape {
  const inputs = new Map(describeInput(type).map((input) => [input.name, input]));
  const shapeIn = (name: string): Shape => {
    const meaning = said[name];
    if (typeof meaning === 'object') return meaning;
    const { schema = {}, isNullable } = inputs.get(name) ?? {};
    return { ...(meaning && { description: meaning }), ...(isNullable ? orNull(schema) : schema) };
  };
  return objectOf(
    Object.fromEntries(
      [...new Set([...inputs.keys(), ...Object.keys(said)])].map((name) => [name, shapeIn(name)]),
    ),
    [...inputs.values()].flatMap(({ name, isOptional }) => (isOptional ? [] : name)),
  );
}

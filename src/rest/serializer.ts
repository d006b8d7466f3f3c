import { getMetadataStorage } from 'type-graphql';
import { isoOf } from '../base/clock.js';
import type { JsonSchema } from '../base/validation.js';
import type { Chunk } from '../database/cursor.js';

type Class = abstract new (...parameters: never[]) => object;

const storage = getMetadataStorage();

/** What GraphQL says about a class of objects or inputs. Both APIs say the same. */
export const descriptionOf = (type: Class): string | undefined =>
  [...storage.objectTypes, ...storage.inputTypes].find(({ target }) => target === type)?.description;

/** What GraphQL says about a property of such a class; undefined where GraphQL does not show it. */
export const propertyDescriptionOf = (type: Class, property: string): string | undefined =>
  storage.fields.find(({ target, name }) => target === type && name === property)?.description;

/** The JSON form of an answer: writes it as text, and describes it for the API document. */
export interface Serializer<Value> {
  write: (value: Value) => string;
  /** With a `title`, it is described once and referred to. */
  schema: JsonSchema;
}

/** A list that may be long: it is read and written part by part. */
export interface LongSerializer<Part> extends Serializer<Part> {
  /** Reads on; null at the last part. */
  next: (part: Part) => (() => Promise<Part>) | null;
}

export const isLong = <Value>(serializer: Serializer<Value>): serializer is LongSerializer<Value> =>
  'next' in serializer;

type Reader<Value, Kind> = (value: Value) => Kind;

/** A property has a description of its own where GraphQL does not show it. */
export const field =
  <Kind>(schema: JsonSchema, write: (kind: Kind) => string) =>
  <Value>(read: Reader<Value, Kind>, description?: string): Serializer<Value> => ({
    schema: description === undefined ? schema : { ...schema, description },
    write: (value) => write(read(value)),
  });

export const optional = <Kind>(schema: JsonSchema, write: (kind: Kind) => string) =>
  field<Kind | null>({ ...schema, type: [schema.type, 'null'] }, (kind) =>
    kind === null ? 'null' : write(kind),
  );

export const TEXT = { type: 'string' };
const WHOLE = { type: 'integer' };
const INSTANT = { type: 'string', format: 'date-time' };
export const quoted = (text: string): string => JSON.stringify(text);
const quotedIso = (instant: Date) => `"${isoOf(instant)}"`;

export const text = field<string>(TEXT, quoted);
export const optionalText = optional<string>(TEXT, quoted);
export const uuid = field<string>({ type: 'string', format: 'uuid' }, quoted);
export const whole = field<number>(WHOLE, String);
export const optionalWhole = optional<number>(WHOLE, String);
export const number = field<number>({ type: 'number' }, String);
export const optionalNumber = optional<number>({ type: 'number' }, String);
export const flag = field<boolean>({ type: 'boolean' }, String);
export const instant = field<Date>(INSTANT, quotedIso);
export const optionalInstant = optional<Date>(INSTANT, quotedIso);

/** An object with exactly these keys, in this order. GraphQL's class describes it and its properties. */
export function objectOf<Value>(
  title: string,
  type: Class,
  fields: Record<string, Serializer<Value>>,
  description = descriptionOf(type),
): Serializer<Value> {
  const writers = Object.entries(fields).map(
    ([key, { write }], at) => [`${at === 0 ? '{' : ','}${quoted(key)}:`, write] as const,
  );
  return {
    write: (value) => {
      let json = '';
      for (const [key, write] of writers) json += key + write(value);
      return `${json}}`;
    },
    schema: {
      title,
      description,
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(fields).map(([key, { schema }]) => [key, describedBy(type, key, schema)]),
      ),
      required: Object.keys(fields),
      additionalProperties: false,
    },
  };
}

/** A schema with a title describes itself. */
const describedBy = (type: Class, key: string, schema: JsonSchema): JsonSchema =>
  'title' in schema ? schema : { description: propertyDescriptionOf(type, propertyOf(key)), ...schema };

/** `created_at` → `createdAt` */
const propertyOf = (key: string) => key.replaceAll(/_(\w)/g, (_all, letter) => letter.toUpperCase());

export const inside = <Value, Part>(
  read: Reader<Value, Part>,
  part: Serializer<Part>,
): Serializer<Value> => ({
  write: (value) => part.write(read(value)),
  schema: part.schema,
});

const arrayOf = <Value>(values: Value[], { write }: Serializer<Value>) => `[${values.map(write).join(',')}]`;

export const listOf = <Value>(item: Serializer<Value>): Serializer<Value[]> => ({
  write: (values) => arrayOf(values, item),
  schema: { type: 'array', items: item.schema },
});

export const longListOf = <Value>(item: Serializer<Value>): LongSerializer<Chunk<Value>> => ({
  write: ({ rows }) => arrayOf(rows, item),
  next: ({ next }) => next,
  schema: listOf(item).schema,
});

export const orNull = <Value>(item: Serializer<Value>): Serializer<Value | null> => ({
  write: (value) => (value === null ? 'null' : item.write(value)),
  schema: { anyOf: [item.schema, { type: 'null' }] },
});

/** What the property that names the owner of a row says. */
export const OWNER = 'The id of the user who owns it.';

import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Refusal } from '../errors.js';
import { type JsonSchema, rowId } from '../validation.js';

type InputClass<T> = new () => T;

const rulesOf = (type: unknown) =>
  getMetadataStorage().getTargetValidationMetadatas(type as InputClass<unknown>, '', false, false);

interface Declared {
  names: string[];
  ids: string[];
  conversions: { name: string; convert: (value: unknown) => unknown }[];
}

const declared = new Map<unknown, Declared>();

function declaredBy(type: unknown): Declared {
  const known = declared.get(type);
  if (known) return known;
  const rules = rulesOf(type);
  const found = {
    names: [...new Set(rules.map(({ propertyName }) => propertyName))],
    ids: rules.filter(({ name }) => name === 'id').map(({ propertyName }) => propertyName),
    conversions: rules.flatMap(({ propertyName: name, context: { convert } = {} }) =>
      convert ? [{ name, convert }] : [],
    ),
  };
  declared.set(type, found);
  return found;
}

/**
 * Copies only the properties that the class declares: a `__proto__` in a body must not disable the rules, and what
 * nobody knows, however much of it, must cost nothing.
 */
export function inputFrom<T extends object>(type: InputClass<T>, values: object): T {
  const input = new type();
  for (const name of declaredBy(type).names) {
    const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : undefined;
    if (value !== undefined) Object.defineProperty(input, name, { value, ...plain });
  }
  return admit(input);
}

const plain = { enumerable: true, writable: true, configurable: true };

/** The gate: validates every input, from both faces. GraphQL passes ids as text, JSON as numbers. */
export function admit<T extends object>(input: T, { idsAreText = false } = {}): T {
  const { ids, conversions } = declaredBy(input.constructor);
  for (const name of idsAreText ? ids : []) {
    const id: unknown = Reflect.get(input, name);
    if (typeof id === 'string') Reflect.set(input, name, rowId(id));
  }
  const errors = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length > 0) {
    const fields = Object.fromEntries(errors.map((error) => [error.property, messageOf(error)]));
    throw new Refusal('invalid', 'INVALID_INPUT', Object.values(fields)[0] ?? 'The input is not valid', {
      fields,
    });
  }
  for (const { name, convert } of conversions) {
    const value: unknown = Reflect.get(input, name);
    if (value !== undefined && value !== null) Reflect.set(input, name, convert(value));
  }
  return input;
}

const messageOf = (error: ValidationError) => Object.values(error.constraints ?? {})[0] ?? 'is not valid';

/** The rules for one property, for the API document. */
export interface InputProperty {
  name: string;
  schema: JsonSchema;
  isOptional: boolean;
  isNullable: boolean;
  /** The value of the property when it is absent. */
  default: unknown;
}

export function describeInput(type: InputClass<object>): InputProperty[] {
  const rules = rulesOf(type);
  const defaults = new type();
  return declaredBy(type).names.map((name) => {
    const contexts = rules.filter(({ propertyName }) => propertyName === name).map(({ context }) => context);
    const unspecified = { name, isOptional: false, isNullable: false, default: Reflect.get(defaults, name) };
    const { convert: _, ...property } = Object.assign(unspecified, ...contexts);
    return property;
  });
}

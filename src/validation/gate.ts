import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { Refusal } from '../errors.js';
import { type JsonSchema, rowId } from '../validation.js';

type InputClass<T> = new () => T;

const rulesOf = (type: unknown) =>
  getMetadataStorage().getTargetValidationMetadatas(type as InputClass<unknown>, '', false, false);

const declared = new Map<unknown, { names: string[]; ids: string[] }>();

function declaredBy(type: unknown): { names: string[]; ids: string[] } {
  const known = declared.get(type);
  if (known) return known;
  const rules = rulesOf(type);
  const found = {
    names: [...new Set(rules.map(({ propertyName }) => propertyName))],
    ids: rules.filter(({ name }) => name === 'id').map(({ propertyName }) => propertyName),
  };
  declared.set(type, found);
  return found;
}

/** Copies what the class declares and nothing else: a `__proto__` in a body must not switch the rules off. */
export function inputFrom<T extends object>(type: InputClass<T>, values: object): T {
  const input = new type();
  const given = new Map(Object.entries(values));
  for (const name of declaredBy(type).names) {
    if (given.get(name) !== undefined)
      Object.defineProperty(input, name, { value: given.get(name), ...plain });
  }
  return admit(input);
}

const plain = { enumerable: true, writable: true, configurable: true };

/** The one gate that both faces go through. GraphQL hands ids over as text, JSON as numbers. */
export function admit<T extends object>(input: T, { idsAreText = false } = {}): T {
  const { ids } = declaredBy(input.constructor);
  const convertIds = (type: 'string' | 'number') => {
    for (const name of ids) {
      const id: unknown = Reflect.get(input, name);
      if (typeof id === type) Reflect.set(input, name, rowId(id as string | number));
    }
  };
  if (idsAreText) convertIds('string');
  const errors = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length > 0) {
    const fields = Object.fromEntries(errors.map((error) => [error.property, messageOf(error)]));
    throw new Refusal('invalid', Object.values(fields)[0] ?? 'The input is not valid', { fields });
  }
  convertIds('number');
  return input;
}

const messageOf = (error: ValidationError) => Object.values(error.constraints ?? {})[0] ?? 'is not valid';

/** What the rules ask of one property, for the API document. */
export interface InputProperty {
  name: string;
  schema: JsonSchema;
  isOptional: boolean;
  isNullable: boolean;
  /** What the property is when absent. */
  default: unknown;
}

export function describeInput(type: InputClass<object>): InputProperty[] {
  const rules = rulesOf(type);
  const defaults = new type();
  return declaredBy(type).names.map((name) => {
    const said = rules.filter(({ propertyName }) => propertyName === name).map(({ context }) => context);
    const unsaid = { name, isOptional: false, isNullable: false, default: Reflect.get(defaults, name) };
    return Object.assign(unsaid, ...said);
  });
}

import {
  getMetadataStorage,
  registerDecorator,
  ValidateIf,
  type ValidationError,
  validateSync,
} from 'class-validator';
import { hasAsciiControls, looksBlank } from './characters.js';
import { Refusal } from './errors.js';

/** From 00:00 to 23:59. */
export const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The limits on input and on rows. */
export const limits = {
  name: 200,
  title: 500,
  description: 10_000,
  notes: 10_000,
  idempotencyKey: 255,
  pageSize: 100,
  pageSizeDefault: 50,
  /** The longest range of days that a field is asked for. */
  rangeDays: 1_830,
  note: 1_000,
} as const;

/** Formatted for descriptions: 10,000. */
export const written = (limit: number) => limit.toLocaleString('en');

export type JsonSchema = Record<string, unknown>;

/** The error message about a value, without the field's name, which it follows; undefined if the value is valid. */
type Check = (value: unknown) => string | undefined;

/** Converts a valid value. */
type Conversion<Value> = (value: Value) => unknown;

/** A rule. `schema` tells the API document what `problem` tells a caller, as far as JSON Schema can express it. */
export const rule =
  <Value>(name: string, schema: JsonSchema, problem: Check, convert?: Conversion<Value>): PropertyDecorator =>
  (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      options: { context: { schema, problem, ...(convert && { convert }) } },
      validator: {
        validate: (value) => problem(value) === undefined,
        defaultMessage: (about) => `${label(String(property))} ${problem(about?.value)}`,
      },
    });

/** Names that a sentence would swallow. */
const NO_NOUNS: ReadonlySet<string> = new Set(['after', 'at', 'first', 'from', 'last', 'to', 'until']);

/** `isDailyRoutine` → `Daily routine`: reads well on both APIs. */
const label = (property: string) => {
  if (NO_NOUNS.has(property)) return `\`${property}\``;
  const words = property
    .replace(/^is(?=[A-Z])/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const sentence = words.trim();
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
};

/** Length in Unicode code points. Checked cheaply first, because spreading a string of megabytes is expensive. */
export const isLongerThan = (text: string, max: number) =>
  text.length > max && (text.length > 2 * max || [...text].length > max);

/** Checks the encoding first, and only then the content. */
export const textRule = (
  name: string,
  schema: JsonSchema,
  problem: (text: string) => string | undefined,
  convert?: Conversion<string>,
) => {
  const problemOf = (value: unknown) => {
    if (typeof value !== 'string') return 'must be text';
    if (value.includes('\0')) return 'must not contain NUL characters';
    if (!value.isWellFormed()) return 'must be well-formed Unicode';
    return problem(value);
  };
  return rule(name, { type: 'string', ...schema }, problemOf, convert);
};

export const tooLong = (text: string, max: number) =>
  isLongerThan(text, max) ? `must be at most ${max} characters long` : undefined;

interface TextLimits {
  max?: number;
  blank?: boolean;
  /** Besides line breaks and tabs. */
  controls?: boolean;
}

export const Text = ({ max, blank = true, controls = true }: TextLimits = {}) =>
  textRule('text', { minLength: blank ? undefined : 1, maxLength: max }, (text) => {
    if (!blank && looksBlank(text)) return 'must not be blank';
    const problem = max === undefined ? undefined : tooLong(text, max);
    return (
      problem ?? (!controls && hasAsciiControls(text) ? 'must not contain control characters' : undefined)
    );
  });

export const trimmed = (text: string) => text.trim();

/** What is said of a whole object: its class declares the fields for GraphQL, and the rule stands here. */
export const Whole = <Value extends object>(name: string, problem: (value: Value) => string | undefined) =>
  rule(name, { type: 'object' }, (value) =>
    typeof value === 'object' && value !== null ? problem(value as Value) : 'must be an object',
  );

export const OneOf = (known: readonly (string | number)[]) =>
  rule('oneOf', { enum: known }, (value) =>
    known.includes(value as string | number)
      ? undefined
      : `must be ${known.length > 1 ? 'one of ' : ''}${known.join(', ')}`,
  );

export const Flag = () =>
  rule('flag', { type: 'boolean' }, (value) =>
    typeof value === 'boolean' ? undefined : 'must be true or false',
  );

/** Ids begin at 1. Any other whole number is valid, but unknown. */
export const idSchema: JsonSchema = { type: 'integer', minimum: 1 };

/** Validation converts it to an id that the database can look up. */
export const Id = () => {
  const problem = (value: unknown) => (Number.isInteger(value) ? undefined : 'must be a whole number');
  return rule('id', idSchema, problem, rowId);
};

export interface Bounds {
  min: number;
  max: number;
}

export const whole = (name: string, { min, max }: Bounds, what: string) =>
  rule(name, { type: 'integer', minimum: min, maximum: max }, (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? undefined : `must be ${what}`,
  );

export const between = ({ min, max }: Bounds) => `from ${min} to ${max}`;

export const PageSize = () => whole('pageSize', { min: 1, max: limits.pageSize }, `1 to ${limits.pageSize}`);

const VISIBLE_ASCII = new RegExp(`^[\\x21-\\x7e]{1,${limits.idempotencyKey}}$`);

/** What a key may be, for descriptions. */
export const A_KEY = `A key is 1 to ${limits.idempotencyKey} visible ASCII characters.`;

export const IdempotencyKey = () =>
  rule('idempotencyKey', { type: 'string', pattern: VISIBLE_ASCII.source }, (value) =>
    typeof value === 'string' && VISIBLE_ASCII.test(value)
      ? undefined
      : `must be 1 to ${limits.idempotencyKey} visible ASCII characters`,
  );

/** GraphQL's scalar has parsed it already. */
export const Instant = () =>
  rule('instant', { type: 'string', format: 'date-time' }, (value) =>
    value instanceof Date ? undefined : 'must be an instant',
  );

/** At least one of these. */
export const SomeOf = (known: readonly string[]) =>
  rule('someOf', { type: 'array', minItems: 1, items: { enum: known } }, (value) => {
    const isList = Array.isArray(value) && value.every((each) => known.includes(each));
    return isList && value.length > 0 ? undefined : `must name at least one of ${known.join(', ')}`;
  });

/** May be absent: then unchanged, or the default. Null is refused. */
export const Omittable = () =>
  ValidateIf((_input, value) => value !== undefined, { context: { isOptional: true } });

/** May be absent: then unchanged. Null clears it. */
export const Clearable = () =>
  ValidateIf((_input, value) => value !== undefined && value !== null, {
    context: { isOptional: true, isNullable: true },
  });

/** Null clears it, and so must be said: what is absent by mistake would lose what was there. */
export const Said = () => ValidateIf((_input, value) => value !== null, { context: { isNullable: true } });

/** An id that no row has. */
const NO_ROW = 0;

/** Anything that cannot be an id becomes one that no row has: malformed is the same as unknown. */
export function rowId(id: string | number): number {
  const isCanonical = typeof id === 'number' ? id > 0 : /^[1-9]\d{0,15}$/.test(id);
  return isCanonical && Number.isSafeInteger(Number(id)) ? Number(id) : NO_ROW;
}

type InputClass<T> = new () => T;

const rulesOf = (type: unknown) =>
  getMetadataStorage().getTargetValidationMetadatas(type as InputClass<unknown>, '', false, false);

/** A property, with what its rules say together. */
interface Declared extends InputProperty {
  /** Of its rules. */
  problems: Check[];
  isId: boolean;
  convert?: Conversion<unknown>;
}

const declared = new Map<unknown, Declared[]>();

function declaredBy(type: InputClass<object>): Declared[] {
  const known = declared.get(type);
  if (known) return known;
  const found = [...Map.groupBy(rulesOf(type), ({ propertyName }) => propertyName)].map(([name, rules]) => {
    const contexts = rules.map(({ context: { problem: _, ...context } }) => context);
    const problems = rules.flatMap(({ context: { problem } }) => problem ?? []);
    const isId = rules.some((rule) => rule.name === 'id');
    const unspecified = {
      name,
      isOptional: false,
      isNullable: false,
      default: Reflect.get(new type(), name),
    };
    return Object.assign(unspecified, { problems, isId }, ...contexts);
  });
  declared.set(type, found);
  return found;
}

/** Most inputs are valid, and class-validator looks for the rules of a class anew each time. */
const isValid = (input: object, properties: readonly Declared[]): boolean =>
  properties.every(({ name, isOptional, isNullable, problems }) => {
    const value: unknown = Reflect.get(input, name);
    const isAbsent = (isOptional && value === undefined) || (isNullable && value === null);
    return isAbsent || problems.every((problem) => problem(value) === undefined);
  });

/** The names of the properties that an input class declares. */
export const namesIn = (type: InputClass<object>): string[] => declaredBy(type).map(({ name }) => name);

/**
 * Copies only the properties that the class declares: a `__proto__` in a body must not disable the rules, and what
 * nobody knows, however much of it, must cost nothing.
 */
export function inputFrom<T extends object>(type: InputClass<T>, values: object): T {
  const input = new type();
  for (const { name } of declaredBy(type)) {
    const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : undefined;
    if (value !== undefined) Reflect.set(input, name, value);
  }
  return validate(input);
}

/** Validates every input, from both APIs. GraphQL passes ids as text, JSON as numbers. */
export function validate<T extends object>(input: T, { isOfGraphql = false } = {}): T {
  const properties = declaredBy(input.constructor as InputClass<T>);
  for (const { name, isId } of isOfGraphql ? properties : []) {
    const id: unknown = isId && Reflect.get(input, name);
    if (typeof id === 'string') Reflect.set(input, name, rowId(id));
  }
  if (!isValid(input, properties)) throw refusalOf(input, isOfGraphql ? absenceOf : messageOf);
  for (const { name, convert } of properties) {
    const value: unknown = convert && Reflect.get(input, name);
    if (convert && value !== undefined && value !== null) Reflect.set(input, name, convert(value));
  }
  return input;
}

function refusalOf(input: object, saying: (error: ValidationError) => string): Refusal {
  const errors = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
  const fields = Object.fromEntries(errors.map((error) => [error.property, saying(error)]));
  const message = Object.values(fields)[0] ?? 'The input is not valid';
  return new Refusal('invalid', 'INVALID_INPUT', message, { fields });
}

/** Validates a list of inputs, each by itself: a list in an input passes unchecked. */
export const validateEach = <T extends object>(inputs: readonly T[]): (T | Refusal)[] =>
  inputs.map((input) => {
    try {
      return validate(input, { isOfGraphql: true });
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });

const messageOf = (error: ValidationError) => Object.values(error.constraints ?? {})[0] ?? 'is not valid';

/** The types of GraphQL have refused what may never be absent or null. REST says what was specified for it. */
function absenceOf(error: ValidationError): string {
  if (error.value === undefined) return `${label(error.property)} must be given: null clears it`;
  if (error.value === null) return `${label(error.property)} cannot be null: leave it out to keep it`;
  return messageOf(error);
}

/** The rules for one property, for the API document. */
export interface InputProperty {
  name: string;
  schema: JsonSchema;
  isOptional: boolean;
  isNullable: boolean;
  /** The value of the property when it is absent. */
  default: unknown;
}

export const describeInput = (type: InputClass<object>): InputProperty[] =>
  declaredBy(type).map(({ problems: _, isId: __, convert: ___, ...property }) => property);

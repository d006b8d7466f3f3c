import fc from 'fast-check';
import { MARK, MARKED_NUMBER, mix, PASSWORD, type Scene } from './fuzz.js';

/** A value as JSON text, once it is known who sends it. */
export type Value = (scene: Scene) => string;

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema is as wide as JSON
export type Schema = any;

/** One to a line, written as they are. */
export const lines = (text: TemplateStringsArray, ...inserted: string[]): string[] =>
  String.raw(text, ...inserted)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const always = (value: unknown): Value => {
  const text = JSON.stringify(value);
  return () => text;
};

/** Of all planes, without what no database keeps. */
const text = (minLength: number, maxLength: number) =>
  fc
    .string({ unit: 'binary', minLength, maxLength })
    .map((each) =>
      each.replaceAll('\0', '\x01').replace(/^\s*$/, (blank) => blank.padEnd(1).replaceAll(/./gsu, 'x')),
    );

const identity = (name: string): fc.Arbitrary<Value> =>
  mix(
    [9, fc.nat(20).map((pick) => (scene) => JSON.stringify(scene.idOf(name, pick) ?? pick))],
    [
      1,
      fc.nat(20).map(
        (pick) =>
          ({ canary }) =>
            JSON.stringify(canary?.idOf(name, pick) ?? pick),
      ),
    ],
    [1, fc.constantFrom(1, 99_999_999, Number.MAX_SAFE_INTEGER).map(always)],
  );

const email = mix<Value>(
  [10, fc.constant((scene) => JSON.stringify(scene.newEmail()))],
  [9, fc.constant(({ email }) => JSON.stringify(email))],
  [1, fc.constant(({ canary }) => JSON.stringify(canary?.email))],
  [1, fc.constant(({ canary }) => JSON.stringify(` ${canary?.email.toUpperCase()} `))],
);

const password = mix<string>([6, fc.constant(PASSWORD)], [1, text(6, 100)]);

/** The word that names a kind of row: `task_id`, `taskId` → `task`. */
export const kindOf = (name: string) => name.replace(/_?id$/i, '').replaceAll(/[_-]/g, '');

/** What the schema of a field allows; its name tells what makes sense. */
export function sensibleValue(schema: Schema, name: string): fc.Arbitrary<Value> {
  const types = [schema.type].flat();
  const some = sensible(schema, types[0], name);
  return types.includes('null') ? mix([5, some], [1, fc.constant(always(null))]) : some;
}

function sensible(schema: Schema, type: string, name: string): fc.Arbitrary<Value> {
  if (schema.enum) return fc.constantFrom(...schema.enum).map(always);
  if (type === 'boolean') return fc.boolean().map(always);
  if (type === 'integer') return identity(kindOf(name));
  if (type === 'number') {
    const { exclusiveMinimum = 0, maximum = 1_000_000_000 } = schema;
    const between = fc.double({ min: exclusiveMinimum, minExcluded: true, max: maximum, noNaN: true });
    return fc.oneof(fc.constantFrom(0.1, 1, maximum), between).map(always);
  }
  if (/e-?mail/i.test(name)) return email;
  if (/password/i.test(name)) return password.map(always);
  if (schema.format === 'uri' || /picture/i.test(name))
    return fc.webUrl({ withQueryParameters: true, withFragments: true }).map(always);
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern)).map(always);
  const { minLength = 0, maxLength = 1_000 } = schema;
  const short = text(minLength, Math.min(maxLength, 30));
  return mix<string>([8, short], [1, fc.constant('😀'.repeat(maxLength))]).map(always);
}

const nested = (depth: number, open: string, close: string) =>
  `${open.repeat(depth)}"${MARK}"${close.repeat(depth)}`;

export const oddText = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\n', `${MARK}\0`, `\0${MARK}`, `${MARK}\ud800`, `\udc00${MARK}`, `${MARK}\udc00\ud800`],
    ...['\ufeff', '\u202e', '\u2028', '\uffff', 'ﷺ', '2026-02-30', '0000-01-01', '9999-12-31'],
    ...[`${MARK}' or 1=1--`, `$1 ${MARK}`, `%s${MARK}`, `\${${MARK}}`, `${MARK}@x`, `${MARK}@`, '__proto__'],
    ...[`https://${MARK}`, `javascript:${MARK}`, MARK.repeat(10_000), 'constructor', 'undefined', 'null'],
    ...['NaN', 'Infinity', '-0', '1e400'],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }).map((each) => MARK + each),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 10 })
    .map((units) => MARK + String.fromCharCode(...units)),
);

/** JSON that few fields are made for. */
export const oddJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', 'false', '[]', '{}', '[1]', '[null]', `["${MARK}"]`, `{"a":"${MARK}"}`, '""'],
    ...['0', '-0', '0.0', '-1', '1.5', '1e308', '-1e308', '1e400', '-1e400', '5e-324', '1e-400'],
    ...[MARKED_NUMBER, `-${MARKED_NUMBER}`, `${MARKED_NUMBER}.5`, '9007199254740992', '9007199254740993'],
    ...['9223372036854775807', '9223372036854775808', '18446744073709551617', '1'.repeat(400), '2147483648'],
    ...['{"toString":1,"valueOf":1,"length":9}', '{"__proto__":{"length":9},"constructor":1}'],
    ...[nested(100, '[', ']'), nested(100, '{"a":', '}')],
    ...[nested(20_000, '[', ']'), nested(20_000, '{"a":', '}')],
  ),
  oddText.map((each) => JSON.stringify(each)),
  fc.double().map((each) => JSON.stringify(each)),
  fc.jsonValue({ maxDepth: 3 }).map((each) => JSON.stringify(each)),
);

const nearly = fc.record({
  text: fc.constantFrom(...[`${MARK}\0`, `${MARK}\ud800`, ' ', MARK, `${MARK} `.repeat(3_000)]),
  number: fc.constantFrom(
    ...[
      '0',
      '-1',
      '1.5',
      '1e400',
      '-1e400',
      '1e308',
      '9007199254740992',
      '9223372036854775808',
      MARKED_NUMBER,
    ],
  ),
  day: fc.constantFrom('0000-01-01', '0001-01-01', '9999-12-31', '2026-02-30', '2026-11-1', MARK),
});

/** Something odd in the place of a value, as JSON: more often than not of its own kind. */
export const oddInPlace: fc.Arbitrary<(value: string) => string> = mix<(value: string) => string>(
  [
    2,
    nearly.map(({ text, number, day }) => (value) => {
      if (/^-?\d/.test(value)) return number;
      return JSON.stringify(/^"\d{4}-\d\d-\d\d"$/.test(value) ? day : text);
    }),
  ],
  [1, oddJson.map((odd) => () => odd)],
);

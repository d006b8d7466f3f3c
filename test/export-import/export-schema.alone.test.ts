import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { describe, expect, it } from 'vitest';
import { CarriedFile, type Fault } from '../../src/base/carried-file.js';
import type { Shape } from '../../src/base/carried-schema.js';
import { Refusal } from '../../src/base/errors.js';
import { schemaOfFile } from '../../src/features/export-import/export-schema.js';
import { carried } from '../../src/features.js';

const schema = schemaOfFile(carried);

const validate = new AjvJsonSchemaValidator().getValidator(schema as object);

describe('docs/export.schema.json', () => {
  it('is what the features declare', async () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/export.schema.json');
  });

  it('refuses what an import refuses: each value just outside of a rule', async () => {
    expect(validate(file)).toMatchObject({ valid: true });
    expect(await refusedIn(file)).toEqual([]);
    const places = placesIn(schema, file).filter(({ at }) => !HEAD.has(at));
    const wrong = places.flatMap(({ at, shape, put }) => beyond(shape).map((value) => ({ at, value, put })));
    expect(wrong.length).toBeGreaterThan(150); // or it has looked at nothing
    const taken: string[] = [];
    for (const { at, value, put } of wrong) {
      const told = `${at}: ${JSON.stringify(value).slice(0, 50)}`;
      if (validate(put(value)).valid) taken.push(`schema: ${told}`);
      if (!(await refusedIn(put(value))).some((each) => at.startsWith(each))) taken.push(`import: ${told}`);
    }
    expect(taken).toEqual([]);
  });
});

const AT = '2026-11-20T08:00:00.000Z';
const EVERY_FIELD = { title: 'Swim', points: 5, isDailyRoutine: true, hasGraceDay: false, description: 'x' };

/** With a value at each place. */
const file = {
  ...{ format: 'steady-export', version: 2 },
  account: { timeZone: 'UTC', dayStartsAt: 3, weekStartsOn: 'SUNDAY', language: 'DE', dayReminder: '08:00' },
  challenges: [
    {
      ...{ templateId: 1, templateTitle: null, status: 'COMPLETED', notes: 'x' },
      ...{ startDate: AT, startedOn: '2026-11-20', completedAt: AT, createdAt: AT, updatedAt: AT },
    },
  ],
  tasks: [
    {
      ...{ ...EVERY_FIELD, id: 7, challengeTemplateId: 1, challengeTemplateTitle: null },
      ...{ madeOn: '2026-11-20', archivedOn: '2026-11-20' },
      ...{ createdAt: AT, updatedAt: AT, archivedAt: AT, schedule: { weekdays: ['MONDAY'] } },
      ...{
        target: { amount: 5, unit: 'km', kind: 'AT_LEAST', per: 'DAY' },
        step: 1,
        colour: 'RED',
        icon: 'x',
      },
      ...{ tags: ['a'], section: 'b', reminders: [{ at: '08:00', weekdays: ['MONDAY'] }] },
    },
    { ...EVERY_FIELD, id: 8, createdAt: AT, updatedAt: AT, schedule: { every: 2 } },
    { ...EVERY_FIELD, id: 9, createdAt: AT, updatedAt: AT, schedule: { times: { times: 2, per: 'MONTH' } } },
  ],
  pauses: [{ task: 7, from: '2026-11-01', until: '2026-11-02', note: 'x' }],
  skips: [{ task: 7, date: '2026-11-20', note: 'x' }],
  completions: [
    { task: 7, points: 5, completedAt: AT, day: '2026-11-20', recordedAt: AT, amount: 1, note: 'x' },
  ],
};

/** Looked at before the rest is. */
const HEAD = new Set(['format', 'version']);

/** Where an import finds fault with what a file holds. */
async function refusedIn(contents: object): Promise<string[]> {
  const faults: Fault[] = [];
  const lists = Object.fromEntries(carried.parts.flatMap(({ name, list }) => (list ? [[name, list]] : [])));
  const read = new CarriedFile(new Map(Object.entries(contents)), faults, lists);
  const here = {
    ...{ now: new Date('2026-11-21T12:00:00.000Z'), templates: [{ id: 1, title: 'A Good Week' }] },
    ...{ hasZone: async () => true, isAdded: false },
    ...{ kinds: new Map(), ids: new Map(), there: new Set<number>() },
  };
  try {
    for (const part of carried.parts) await part.read(read, here);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return faults.map(({ path }) => path);
}

interface Place {
  at: string;
  shape: Shape;
  /** The file with another value there. */
  put: (value: unknown) => object;
}

/** Each value of a file, by what the schema says of it. */
function placesIn(shape: Shape, value: unknown, at = '', put = (other: unknown) => other as object): Place[] {
  const below = Array.isArray(value)
    ? value.flatMap((each, index) =>
        placesIn(shape.items ?? {}, each, `${at}[${index}]`, (other) => put(value.with(index, other))),
      )
    : typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([name, each]) =>
          placesIn(shape.properties?.[name] ?? {}, each, at ? `${at}.${name}` : name, (other) =>
            put({ ...value, [name]: other }),
          ),
        );
  return at ? [{ at, shape, put }, ...below] : below;
}

/** Values just outside of what a schema says. */
function beyond({ type, enum: known, const: only, pattern, ...bounds }: Shape): unknown[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, maxItems, minItems, items } =
    bounds as Record<string, number> & Shape;
  const isText = [type].flat().includes('string');
  return [
    ...(known || only || isText ? [5] : ['five']),
    ...(known || only || pattern ? ['NOTHING'] : []),
    ...([type].flat().includes('null') || (Array.isArray(known) && known.includes(null)) ? [] : [null]),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
    ...(minLength === undefined ? [] : ['']),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minItems === undefined ? [] : [[]]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, (_, at) => sampleOf(items, at))]),
  ];
}

const sampleOf = (items: Shape | undefined, at: number): unknown =>
  items?.properties ? { at: `0${at}:00` } : `${at}`;

import { readFileSync } from 'node:fs';
import { type GraphQLInputObjectType, type GraphQLObjectType, getNamedType, isNonNullType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { describeInput } from '../../src/base/validation.js';
import { Task } from '../../src/features/habits/task.entity.js';
import { CreateHabitInput } from '../../src/features/habits/task.input.js';
import { world, worldOf } from '../support/world.js';

// What is written by hand for each field, and would be forgotten for a new one without a word.

const WEEK = 'MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY'.split(' ');

const byField: Record<string, [made: unknown, changed: unknown]> = {
  schedule: [{ weekdays: ['MONDAY', 'FRIDAY'] }, { weekdays: WEEK }],
  target: [
    { amount: 0, unit: 'km', kind: 'AT_MOST', per: 'DAY' },
    { amount: 30, unit: 'min', kind: 'AT_LEAST', per: 'WEEK' },
  ],
  colour: ['TEAL', 'PINK'],
  icon: ['👩‍🚀', '🏊'],
  tags: [['Sea', 'early'], ['late']],
  reminders: [[{ at: '07:30', weekdays: ['MONDAY', 'FRIDAY'] }], [{ at: '20:00', weekdays: ['SUNDAY'] }]],
};

const samples: Record<string, [made: unknown, changed: unknown]> = {
  String: ['#a1b2c3', '#d4e5f6'],
  Float: [2.5, 3.5],
  Boolean: [true, false],
  DateTime: ['2026-11-20T08:30:00.000Z', '2026-11-20T09:30:00.000Z'],
};

const rules = new Map(describeInput(CreateHabitInput).map(({ name, schema }) => [name, schema]));

/** The bounds of a whole number. */
const boundsOf = (name: string): typeof samples.Int => {
  const { type, maximum = 4, minimum = 3 } = rules.get(name) ?? {};
  return type === 'integer' ? [maximum, minimum] : undefined;
};

/** A value for every field of an input that a task has too. */
function valuesOf(inputName: string, which: 0 | 1): Record<string, unknown> {
  const input = declaredSchema().getType(inputName) as GraphQLInputObjectType;
  const task = declaredSchema().getType('Task') as GraphQLObjectType;
  const shared = Object.values(input.getFields()).filter(({ name }) => name in task.getFields());
  return Object.fromEntries(
    shared.map(({ name, type }) => [
      name,
      (byField[name] ?? boundsOf(name) ?? samples[getNamedType(type).name])?.[which],
    ]),
  );
}

const PARTS: Record<string, string> = {
  schedule: 'schedule { everyDay weekdays everyDays timesPer { count period } }',
  target: 'target { amount unit kind per }',
  reminders: 'reminders { at weekdays }',
};

const fieldsOf = (values: object) =>
  Object.keys(values)
    .map((name) => PARTS[name] ?? name)
    .join(' ');

/** As a task shows what its input says. */
const shown = ({ schedule, ...values }: { schedule?: object }) => ({
  ...values,
  ...(schedule && {
    schedule: { everyDay: null, weekdays: null, everyDays: null, timesPer: null, ...schedule },
  }),
});

const CREATE = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
const UPDATE =
  'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { task { id } } }';

describe('A task', () => {
  it('has every field that it was made with, then what each was changed to, and then none that may be null', async () => {
    const { ana } = await worldOf('ana');
    const [made, changed] = [valuesOf('CreateTaskInput', 0), valuesOf('UpdateTaskInput', 1)];
    const { id } = (await ana.query(CREATE, { input: made })).createTask.task;
    const read = async () => (await ana.query(`{ task(id: ${id}) { ${fieldsOf(made)} } }`)).task;
    expect(await read()).toEqual(shown(made));
    for (const [name, value] of Object.entries(shown(made))) {
      const { tasks } = await ana.query(`{ tasks { nodes { ${PARTS[name] ?? name} } } }`);
      expect(tasks.nodes, 'in a list, whichever is asked for').toEqual([{ [name]: value }]);
    }
    const fields = [made, changed].map((values) => Object.keys(values).sort());
    expect(fields[1], 'what it is made with can be changed').toEqual(fields[0]);
    await ana.query(UPDATE, { id, input: changed });
    expect(await read()).toEqual(shown(changed));
    const ofTask = (declaredSchema().getType('Task') as GraphQLObjectType).getFields();
    const clearable = Object.keys(made).filter((name) => !isNonNullType(ofTask[name]?.type));
    const nothing = Object.fromEntries(clearable.map((name) => [name, null]));
    await ana.query(UPDATE, { id, input: nothing });
    expect(await read()).toEqual({ ...shown(changed), ...nothing });
  });

  it('is exported with every column that is not counted from its completions, its place in the order, or a key', async () => {
    const { database } = await world();
    const columns = database.orm
      .getMetadata()
      .get(Task)
      .props.map(({ name }) => name);
    const schema = JSON.parse(readFileSync('docs/export.schema.json', 'utf8'));
    const exported = Object.keys(schema.properties.tasks.items.properties);
    const within = 'weekdays everyDays times period targetAmount targetUnit targetKind targetPeriod'; // of schedule and target
    const counted = 'completionCount lastCompletedAt lastDay runStartedOn longestRun runCount runNeedsLens';
    const keys = 'userId listedAt rank idempotencyKey creationDigest';
    const left = `${counted} ${within} ${keys}`.split(' ');
    expect(columns.filter((name) => !left.includes(name) && !exported.includes(name))).toEqual([]);
  });
});

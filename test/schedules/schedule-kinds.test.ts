import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { world } from '../support/world.js';

const SCHEDULE = 'schedule { kind everyDay weekdays everyDays timesPer { count period } }';
const CREATE = `mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id ${SCHEDULE} } } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateTaskInput!) {
  updateTask(id: $id, input: $input) { task { ${SCHEDULE} } }
}`;

const WEEK = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

const NOTHING = { everyDay: null, weekdays: null, everyDays: null, timesPer: null };

/** Each as it is given, and the kind that is then shown. */
const KINDS: [object, string][] = [
  [{ everyDay: true }, 'EVERY_DAY'],
  [{ weekdays: ['FRIDAY'] }, 'WEEKDAYS'],
  [{ weekdays: WEEK }, 'WEEKDAYS'],
  [{ everyDays: 1 }, 'INTERVAL'],
  [{ everyDays: 2 }, 'INTERVAL'],
  [{ everyDays: 365 }, 'INTERVAL'],
  [{ timesPer: { count: 3, period: 'WEEK' } }, 'TIMES'],
  [{ timesPer: { count: 31, period: 'MONTH' } }, 'TIMES'],
];

describe.each(['off', 'always'] as const)('A schedule, fast path %s', (fastPath) => {
  it('says of which kind it is, and else what was given, and can be sent back as it was read', async () => {
    const { newUser } = await world({ config: { ...configOf(), fastPath } });
    const ana = await newUser();
    const made = async (input: object) => (await ana.query(CREATE, { input })).createTask.task;
    const usual = { ...NOTHING, kind: 'EVERY_DAY', everyDay: true };
    expect((await made({ title: 'Swim' })).schedule).toEqual(usual);
    for (const [schedule, kind] of KINDS) {
      const { id, schedule: shown } = await made({ title: 'Swim', schedule });
      expect(shown).toEqual({ ...NOTHING, kind, ...schedule });
      const { updateTask } = await ana.query(UPDATE, { id, input: { schedule } });
      expect(updateTask.task.schedule).toEqual(shown);
    }
  });
});

it('A schedule is marked for tools that read the schema', async () => {
  const { rest } = await world();
  const { data } = await rest.ask(
    '{ __type(name: "ScheduleInput") { isOneOf } other: __type(name: "TargetInput") { isOneOf } }',
  );
  expect(data).toEqual({ __type: { isOneOf: true }, other: { isOneOf: false } });
});

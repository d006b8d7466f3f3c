import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { transports } from '../support/transports.js';
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
  const person = async () => {
    const { newUser } = await world({ config: { ...configOf(), fastPath } });
    const { base, token } = await newUser();
    return { base, authorization: `Bearer ${token}` };
  };

  it.each(transports)('says of which kind it is, and else what was given, over %s', async (_way, ask) => {
    const { base, authorization } = await person();
    const kindOf = async (schedule: object | null) => {
      const input = { title: 'Swim', ...(schedule && { schedule }) };
      return (await ask(base, { query: CREATE, variables: { input }, authorization })).data?.createTask.task
        .schedule;
    };
    expect(await kindOf(null)).toEqual({ ...NOTHING, kind: 'EVERY_DAY', everyDay: true });
    for (const [given, kind] of KINDS) expect(await kindOf(given)).toEqual({ ...NOTHING, kind, ...given });
  });

  it.each(transports)('that was read can be sent back as it was read, over %s', async (_way, ask) => {
    const { base, authorization } = await person();
    for (const [schedule] of KINDS) {
      const made = await ask(base, {
        ...{ query: CREATE, authorization },
        variables: { input: { title: 'Swim', schedule } },
      });
      const { id, schedule: shown } = made.data?.createTask.task ?? {};
      const { kind: _, ...read } = shown;
      const given = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
      expect(given).toEqual(schedule);
      const sent = await ask(base, {
        ...{ query: UPDATE, authorization },
        variables: { id, input: { schedule: given } },
      });
      expect(sent.data?.updateTask.task.schedule).toEqual(shown);
    }
  });

  it('is marked for tools that read the schema', async () => {
    const { base, authorization } = await person();
    const query =
      '{ __type(name: "ScheduleInput") { isOneOf } other: __type(name: "TargetInput") { isOneOf } }';
    const [[, ask] = []] = transports;
    expect((await ask?.(base, { query, authorization }))?.data).toEqual({
      __type: { isOneOf: true },
      other: { isOneOf: false },
    });
  });
});

import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { transports } from '../support/transports.js';
import { world } from '../support/world.js';

const CREATE =
  'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { schedule { kind weekdays every times per } } } }';

const EVERY_DAY = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

const NOTHING = { weekdays: null, every: null, times: null, per: null };

describe.each(['off', 'always'] as const)('A schedule, fast path %s', (fastPath) => {
  const person = async () => {
    const { newUser } = await world({ config: { ...configOf(), fastPath } });
    const { base, token } = await newUser();
    return { base, authorization: `Bearer ${token}` };
  };

  it.each(transports)('says of which kind it is, over %s', async (_way, ask) => {
    const { base, authorization } = await person();
    const kindOf = async (schedule: object | null) => {
      const input = { title: 'Swim', ...(schedule && { schedule }) };
      return (await ask(base, { query: CREATE, variables: { input }, authorization })).data?.createTask.task
        .schedule;
    };
    const daily = { ...NOTHING, kind: 'EVERY_DAY', weekdays: EVERY_DAY };
    expect(await kindOf(null)).toEqual(daily);
    expect(await kindOf({ weekdays: EVERY_DAY })).toEqual(daily);
    expect(await kindOf({ weekdays: ['FRIDAY'] })).toEqual({
      ...NOTHING,
      kind: 'WEEKDAYS',
      weekdays: ['FRIDAY'],
    });
    expect(await kindOf({ every: 2 })).toEqual({ ...NOTHING, kind: 'INTERVAL', every: 2 });
    const weekly = { times: 3, per: 'WEEK' };
    expect(await kindOf({ times: weekly })).toEqual({ ...NOTHING, kind: 'TIMES', ...weekly });
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

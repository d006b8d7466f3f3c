import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { queriesOf } from '../support/statements.js';
import { person } from './person.js';

const NEXT = 'nextDueOn thisPeriod { from to goal done remaining isKept }';

describe.each(['off', 'always'] as const)('What comes, fast path %s', (fastPath) => {
  it('is told of every kind of schedule', async () => {
    const { ana, makes, at, does } = await person({ ...configOf(), fastPath });
    const next = async () => {
      const query = `{ tasks { nodes { title nextDueOn } } }`;
      const { data } = await ana.rest.ask(query);
      return Object.fromEntries(
        data?.tasks.nodes.map(({ title, nextDueOn }: Record<string, string>) => [title, nextDueOn]),
      );
    };
    const daily = await makes('title: "daily"');
    const gym = await makes('title: "gym", schedule: { weekdays: [MONDAY, FRIDAY] }');
    const third = await makes('title: "third", schedule: { everyDays: 3 }');
    const weekly = await makes('title: "weekly", schedule: { timesPer: { count: 1, period: WEEK } }');
    const far = await makes('title: "far", target: { amount: 20, unit: "km", per: WEEK }');
    await makes('title: "limit", target: { amount: 2, unit: "coffees", kind: AT_MOST }');
    const today = '2026-11-02';
    expect(await next()).toEqual({
      ...{ daily: today, gym: today, third: today, weekly: today, far: today },
      limit: null,
    });
    for (const id of [daily, gym, third, weekly]) await does(id, [2]);
    await does(far, [2], ', amount: 12');
    expect(await next()).toEqual({
      ...{ daily: '2026-11-03', gym: '2026-11-06', third: '2026-11-05', weekly: '2026-11-09' },
      ...{ far: '2026-11-03', limit: null },
    });
    for (const id of [daily, gym])
      await ana.query(
        `mutation { createPause(input: { taskId: ${id}, from: "2026-11-03", until: "2026-11-06" }) { pause { id } } }`,
      );
    await ana.query(`mutation { skipDay(taskId: ${third}, date: "2026-11-04") { date } }`);
    await does(far, [3], ', amount: 8');
    at(3);
    expect(await next()).toEqual({
      ...{ daily: '2026-11-07', gym: '2026-11-09', third: '2026-11-06', weekly: '2026-11-09' },
      ...{ far: '2026-11-09', limit: null },
    });
    await ana.query(`mutation { createPause(input: { from: "2026-11-04" }) { pause { id } } }`);
    await ana.query(`mutation { archiveTask(id: ${daily}) { task { id } } }`);
    expect(Object.values(await next())).toEqual([null, null, null, null, null]);
    const query = `{ task(id: ${daily}) { nextDueOn } }`;
    expect((await ana.rest.ask(query)).data).toEqual({
      task: { nextDueOn: null },
    });
  });

  it('is in the calendar for days ahead', async () => {
    const { ana, makes, does } = await person({ ...configOf(), fastPath });
    const third = await makes('title: "third", schedule: { everyDays: 3 }');
    const gym = await makes('title: "gym", schedule: { weekdays: [MONDAY, FRIDAY] }');
    await does(third, [2]);
    const days = 'calendar(from: "2026-11-01", to: "2026-11-07") { isDue }';
    const all = days.replace('isDue', 'dueCount keptCount');
    const query = `{ me { ${all} } third: task(id: ${third}) { ${days} } gym: task(id: ${gym}) { ${days} } }`;
    const { data } = await ana.rest.ask(query);
    const isDue = (of: { calendar: { isDue: boolean }[] }) => of.calendar.map((day) => day.isDue);
    expect(data?.me.calendar.map((day: Record<string, number>) => [day.dueCount, day.keptCount])).toEqual([
      ...[
        [0, 0],
        [2, 1],
        [0, 0],
        [0, 0],
        [1, 0],
        [2, 0],
        [1, 0],
      ],
    ]);
    expect(isDue(data?.third)).toEqual([false, true, false, false, true, true, true]);
    expect(isDue(data?.gym)).toEqual([false, true, false, false, false, true, false]);
  });
});

describe('This period', () => {
  it('says how far a goal of a week or month is, in days or in the unit of its target', async () => {
    const { ana, makes, at, does, read } = await person();
    const [daily, swim, far, coffee] = [
      await makes('title: "daily"'),
      await makes('title: "Swim", schedule: { timesPer: { count: 3, period: WEEK } }'),
      await makes('title: "Run", target: { amount: 20, unit: "km", per: MONTH }'),
      await makes('title: "Coffee", target: { amount: 5, unit: "cups", per: WEEK, kind: AT_MOST }'),
    ];
    for (const id of [daily, coffee])
      expect(await read(id, 'thisPeriod { goal }')).toEqual({ thisPeriod: null });
    await does(swim, [3, 4]);
    await does(far, [4], ', amount: 12.1');
    const week = { from: '2026-11-02', to: '2026-11-08' };
    expect(await read(swim, NEXT)).toEqual({
      nextDueOn: '2026-11-05',
      thisPeriod: { ...week, goal: 3, done: 2, remaining: 1, isKept: false },
    });
    expect((await read(far, NEXT)).thisPeriod).toEqual({
      ...{ from: '2026-11-01', to: '2026-11-30', goal: 20, done: 12.1, remaining: 7.9, isKept: false },
    });
    await ana.query(
      'mutation { createPause(input: { from: "2026-11-05", until: "2026-11-08" }) { pause { id } } }',
    );
    await ana.query(`mutation { skipDay(taskId: ${swim}, date: "2026-11-02") { date } }`);
    expect((await read(swim, NEXT)).thisPeriod).toEqual({
      ...week,
      goal: 2,
      done: 2,
      remaining: 0,
      isKept: true,
    });
    await does(far, [5], ', amount: 9');
    expect((await read(far, NEXT)).thisPeriod).toMatchObject({ done: 21.1, remaining: 0, isKept: true });
    at(12);
    expect((await read(swim, NEXT)).thisPeriod).toMatchObject({
      from: '2026-11-09',
      goal: 3,
      done: 0,
      remaining: 3,
    });
  });

  it('asks for nothing where all of its days are paused, as statistics say', async () => {
    const { ana, makes, at, does, read } = await person();
    const far = await makes('title: "Run", target: { amount: 20, unit: "km", per: WEEK }');
    const swim = await makes('title: "Swim", schedule: { timesPer: { count: 3, period: WEEK } }');
    await ana.query(
      'mutation { createPause(input: { from: "2026-11-02", until: "2026-11-08" }) { pause { id } } }',
    );
    const progress = 'thisPeriod { goal done remaining isKept }';
    const nothing = { thisPeriod: { goal: 0, done: 0, remaining: 0, isKept: false } };
    for (const id of [far, swim]) expect(await read(id, progress)).toEqual(nothing);
    await does(far, [3], ', amount: 5');
    expect((await read(far, progress)).thisPeriod).toEqual({ goal: 0, done: 5, remaining: 0, isKept: false });
    await does(far, [4], ', amount: 15');
    expect((await read(far, progress)).thisPeriod).toEqual({
      goal: 20,
      done: 20,
      remaining: 0,
      isKept: true,
    });
    at(12);
    const weeks =
      'statistics(from: "2026-11-02", to: "2026-11-08") { by(period: WEEK) { dueCount keptCount } }';
    expect((await read(far, weeks)).statistics.by).toEqual([{ dueCount: 1, keptCount: 1 }]);
    expect((await read(swim, weeks)).statistics.by).toEqual([{ dueCount: 0, keptCount: 0 }]);
  });

  it('costs a list no statement more than today', async () => {
    const here = await person();
    for (const title of ['a', 'b', 'c'])
      await here.makes(`title: "${title}", schedule: { timesPer: { count: 2, period: WEEK } }`);
    const countOf = async (fields: string) =>
      (await queriesOf(here, () => here.ana.query(`{ tasks { nodes { ${fields} } } }`))).length;
    expect(await countOf(`today { state } ${NEXT} streak { count }`)).toBe(
      await countOf('today { state } streak { count }'),
    );
  });
});

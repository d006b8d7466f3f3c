import { expect, it } from 'vitest';
import { person } from './person.js';

it('What comes is told of every kind of schedule', async () => {
  const { ana, makes, at, does, change } = await person();
  const next = async () => {
    const { tasks } = await ana.query('{ tasks { nodes { nextDueOn } } }');
    return tasks.nodes.map(({ nextDueOn }: { nextDueOn: string | null }) => nextDueOn?.slice(8) ?? null);
  };
  const daily = await makes('title: "daily"');
  const gym = await makes('title: "gym", schedule: { weekdays: [MONDAY, FRIDAY] }');
  const third = await makes('title: "third", schedule: { everyDays: 3 }');
  const weekly = await makes('title: "weekly", schedule: { timesPer: { count: 1, period: WEEK } }');
  const far = await makes('title: "far", target: { amount: 20, unit: "km", per: WEEK }');
  await makes('title: "limit", target: { amount: 2, unit: "coffees", kind: AT_MOST }');
  for (const id of [daily, gym, third, weekly]) await does(id, [2]);
  await does(far, [2], ', amount: 12');
  expect(await next()).toEqual(['03', '06', '05', '09', '03', null]);
  for (const id of [daily, gym])
    await change(`createPause(input: { taskId: ${id}, from: "2026-11-03", until: "2026-11-06" })`);
  await change(`skipDay(taskId: ${third}, date: "2026-11-04")`);
  await does(far, [3], ', amount: 8');
  at(3);
  expect(await next()).toEqual(['07', '09', '06', '09', '09', null]);
  await change('createPause(input: { from: "2026-11-04" })');
  expect(await next()).toEqual([null, null, null, null, null, null]);
});

it('This period says how far a goal of a week or month is, in days or in the unit of its target', async () => {
  const { makes, does, read, change } = await person();
  const PROGRESS = 'thisPeriod { from to goal done remaining isKept }';
  const swim = await makes('title: "Swim", schedule: { timesPer: { count: 3, period: WEEK } }');
  const far = await makes('title: "Run", target: { amount: 20, unit: "km", per: MONTH }');
  expect((await read(await makes('title: "daily"'), PROGRESS)).thisPeriod).toBeNull();
  await does(swim, [3, 4]);
  await does(far, [4], ', amount: 12.1');
  await change('createPause(input: { from: "2026-11-05", until: "2026-11-08" })');
  expect((await read(swim, PROGRESS)).thisPeriod).toEqual({
    ...{ from: '2026-11-02', to: '2026-11-08', goal: 3, done: 2, remaining: 1, isKept: false },
  });
  expect((await read(far, PROGRESS)).thisPeriod).toEqual({
    ...{ from: '2026-11-01', to: '2026-11-30', goal: 20, done: 12.1, remaining: 7.9, isKept: false },
  });
});

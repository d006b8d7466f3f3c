import { describe, expect, it } from 'vitest';
import { person } from '../schedules/person.js';
import type { TestUser } from '../support/world.js';

/** How many of how many habits were kept, from that Monday on. */
const keptOn = async (ana: TestUser, count: number): Promise<string[]> => {
  const to = `2026-11-${String(count + 1).padStart(2, '0')}`;
  const days = `calendar(from: "2026-11-02", to: "${to}") { dueCount keptCount }`;
  const counts: { dueCount: number; keptCount: number }[] = (await ana.query(`{ me { ${days} } }`)).me
    .calendar;
  return counts.map(({ dueCount, keptCount }) => `${keptCount} of ${dueCount}`);
};

describe('A day of the user', () => {
  it('counts what was asked for and kept: no limit, nothing archived, skipped or paused, unless it was kept', async () => {
    const { ana, makes, at, does } = await person();
    const swim = await makes('title: "Swim"');
    const read = await makes('title: "Read", schedule: { weekdays: [MONDAY, THURSDAY] }');
    const water = await makes('title: "Water", target: { amount: 8, unit: "glasses" }');
    await makes('title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }');
    await does(swim, [2, 3, 5]);
    await does(water, [3], ', amount: 3');
    await does(read, [5]);
    at(6);
    for (const change of [
      `skipDay(taskId: ${swim}, date: "2026-11-05") { date }`, // and was kept
      `skipDay(taskId: ${water}, date: "2026-11-03") { date }`, // and was not, though something was done
      'createPause(input: { from: "2026-11-04", until: "2026-11-04" }) { pause { id } }',
      `archiveTask(id: ${water}) { task { id } }`,
    ])
      await ana.query(`mutation { ${change} }`);
    at(7);
    expect(await keptOn(ana, 8)).toEqual([
      ...['1 of 3', '1 of 1', '0 of 0', '2 of 3', '0 of 1', '0 of 1', '0 of 1', '0 of 2'], // the last is ahead
    ]);
  });

  it('is no day of a week or month, but where that was kept, or its last day fell short', async () => {
    const { ana, makes, at, does } = await person();
    const gym = await makes('title: "Gym", schedule: { weekdays: [MONDAY] }');
    const run = await makes('title: "Run", schedule: { timesPer: { count: 3, period: WEEK } }');
    const spanish = await makes('title: "Spanish", target: { amount: 150, unit: "minutes", per: WEEK }');
    await does(gym, [3]); // nobody had asked for it
    await does(run, [3, 5]);
    await does(spanish, [5, 8], ', amount: 60');
    at(9);
    expect(await keptOn(ana, 7)).toEqual([
      ...['0 of 1', '2 of 2', '0 of 0', '2 of 2', '0 of 0', '0 of 0', '0 of 1'],
    ]);
  });

  it('asks on its last day for the amount of a week that fell short, though nothing was done on it', async () => {
    const { ana, makes, at, does, change } = await person();
    const spanish = await makes('title: "Spanish", target: { amount: 150, unit: "minutes", per: WEEK }');
    const french = await makes('title: "French", target: { amount: 150, unit: "minutes", per: WEEK }');
    await does(spanish, [5], ', amount: 60');
    await does(french, [5], ', amount: 150');
    const counted = async () => (await keptOn(ana, 7)).slice(3);
    for (const day of [8, 9]) {
      at(day);
      expect(await counted()).toEqual(['2 of 2', '0 of 0', '0 of 0', '0 of 1']);
    }
    await change(`skipDay(taskId: ${spanish}, date: "2026-11-08")`);
    expect(await counted()).toEqual(['2 of 2', '0 of 0', '0 of 1', '0 of 0']); // rested: the day before
    await does(spanish, [8], ', amount: 90');
    expect(await counted()).toEqual(['2 of 2', '0 of 0', '0 of 0', '1 of 1']); // met on the day that rested
  });
});

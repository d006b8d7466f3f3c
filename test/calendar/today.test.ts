import { describe, expect, it } from 'vitest';
import { person } from '../schedules/person.js';

const FILTERS = ['OPEN', 'KEPT', 'PLANNED', 'UNPLANNED'];

interface Listed {
  title: string;
  today: { filters: string[]; isOpen: boolean; isKept: boolean };
}

describe('Of a task, today', () => {
  it('tells the filters that find it, in use or archived', async () => {
    const { ana, makes, at, does } = await person();
    const of = (target: string) => `target: { unit: "km", ${target} }`;
    const plans: Record<string, [plan: string, filters: string]> = {
      Open: ['', 'OPEN PLANNED'],
      Done: ['', 'KEPT PLANNED'],
      Rest: ['schedule: { weekdays: [MONDAY] }', 'UNPLANNED'],
      More: ['schedule: { weekdays: [MONDAY] }', 'KEPT UNPLANNED'],
      Some: [of('amount: 3'), 'OPEN PLANNED'],
      Limit: [of('amount: 2, kind: AT_MOST'), 'UNPLANNED'],
      Skipped: ['', 'UNPLANNED'],
      'Skipped and done': ['', 'KEPT PLANNED'],
      Paused: ['', 'UNPLANNED'],
      Week: [of('amount: 9, per: WEEK'), 'KEPT PLANNED'],
      Times: ['schedule: { timesPer: { count: 1, period: WEEK } }', 'UNPLANNED'],
      Every: ['schedule: { everyDays: 3 }', 'UNPLANNED'],
      Old: ['', 'OPEN PLANNED'],
      'Old and done': ['', 'KEPT PLANNED'],
    };
    const ids: Record<string, string> = {};
    for (const [title, [plan]] of Object.entries(plans))
      ids[title] = await makes(`title: "${title}" ${plan}`);
    await does(ids.Every ?? '', [2]);
    await does(ids.Times ?? '', [3]);
    for (const title of ['Done', 'More', 'Some', 'Limit', 'Skipped and done', 'Week', 'Old and done'])
      await does(ids[title] ?? '', [4], ', amount: 2');
    at(4);
    for (const change of [
      `skipDay(taskId: ${ids.Skipped}, date: "2026-11-04") { date }`,
      `skipDay(taskId: ${ids['Skipped and done']}, date: "2026-11-04") { date }`,
      `createPause(input: { taskId: ${ids.Paused}, from: "2026-11-04" }) { pause { id } }`,
      `archiveTask(id: ${ids.Old}) { task { id } }`,
      `archiveTask(id: ${ids['Old and done']}) { task { id } }`,
    ])
      await ana.query(`mutation { ${change} }`);
    const found = async (args: string): Promise<Listed[]> =>
      (await ana.query(`{ tasks(first: 50, ${args}) { nodes { title today { filters isOpen isKept } } } }`))
        .tasks.nodes;
    const all = await found('archived: ANY');
    expect(Object.fromEntries(all.map(({ title, today }) => [title, today.filters.join(' ')]))).toEqual(
      Object.fromEntries(Object.entries(plans).map(([title, [, filters]]) => [title, filters])),
    );
    for (const { today } of all)
      expect([today.isOpen, today.isKept]).toEqual(
        ['OPEN', 'KEPT'].map((each) => today.filters.includes(each)),
      );
    for (const archived of ['ARCHIVED', 'ANY', 'IN_USE'])
      for (const filter of FILTERS)
        expect(await found(`archived: ${archived}, today: ${filter}`), `${archived} ${filter}`).toEqual(
          (await found(`archived: ${archived}`)).filter(({ today }) => today.filters.includes(filter)),
        );
  });
});

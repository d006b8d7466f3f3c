import { describe, expect, it } from 'vitest';
import { person } from '../schedules/person.js';
import { statementsOf } from '../support/statements.js';

const FILTERS = ['OPEN', 'KEPT', 'PLANNED', 'UNPLANNED'];

interface Listed {
  id: string;
  today: { filters: string[] };
}

describe('Of a task, today', () => {
  it('tells the filters that find it, in use or archived', async () => {
    const { ana, makes, at, does } = await person();
    const plans = [
      'title: "Open"',
      'title: "Done"',
      'title: "Rest", schedule: { weekdays: [MONDAY] }',
      'title: "More", schedule: { weekdays: [MONDAY] }',
      'title: "Some", target: { amount: 3, unit: "km" }',
      'title: "Limit", target: { amount: 2, unit: "cups", kind: AT_MOST }',
      'title: "Skipped"',
      'title: "Skipped and done"',
      'title: "Paused"',
      'title: "Week", target: { amount: 9, unit: "km", per: WEEK }',
      'title: "Times", schedule: { timesPer: { count: 1, period: WEEK } }',
      'title: "Every", schedule: { everyDays: 3 }',
      'title: "Old"',
      'title: "Old and done"',
    ];
    const ids: Record<string, string> = {};
    for (const plan of plans) ids[/"(.*?)"/.exec(plan)?.[1] ?? ''] = await makes(plan);
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
    const nodes = `nodes { id title today { filters isOpen isKept isDue state } }`;
    for (const archived of ['ARCHIVED', 'ANY', 'IN_USE']) {
      const found = await ana.query(`{
      all: tasks(archived: ${archived}, first: 50) { ${nodes} }
      ${FILTERS.map((each) => `${each}: tasks(archived: ${archived}, today: ${each}, first: 50) { nodes { id } }`).join(' ')}
    }`);
      const all: Listed[] = found.all.nodes;
      expect(all.length).toBeGreaterThan(1);
      for (const filter of FILTERS)
        expect(
          all.filter(({ today }) => today.filters.includes(filter)).map(({ id }) => id),
          filter,
        ).toEqual(found[filter].nodes.map(({ id }: Listed) => id));
      const filtersOf = (title: string) =>
        found.all.nodes.find((node: { title: string }) => node.title === title)?.today.filters;
      if (archived === 'IN_USE')
        expect(
          ['Open', 'Done', 'Rest', 'More', 'Limit', 'Skipped', 'Skipped and done'].map(filtersOf),
        ).toEqual([
          ['OPEN', 'PLANNED'],
          ['KEPT', 'PLANNED'],
          ['UNPLANNED'],
          ['KEPT', 'UNPLANNED'],
          ['UNPLANNED'],
          ['UNPLANNED'],
          ['KEPT', 'PLANNED'],
        ]);
    }
  });

  it('shows the latest completion in full, and by its id alone without another statement', async () => {
    const here = await person();
    const { ana, makes, does, at } = here;
    const [swim, run] = [
      await makes('title: "Swim", target: { amount: 3, unit: "km" }'),
      await makes('title: "Run"'),
    ];
    await does(swim, [2], ', amount: 1, note: "Cold"');
    at(2, 10);
    const { completeTask } = await ana.query(
      `mutation { completeTask(taskId: ${swim}, amount: 2, note: "Warm") { completion { id } } }`,
    );
    const { id } = completeTask.completion;
    const list = (more: string) => `{ tasks { nodes { today { completionCount ${more} } } } }`;
    const full = 'id amount note points day completedAt task { id title }';
    expect((await ana.query(list(`lastCompletion { ${full} }`))).tasks.nodes).toEqual([
      {
        today: {
          completionCount: 2,
          lastCompletion: {
            ...{ id, amount: 2, note: 'Warm', points: 10, day: '2026-11-02' },
            completedAt: '2026-11-02T10:00:00.000Z',
            task: { id: swim, title: 'Swim' },
          },
        },
      },
      { today: { completionCount: 0, lastCompletion: null } },
    ]);
    expect(run).not.toBe(swim);
    const [without, byId, inFull] = [
      await statementsOf(here, () => ana.query(list(''))),
      await statementsOf(here, () => ana.query(list('lastCompletion { id }'))),
      await statementsOf(here, () => ana.query(list('lastCompletion { id amount }'))),
    ];
    expect(byId).toHaveLength(without.length);
    expect(inFull).toHaveLength(without.length + 1);
    expect((await ana.query(list('lastCompletion { id }'))).tasks.nodes[0].today.lastCompletion).toEqual({
      id,
    });
  });
});

import { expect, it } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { world } from '../support/world.js';

const TODAY =
  'today { date completionCount lastCompletion { id } } streak { count longest doneToday aliveUntil }';

async function swimmer() {
  const here = await world();
  here.clock.set('2026-11-19T12:00:00Z');
  const ana = await here.newUser();
  await ana.query('mutation { updateProfile(input: { timeZone: "America/Los_Angeles" }) { user { id } } }');
  const swim = await ana.hasTask({ title: 'Swim', points: 2.5 });
  const read = await ana.hasTask({ title: 'Read', points: 1 });
  const completesAt = async (task: { id: number }, ...instants: string[]) => {
    for (const iso of instants) {
      here.clock.set(iso);
      expect((await ana.completes(task)).status).toBe(201);
    }
  };
  return { ...here, ana, swim, read, completesAt };
}

it("A task tells what was done of it on the user's days, in a list with others in few statements", async () => {
  const here = await swimmer();
  const { ana, swim, read, completesAt } = here;
  await completesAt(read, '2026-11-20T02:00:00Z');
  await completesAt(swim, '2026-11-21T05:00:00Z', '2026-11-22T04:00:00Z', '2026-11-22T07:59:59Z');
  const { completions } = await ana.query('{ completions(first: 1) { nodes { id } } }');
  const days = 'calendar(from: "2026-11-19", to: "2026-11-21") { date completionCount points streakEffect }';
  const list = `{ tasks { nodes { title ${TODAY} ${days} } } }`;
  const day = (date: string, completionCount: number, points: number, streakEffect: string) => ({
    ...{ date: `2026-11-${date}`, completionCount, points, streakEffect },
  });
  expect((await ana.query(list)).tasks.nodes).toEqual([
    {
      title: 'Swim',
      today: { date: '2026-11-21', completionCount: 2, lastCompletion: { id: completions.nodes[0].id } },
      streak: { count: 2, longest: 2, doneToday: true, aliveUntil: '2026-11-23T08:00:00.000Z' },
      calendar: [day('19', 0, 0, 'NONE'), day('20', 1, 2.5, 'STARTED'), day('21', 2, 5, 'CONTINUED')],
    },
    {
      title: 'Read',
      today: { date: '2026-11-21', completionCount: 0, lastCompletion: null },
      streak: { count: 0, longest: 1, doneToday: false, aliveUntil: null },
      calendar: [day('19', 1, 1, 'STARTED'), day('20', 0, 0, 'BROKEN'), day('21', 0, 0, 'NONE')],
    },
  ]);
  expect(await statementsOf(here, () => ana.query(`{ tasks { nodes { ${days} } } }`))).toHaveLength(3);
});

import { describe, expect, it } from 'vitest';
import { queriesOf } from '../support/statements.js';
import { person, STREAK, TODAY } from './person.js';

// What the model of lives says of every habit, once in the words of the API.

describe('The gym on Mondays, Wednesdays and Fridays', () => {
  it('does not ask for a Tuesday, and misses only a due day', async () => {
    const { makes, at, does, read, states, change } = await person();
    const gym = await makes('title: "Gym", schedule: { weekdays: [FRIDAY, MONDAY, WEDNESDAY] }, points: 2');
    await does(gym, [2, 4]);
    at(5);
    expect(await read(gym, `schedule { kind weekdays } ${STREAK} ${TODAY}`)).toEqual({
      schedule: { kind: 'WEEKDAYS', weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
      streak: {
        ...{ unit: 'DAYS', count: 2, longest: 2, doneToday: false, atRisk: false },
        aliveUntil: '2026-11-07T00:00:00.000Z',
      },
      today: { state: 'REST', isDue: false, completionCount: 0, amount: null, remaining: null },
    });
    at(6);
    expect((await read(gym, STREAK)).streak).toMatchObject({ count: 2, atRisk: true });
    at(7);
    expect(await read(gym, `${STREAK} score`)).toMatchObject({
      streak: { count: 0, longest: 2, aliveUntil: null },
      score: 0.139, // which a bad day does not end
    });
    const days = await states(gym, 1, 8);
    expect(days.map(({ state, streakEffect }) => `${state} ${streakEffect}`)).toEqual([
      ...['REST NONE', 'KEPT STARTED', 'REST NONE', 'KEPT CONTINUED', 'REST NONE', 'MISSED BROKEN'],
      ...['REST NONE', 'FUTURE NONE'],
    ]);
    await change(`skipDay(taskId: ${gym}, date: "2026-11-06")`);
    const by = 'by(period: WEEK) { from dueCount keptCount } byWeekday { weekday dueCount }';
    const sums = `dueDays keptDays missedDays neutralDays completionCount points rate ${by}`;
    const { statistics } = await read(gym, `statistics(from: "2026-11-01", to: "2026-11-08") { ${sums} }`);
    expect(statistics).toMatchObject({
      ...{ dueDays: 2, keptDays: 2, missedDays: 0, neutralDays: 1, completionCount: 2, points: 4, rate: 1 },
      by: [{ dueCount: 0 }, { from: '2026-11-02', dueCount: 2, keptCount: 2 }],
    });
    expect(statistics.byWeekday[2]).toEqual({ weekday: 'WEDNESDAY', dueCount: 1 });
  });
});

it('Eight glasses of water are a kept day once they add up, by amounts or by one tap without, which adds a step', async () => {
  const { ana, makes, at, does, read, change } = await person();
  const water = await makes('title: "Water", target: { amount: 8, unit: "glasses" }, step: 0.125');
  await does(water, [2, 2, 2], ', amount: 1.1');
  expect(await read(water, `${TODAY} ${STREAK}`)).toMatchObject({
    today: { state: 'PARTIAL', amount: 3.3, remaining: 4.7, completionCount: 3, isDue: true },
    streak: { count: 0, doneToday: false },
  });
  await does(water, [2], ', amount: 4.7, note: "from a bottle"');
  const today = { state: 'KEPT', amount: 8, remaining: 0 };
  expect(await read(water, `${TODAY} ${STREAK}`)).toMatchObject({ today, streak: { count: 1 } });
  await does(water, [3]);
  expect(await read(water, `step ${TODAY}`)).toMatchObject({ step: 0.125, today });
  const { completions } = await ana.query('{ completions(first: 2) { nodes { id amount note } } }');
  const [tap, bottle] = completions.nodes;
  expect([tap.amount, bottle.amount, bottle.note]).toEqual([null, 4.7, 'from a bottle']);
  at(3, 10);
  await change(`undoCompletion(id: ${bottle.id})`);
  expect(await read(water, `lastCompletedAt ${STREAK}`)).toMatchObject({
    lastCompletedAt: '2026-11-03T09:00:00.000Z',
    streak: { count: 1, longest: 1 },
  });
  for (const step of [0, -1, 0.0001, 1_000_000_001])
    for (const refused of [
      `updateTask(id: ${water}, input: { step: ${step} })`,
      `createTask(input: { title: "Milk", step: ${step} })`,
    ])
      await expect(change(refused)).rejects.toThrow(/^Step must/);
});

it('A change of the plan reads the whole history anew, and loses nothing of it', async () => {
  const { ana, makes, does } = await person();
  const swim = await makes('title: "Swim"');
  await does(swim, [2, 4, 6]);
  for (const [schedule, unit, count] of [
    ['{ weekdays: [MONDAY, WEDNESDAY, FRIDAY] }', 'DAYS', 3],
    ['{ everyDays: 2 }', 'TIMES', 3],
    ['{ timesPer: { count: 3, period: WEEK } }', 'WEEKS', 1],
    ['{ everyDay: true }', 'DAYS', 1],
  ] as const) {
    const { updateTask } = await ana.query(
      `mutation { updateTask(id: ${swim}, input: { schedule: ${schedule} }) { task { ${STREAK} } } }`,
    );
    expect(updateTask.task.streak).toMatchObject({ unit, count, longest: count });
  }
});

it('A list is of what asks for something today, or of what does not, and of a tag, page by page', async () => {
  const { ana, makes, does } = await person();
  const floss = await makes('title: "Floss", tags: ["Home ", "Äpfel"]');
  await makes('title: "Gym", schedule: { weekdays: [TUESDAY] }, tags: ["sport"]');
  await makes('title: "Water", target: { amount: 8, unit: "glasses" }');
  const listed = async (args: string) => {
    const { tasks } = await ana.query(`{ tasks(${args}) { nodes { title } pageInfo { endCursor } } }`);
    const titles = tasks.nodes.map(({ title }: { title: string }) => title).join(', ');
    return [titles, tasks.pageInfo.endCursor];
  };
  const [first, cursor] = await listed('today: OPEN, first: 1');
  expect([first, (await listed(`today: OPEN, after: "${cursor}"`))[0]]).toEqual(['Floss', 'Water']);
  expect((await listed('today: UNPLANNED'))[0]).toBe('Gym');
  expect((await listed('tag: "äPFEL"'))[0]).toBe('Floss');
  await does(floss, [2]);
  expect((await listed('today: OPEN'))[0]).toBe('Water');
});

it('A list takes as many statements for many habits of every kind as for one, and costs what they look back', async () => {
  const here = await person();
  const { ana, makes } = here;
  const fields = `score nextDueOn thisPeriod { goal } ${TODAY} ${STREAK}`;
  const statements = async () =>
    (await queriesOf(here, () => ana.query(`{ tasks(first: 20) { nodes { ${fields} } } }`))).length;
  await makes('title: "Gym", schedule: { everyDays: 2 }, tags: ["sport"]');
  const one = await statements();
  await makes('title: "Smoking", target: { amount: 0, unit: "cigarettes", kind: AT_MOST }');
  await makes('title: "Run", target: { amount: 20, unit: "km", per: WEEK }');
  await makes('title: "Swim", schedule: { timesPer: { count: 2, period: WEEK } }');
  expect(await statements()).toBe(one);
  const scores = ['a', 'b'].map((name) => `${name}: tasks(first: 100) { nodes { score } }`);
  const { errors } = await ana.rest.ask(`{ ${scores.join(' ')} }`);
  expect(errors?.[0].extensions.reason).toBe('TOO_COMPLEX');
  // All lists of what is due are found together.
  const looksThrough = async (...lists: string[]) => {
    const aliased = lists.map((args, index) => `l${index}: tasks(${args}) { nodes { id } }`);
    const asked = await queriesOf(here, () => ana.query(`{ ${aliased.join(' ')} }`));
    return asked.filter(({ sql }) => /"tags" from|counted\."completionCount"/.test(sql)).length;
  };
  const several = ['today: OPEN', 'tag: "sport"', 'today: UNPLANNED, tag: "sport"'];
  expect(await looksThrough(...several)).toBe(await looksThrough('today: KEPT'));
});

it('After travel westwards a habit asks for today, what is not over has broken nothing, and it is as old as it was', async () => {
  const { ana, makes, at, does, read, states } = await person();
  const lives = (timeZone: string) =>
    ana.query(`mutation { updateProfile(input: { timeZone: "${timeZone}" }) { user { id } } }`);
  const swim = await makes('title: "Swim"');
  const coffee = await makes('title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }');
  await does(swim, [2, 4]);
  const told = async () => [
    await states(swim, 1, 2),
    await states(coffee, 1, 2),
    (await read(swim, 'statistics(from: "2026-10-26", to: "2026-11-02") { rate missedDays }')).statistics,
    (await ana.query('{ me { calendar(from: "2026-11-01", to: "2026-11-02") { dueCount keptCount } } }')).me,
  ];
  const before = await told();
  expect(before[0]).toMatchObject([{ state: 'REST' }, { state: 'KEPT' }]);
  expect(await states(swim, 3, 3)).toMatchObject([{ streakEffect: 'BROKEN' }]);
  await lives('Pacific/Honolulu'); // where it is still the third
  expect(await states(swim, 3, 4)).toMatchObject([{ streakEffect: 'NONE' }, { streakEffect: 'STARTED' }]);
  expect((await read(swim, TODAY)).today).toMatchObject({ state: 'OPEN', isDue: true });
  const { open } = await ana.query('{ open: tasks(today: OPEN) { nodes { id } } }');
  expect(open.nodes).toEqual([{ id: swim }]);
  at(5);
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Honolulu']) {
    expect(await told()).toEqual(before);
    await lives(zone);
  }
});

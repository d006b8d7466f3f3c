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
    expect(await read(gym, `schedule { weekdays } ${STREAK} ${TODAY}`)).toEqual({
      schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
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
    const sums = 'dueDays keptDays missedDays neutralDays completionCount points rate';
    const range = 'from: "2026-11-01", to: "2026-11-08"';
    const by = 'by(period: WEEK) { from dueCount keptCount } byWeekday { weekday dueCount }';
    const { statistics } = await read(gym, `statistics(${range}) { ${sums} ${by} }`);
    expect(statistics).toMatchObject({
      ...{ dueDays: 2, keptDays: 2, missedDays: 0, neutralDays: 1, completionCount: 2, points: 4, rate: 1 },
      by: [{ dueCount: 0 }, { from: '2026-11-02', dueCount: 2, keptCount: 2 }],
    });
    expect(statistics.byWeekday[2]).toEqual({ weekday: 'WEDNESDAY', dueCount: 1 });
  });
});

describe('Eight glasses of water', () => {
  it('are a kept day once they add up, by amounts or by one tap without', async () => {
    const { ana, makes, at, does, read, change } = await person();
    const water = await makes('title: "Water", target: { amount: 8, unit: "glasses" }');
    await does(water, [2, 2, 2], ', amount: 1.1');
    expect(await read(water, `${TODAY} ${STREAK}`)).toMatchObject({
      today: { state: 'PARTIAL', amount: 3.3, remaining: 4.7, completionCount: 3, isDue: true },
      streak: { count: 0, doneToday: false },
    });
    await does(water, [2], ', amount: 4.7, note: "from a bottle"');
    expect(await read(water, `${TODAY} ${STREAK}`)).toMatchObject({
      today: { state: 'KEPT', amount: 8, remaining: 0 },
      streak: { count: 1, doneToday: true },
    });
    await does(water, [3]);
    expect((await read(water, TODAY)).today).toMatchObject({ state: 'KEPT', amount: 8 });
    const { completions } = await ana.query('{ completions(first: 2) { nodes { id amount note } } }');
    expect(completions.nodes).toMatchObject([
      { amount: null, note: null },
      { amount: 4.7, note: 'from a bottle' },
    ]);
    at(3, 10);
    await change(`undoCompletion(id: ${completions.nodes[1].id})`);
    expect(await read(water, `lastCompletedAt ${STREAK}`)).toMatchObject({
      lastCompletedAt: '2026-11-03T09:00:00.000Z',
      streak: { count: 1, longest: 1 },
    });
  });
});

describe('A change of the plan', () => {
  it('reads the whole history anew, and loses nothing of it', async () => {
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

  it('has a step, which a tap adds and by which nothing counts: more than 0, with three decimals', async () => {
    const { ana, makes, does, read } = await person();
    const book = await makes('title: "Read", target: { amount: 50, unit: "pages" }, step: 0.125');
    await does(book, [2]);
    expect(await read(book, 'step today { isKept amount }')).toEqual({
      step: 0.125,
      today: { isKept: true, amount: 50 },
    });
    for (const step of [0, -1, 0.0001, 1_000_000_001])
      await expect(
        ana.query(`mutation { updateTask(id: ${book}, input: { step: ${step} }) { task { id } } }`),
      ).rejects.toThrow(/^Step must/);
  });
});

describe('The list', () => {
  it('is of what asks for something today, or of what does not, and of a tag, page by page', async () => {
    const { ana, makes, does } = await person();
    const floss = await makes('title: "Floss", tags: ["Home ", "Äpfel"]');
    await makes('title: "Gym", schedule: { weekdays: [TUESDAY] }, tags: ["sport"]');
    await makes('title: "Water", target: { amount: 8, unit: "glasses" }');
    const listed = async (args: string) =>
      (await ana.query(`{ tasks(${args}) { nodes { title } pageInfo { endCursor } } }`)).tasks;
    const titles = async (args: string) =>
      (await listed(args)).nodes.map(({ title }: { title: string }) => title);
    expect(await titles('today: OPEN')).toEqual(['Floss', 'Water']);
    const { pageInfo } = await listed('today: OPEN, first: 1');
    expect(await titles(`today: OPEN, first: 1, after: "${pageInfo.endCursor}"`)).toEqual(['Water']);
    expect(await titles('today: UNPLANNED')).toEqual(['Gym']);
    expect(await titles('tag: "äPFEL"')).toEqual(['Floss']);
    await does(floss, [2]);
    expect(await titles('today: OPEN, first: 1')).toEqual(['Water']);
  });

  it('takes as many statements for many habits of every kind as for one, and costs what they look back', async () => {
    const here = await person();
    const { ana, makes } = here;
    const fields = `score nextDueOn thisPeriod { goal } ${TODAY} ${STREAK}`;
    const list = (args: string) => `tasks(${args}) { nodes { ${fields} } }`;
    const statements = async () =>
      (await queriesOf(here, () => ana.query(`{ ${list('first: 20')} }`))).length;
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
});

describe('After travel westwards', () => {
  const lives = (timeZone: string) =>
    `mutation { updateProfile(input: { timeZone: "${timeZone}" }) { user { id } } }`;

  it('to the day before, a habit asks for today, and a day that is not over has broken nothing', async () => {
    const { ana, makes, does, read, states } = await person();
    const swim = await makes('title: "Swim"');
    const run = await makes('title: "Run", schedule: { everyDays: 2 }');
    for (const task of [swim, run]) await does(task, [2, 4]);
    expect(await states(swim, 3, 3)).toMatchObject([{ streakEffect: 'BROKEN' }]);
    await ana.query(lives('Pacific/Honolulu'));
    expect(await states(swim, 3, 4)).toMatchObject([{ streakEffect: 'NONE' }, { streakEffect: 'STARTED' }]);
    expect((await read(swim, TODAY)).today).toMatchObject({ state: 'OPEN', isDue: true });
    const { open } = await ana.query('{ open: tasks(today: OPEN) { nodes { id } } }');
    expect(open.nodes).toContainEqual({ id: swim });
  });

  it('a habit is as old as it was: the day before it was made was not missed', async () => {
    const { ana, makes, at, does, read, states } = await person();
    const swim = await makes('title: "Swim"');
    const coffee = await makes('title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }');
    await does(swim, [2, 3]);
    at(5);
    const told = async () => [
      await states(swim, 1, 3),
      await states(coffee, 1, 3),
      await read(swim, 'statistics(from: "2026-10-26", to: "2026-11-03") { rate missedDays }'),
      (await ana.query('{ me { calendar(from: "2026-11-01", to: "2026-11-03") { dueCount keptCount } } }'))
        .me,
    ];
    const before = await told();
    expect(before[0]).toMatchObject([{ state: 'REST' }, { state: 'KEPT' }, { state: 'KEPT' }]);
    for (const zone of ['Pacific/Honolulu', 'Pacific/Kiritimati', 'Pacific/Honolulu']) {
      await ana.query(lives(zone));
      expect(await told()).toEqual(before);
    }
    expect((await read(coffee, 'streak { longest }')).streak).toEqual({ longest: 2 });
  });
});

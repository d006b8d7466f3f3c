import { describe, expect, it } from 'vitest';
import { driftsOf } from '../support/drifts.js';
import { allQueriesOf, queriesOf } from '../support/statements.js';
import { person, STREAK } from './person.js';

// Monday 2026-11-02 to Sunday 2026-11-08 is the first week here.

const COFFEE = 'title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }';
const RUNNING = 'title: "Run", target: { amount: 20, unit: "km", per: WEEK }';
const PERIOD = 'today { state isDue amount periodAmount remaining completionCount }';

describe('At most two coffees a day', () => {
  it('is within until it is exceeded, and kept when the day is over', async () => {
    const { makes, at, does, read, states } = await person();
    const coffee = await makes(COFFEE);
    await does(coffee, [2, 2]);
    expect(await read(coffee, PERIOD)).toEqual({
      today: { state: 'WITHIN', isDue: false, amount: 2, periodAmount: 2, remaining: 0, completionCount: 2 },
    });
    await does(coffee, [4], ', amount: 2.5');
    expect((await read(coffee, PERIOD)).today).toMatchObject({ state: 'EXCEEDED', remaining: 0 });
    await does(coffee, [6]);
    at(7);
    const days = await states(coffee, 1, 8);
    expect(days.map(({ state, streakEffect }) => `${state} ${streakEffect}`)).toEqual([
      ...['REST NONE', 'KEPT STARTED', 'KEPT CONTINUED', 'EXCEEDED BROKEN', 'KEPT STARTED', 'KEPT CONTINUED'],
      ...['WITHIN NONE', 'FUTURE NONE'],
    ]);
    const { streak, statistics } = await read(
      coffee,
      `${STREAK} statistics(from: "2026-11-02", to: "2026-11-15") { dueDays keptDays missedDays rate amount points }`,
    );
    expect(streak).toEqual({
      ...{ unit: 'DAYS', count: 2, longest: 2, doneToday: false, atRisk: false, aliveUntil: null },
    });
    const counts = { dueDays: 5, keptDays: 4, missedDays: 1, rate: 0.8, amount: 5.5, points: 0 };
    expect(statistics).toEqual(counts);
  });

  it('earns nothing, asks for nothing, and is none of the user’s days', async () => {
    const { ana, makes, at, does } = await person();
    await does(await makes('title: "Swim"'), [2]);
    const coffee = await makes(COFFEE);
    await does(coffee, [3]);
    expect((await ana.completes({ id: Number(coffee) })).status).toBe(201);
    at(4);
    const calendar =
      'calendar(from: "2026-11-02", to: "2026-11-04") { points streakEffect dueCount keptCount }';
    const me = `me { points currentStreak maxStreak streak { count longest doneToday } ${calendar} }`;
    const lists = ['open: tasks(today: OPEN)', 'unplanned: tasks(today: UNPLANNED)'];
    const titles = lists.map((list) => `${list} { nodes { title } }`).join(' ');
    expect(await ana.query(`{ ${me} ${titles} }`)).toEqual({
      me: {
        ...{ points: 10, currentStreak: 1, maxStreak: 1 },
        streak: { count: 0, longest: 1, doneToday: false },
        calendar: [
          { points: 10, dueCount: 1, keptCount: 1, streakEffect: 'STARTED' },
          { points: 0, dueCount: 1, keptCount: 0, streakEffect: 'BROKEN' },
          { points: 0, dueCount: 1, keptCount: 0, streakEffect: 'NONE' },
        ],
      },
      ...{ open: { nodes: [{ title: 'Swim' }] }, unplanned: { nodes: [{ title: 'Coffee' }] } },
    });
  });
});

it('The days of a user have limits counted anew once if they are others, and not at all if they are not', async () => {
  const here = await person();
  const { ana, makes, does, change } = here;
  const beer = await makes('title: "Beer", target: { amount: 2, unit: "beers", kind: AT_MOST, per: WEEK }');
  await makes(COFFEE);
  await does(beer, [2, 3]);
  const recountsOf = async (input: string) => {
    const asked = await allQueriesOf(here, () => change(`updateProfile(input: { ${input} })`));
    return asked.filter(({ sql }) => /completion_count \+ \(/.test(sql)).length;
  };
  const others = 'timeZone: "Pacific/Kiritimati", dayStartsAt: 4, weekStartsOn: SUNDAY';
  expect(await recountsOf('timeZone: "UTC", dayStartsAt: 0, weekStartsOn: MONDAY')).toBe(0);
  expect(await recountsOf(others)).toBe(1);
  expect(await recountsOf(others)).toBe(0);
  expect(await recountsOf('weekStartsOn: MONDAY')).toBe(1);
  expect(await driftsOf(here, ana)).toEqual([]);
});

it('Twenty kilometres a week ask for the rest on the last day on which they can be met', async () => {
  const { ana, makes, at, does, read, states, change } = await person();
  const run = await makes(RUNNING);
  await does(run, [2], ', amount: 20');
  await does(run, [10], ', amount: 15');
  const after = async (day: number, amount: number) => {
    await does(run, [day], `, amount: ${amount}`);
    const { open } = await ana.query('{ open: tasks(today: OPEN) { totalCount } }');
    const { streak, today, nextDueOn } = await read(run, `${PERIOD} ${STREAK} nextDueOn`);
    return [today.state, open.totalCount, streak.doneToday, streak.atRisk, nextDueOn];
  };
  expect(await after(14, 2)).toEqual(['KEPT', 0, true, false, '2026-11-15']); // tomorrow will do
  expect(await after(15, 2)).toEqual(['PARTIAL', 1, false, true, '2026-11-15']);
  expect(await after(15, 1)).toEqual(['KEPT', 0, true, false, '2026-11-16']);
  // The week after, nothing is asked for from Friday on: Thursday is the last day, and what is done in the pause counts.
  await change('createPause(input: { from: "2026-11-20", until: "2026-11-22" })');
  expect(await after(19, 12)).toEqual(['PARTIAL', 1, false, false, '2026-11-19']);
  await does(run, [21], ', amount: 1');
  const days = await states(run, 19, 21);
  expect(days.map(({ state }) => state)).toEqual(['PARTIAL', 'PAUSED', 'KEPT']);
  at(23);
  expect((await read(run, STREAK)).streak.count).toBe(0);
});

describe('Limits', () => {
  it('are exported and imported with kind and period, and every counter agrees', async () => {
    const { ana, makes, does, newUser, at, ...here } = await person();
    const [coffee, run, swim] = [await makes(COFFEE), await makes(RUNNING), await makes('title: "Swim"')];
    await does(coffee, [2, 3, 3, 3]);
    await does(run, [4], ', amount: 20');
    await does(swim, [2, 4]);
    at(6);
    const file = (await ana.rest.get('/account/export')).body;
    const bea = await newUser();
    expect((await bea.rest.post('/account/import', file)).status).toBe(201);
    const all = `{ me { points streak { count longest } } tasks { nodes { title completionCount target { amount unit kind per } ${STREAK} ${PERIOD} } } }`;
    expect(await bea.query(all)).toEqual(await ana.query(all));
    expect(await driftsOf(here, ana)).toEqual([]);
    expect(await driftsOf(here, bea)).toEqual([]);
    file.completions[0].points = 10;
    const refused = await (await newUser()).rest.post('/account/import', file);
    const says = 'Completion 1: Points must be greater than zero, and 0 for a limit';
    expect([refused.status, refused.body.error]).toEqual([400, says]);
  });

  it('are read from the last day before a calendar that decides it, and not from their first', async () => {
    const { makes, at, does, read, database, change } = await person();
    const coffee = await makes(COFFEE);
    await does(coffee, [3, 5, 16], ', amount: 3');
    await change('createPause(input: { from: "2026-11-12", until: "2026-11-14" })');
    at(20);
    const calendar = 'calendar(from: "2026-11-15", to: "2026-11-17") { state streakEffect }';
    const asked = await queriesOf({ database }, async () => {
      expect((await read(coffee, calendar)).calendar).toEqual([
        { state: 'KEPT', streakEffect: 'CONTINUED' },
        { state: 'EXCEEDED', streakEffect: 'BROKEN' },
        { state: 'KEPT', streakEffect: 'STARTED' },
      ]);
    });
    const eleventh = Date.parse('2026-11-11T00:00:00Z') / 86_400_000;
    expect(asked.map(({ parameters }) => JSON.stringify(parameters)).join()).toContain(`[${eleventh}]`);
  });
});
